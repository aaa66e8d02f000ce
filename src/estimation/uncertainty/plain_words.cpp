// What the data tell and what they do not, in sentences.
// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/plain_words.h"

#include <algorithm>
#include <cmath>

#include "base/listed.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

std::vector<std::string> names_of(const FitStatistics& s, Identifiability kind) {
  std::vector<std::string> names;
  for (const ParameterStatistics& u : s.each)
    if (u.identifiability == kind && !u.noise) names.push_back(u.id);
  return names;
}

}  // namespace

std::vector<std::string> adequacy_words(const Adequacy& a) {
  std::vector<std::string> lines;
  if (!a.untested.empty())
    lines.push_back("whether the model describes these data was not tested: " + a.untested);
  if (!a.tested()) return lines;
  lines.push_back(a.accepted ? a.words
                             : a.words + "; what is said below would hold only if it did");
  if (a.limits > 0)
    lines.push_back(std::to_string(a.limits) +
                    (a.limits == 1 ? " value is known as a limit only: it counts in the fit; tests "
                                     "of residuals leave it out"
                                   : " values are known as limits only: they count in the fit; "
                                     "tests of residuals leave them out") +
                    ", and whether the model could lie beyond " + (a.limits == 1 ? "it" : "them") +
                    " is a test of its own");
  std::vector<std::string> worst;
  for (const ObservableAdequacy& one : a.observables)
    if (!one.accepted) worst.push_back(one.observable);
  if (!worst.empty() && a.observables.size() > 1)
    lines.push_back("what it does not describe: " + listed(worst));
  return lines;
}

std::string noise_words(const FitStatistics& s) {
  const std::string size = format_short(std::sqrt(s.variance), 5),
                    from = " from " + std::to_string(s.data - s.unknowns) + " degrees of freedom";
  return s.relative_errors
             ? "errors of the data are relative: one factor for all of them is s = " + size + from
             : "noise of unknown size: s = " + size + from;
}

std::vector<std::string> plain_words(const FitStatistics& s, const MeasurementAdvice& next) {
  std::vector<std::string> lines = adequacy_words(s.adequacy);
  for (std::string& line : parameter_words(s, next)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> parameter_words(const FitStatistics& s, const MeasurementAdvice& next) {
  std::vector<std::string> lines;
  if (!s.rivals.empty()) {
    double nearest = s.rivals.front().difference;
    for (const RivalMinimum& r : s.rivals) nearest = std::min(nearest, r.difference);
    const bool one = s.rivals.size() == 1;
    lines.push_back(
        (one ? "another minimum fits" : std::to_string(s.rivals.size()) + " other minima fit") +
        std::string(" these data as well (2 delta log L = ") + format_short(nearest, 2) +
        (one ? ")" : " for the nearest one)") + "; limits and verdicts are those of " +
        (one ? "both" : "all of them"));
  }
  auto say = [&](const std::string& what, Identifiability kind) {
    if (const auto names = names_of(s, kind); !names.empty())
      lines.push_back(what + ": " + listed(names));
  };
  say("determined by these data", Identifiability::determined);
  say("roughly determined, to no better than a factor of 1.5", Identifiability::roughly_determined);
  say("poorly determined, to no better than a factor of 3", Identifiability::poorly_determined);
  say("bounded on one side only", Identifiability::one_sided);
  say("not determined alone, only together with others", Identifiability::in_combination);
  say("not determined by these data", Identifiability::not_determined);
  say("at a bound", Identifiability::at_bound);
  if (!s.combinations.empty()) {
    const bool alone = names_of(s, Identifiability::determined).empty();
    lines.push_back(alone ? "only these combinations are determined:"
                          : "combinations that are determined better than their parts:");
    for (const IdentifiableCombination& c : s.combinations) lines.push_back("  " + c.words);
  }
  std::string sources;
  std::size_t judged = 0;
  for (const std::string source : {"profile", "ensemble", "bootstrap"}) {
    std::vector<std::string> names;
    for (const ParameterStatistics& u : s.each)
      if (u.source == source) names.push_back(u.id);
    if (names.empty()) continue;
    judged += names.size();
    sources += (sources.empty() ? "by " : "; by ") +
               (source == "profile" ? std::string("profiles") : "the " + source) + ": " +
               (names.size() == s.each.size() ? "all" : listed(names));
  }
  if (!sources.empty())
    lines.push_back("(judged " + sources +
                    (judged < s.each.size() ? "; the others by the Fisher information)" : ")"));
  if (!next.nothing.empty()) lines.push_back(next.nothing);
  if (!next.designs.empty())
    lines.push_back("one more measurement, or a few, that would tell most about " +
                    listed(next.interest) + ", if made as well as those so far:");
  for (const MeasurementDesign& d : next.designs) lines.push_back("  " + d.words);
  return lines;
}

}  // namespace stiffit::internal
