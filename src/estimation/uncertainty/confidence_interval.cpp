// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/confidence_interval.h"

#include <algorithm>
#include <cmath>

#include "base/listed.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_partners = 4;

bool followed(const ProfileSide& side) {
  return side.stop == ProfileStop::threshold || side.stop == ProfileStop::bound ||
         side.stop == ProfileStop::flat;
}

// Those that move along where the profile finds no limit, the one that moves most first.
std::vector<std::string> moved_along(const Profile& p,
                                     const std::vector<EstimatedParameter>& unknowns,
                                     const LocalFit& best) {
  constexpr double takes_part = 0.1;  // of the way of the unknown itself
  std::vector<std::pair<double, std::size_t>> ways;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    double most = 0;
    for (const ProfileSide* side : {&p.lower, &p.upper}) {
      if (side->stop == ProfileStop::threshold || side->points.empty()) continue;
      const std::vector<double>& end = side->points.back().x;
      const double way = std::fabs(end[p.unknown] - best.x[p.unknown]);
      if (way > 0) most = std::max(most, std::fabs(end[i] - best.x[i]) / way);
    }
    if (i != p.unknown && most > takes_part) ways.emplace_back(-most, i);
  }
  std::sort(ways.begin(), ways.end());
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(ways.size(), most_partners); ++k)
    names.push_back(unknowns[ways[k].second].id);
  return names;
}

void judge(ParameterStatistics& u, const ConfidenceInterval& e) {
  if (u.identifiability == Identifiability::not_judged) return;
  const bool low = std::isfinite(e.low), high = std::isfinite(e.high);
  const std::string by = " (" + e.source + ")";
  // With the others held the data do tell it.
  const bool held = u.identifiability != Identifiability::not_determined &&
                    u.identifiability != Identifiability::at_bound;
  u.source = u.limits_by = e.source;
  u.limits = {e.low, e.high};
  u.intervals = e.stretches;
  if (low && high) {
    // Limits decades apart are no value: what is known is how it goes with the others.
    const bool wide = !(e.low > 0 && e.high < 10 * e.low);
    if (wide && !u.with.empty() && held) {
      u.identifiability = Identifiability::in_combination;
      u.verdict = "only within " + format_short(e.low, 4) + " to " + format_short(e.high, 4) + by +
                  "; better in combination with " + listed(u.with);
      return;
    }
    u.identifiability = grade_of(u.value, u.limits, e.bounds);
    u.verdict = range_words(u.identifiability, u.value, u.limits) + by;
    return;
  }
  if (low || high) {
    u.identifiability = Identifiability::one_sided;
    u.verdict = (low ? "one-sided: at least " + format_short(e.low, 4)
                     : "one-sided: at most " + format_short(e.high, 4)) +
                by;
    return;
  }
  if (!e.moved.empty()) u.with = e.moved;
  if (!u.with.empty() && held) {
    u.identifiability = Identifiability::in_combination;
    u.verdict = "determined only in combination with " + listed(u.with) + by;
    return;
  }
  u.identifiability = Identifiability::not_determined;
  u.verdict = "not determined: no limit within its bounds" + by;
}

}  // namespace

std::vector<ConfidenceInterval> intervals_of(const std::vector<Profile>& profiles,
                                             const std::vector<EstimatedParameter>& unknowns,
                                             const LocalFit& best) {
  std::vector<ConfidenceInterval> found;
  for (const Profile& p : profiles) {
    if (!followed(p.lower) || !followed(p.upper)) continue;
    const EstimatedParameter& u = unknowns[p.unknown];
    const std::vector<Limits> stretches = profile_stretches(p, u.scale);
    found.push_back({u.id, stretches.front().low, stretches.back().high, "profile",
                     moved_along(p, unknowns, best), u,
                     stretches.size() > 1 ? stretches : std::vector<Limits>()});
  }
  return found;
}

ConfidenceInterval interval_of_ensemble(const EstimatedParameter& unknown, double low,
                                        double high) {
  constexpr double near = 0.03;  // of the range: a uniform distribution leaves 0.025
  const double range = unknown.upper - unknown.lower;
  auto open = [&](double end, double bound) {
    return std::isfinite(range) && std::fabs(to_theta(end, unknown.scale) - bound) < near * range;
  };
  return {unknown.id,
          open(low, unknown.lower) ? std::nan("") : low,
          open(high, unknown.upper) ? std::nan("") : high,
          "ensemble",
          {},
          unknown};
}

void judge_by_intervals(FitStatistics& statistics,
                        const std::vector<ConfidenceInterval>& intervals) {
  for (const ConfidenceInterval& e : intervals)
    for (ParameterStatistics& u : statistics.each)
      if (u.id == e.id) judge(u, e);
}

std::vector<std::size_t> doubtful_unknowns(const FitStatistics& s) {
  auto rank = [&](std::size_t i) {
    const ParameterStatistics& u = s.each[i];
    switch (u.identifiability) {
      case Identifiability::one_sided:
        return 0;
      case Identifiability::in_combination:
        return 1;
      case Identifiability::at_bound:
        return 2;
      case Identifiability::not_determined:
        return 3;
      case Identifiability::not_judged:
        return 9;
      case Identifiability::determined:
      case Identifiability::roughly_determined:
      case Identifiability::poorly_determined:
        break;
    }
    const double wide = u.scale == Scale::lin   ? 0.7 * std::fabs(u.theta)
                        : u.scale == Scale::log ? std::log(2.0)
                                                : std::log10(2.0);
    return u.free_single > wide || !u.sheltered_by.empty() ? 0 : 9;
  };
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < s.each.size(); ++i)
    if (rank(i) < 9) found.push_back(i);
  std::stable_sort(found.begin(), found.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return found;
}

}  // namespace stiffit::internal
