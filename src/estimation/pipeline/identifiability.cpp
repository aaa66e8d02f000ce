// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/identifiability.h"

#include <algorithm>
#include <numeric>

#include "base/interrupt.h"
#include "base/number.h"
#include "estimation/pipeline/stored_intervals.h"
#include "estimation/uncertainty/rivals.h"

namespace stiffit::internal {
namespace {

long evaluations_of(const FitSummary& fit) {
  long sum = 0;
  for (const StartResult& s : fit.starts) sum += s.fit.values + s.fit.gradients;
  return sum;
}

// Profiles of what is in doubt and not settled yet, as far as the evaluations go.
ProfileRequest request_for(const FitSummary& fit, const FitRequest& request,
                           AssessByProfiles wish) {
  constexpr long fewest = 300, most = 20000, of_a_side = 40;
  ProfileRequest p;
  p.problem = fit.problem;
  p.options.local = request.options.local;
  p.options.local.max_iterations = std::min(200, request.options.local.max_iterations);
  p.threads = request.options.threads;
  p.folder = request.folder;
  p.workers = request.workers;
  if (wish == AssessByProfiles::yes) {
    p.unknowns.resize(fit.unknowns.size());
    std::iota(p.unknowns.begin(), p.unknowns.end(), std::size_t{0});
    return p;
  }
  p.unknowns = doubtful_unknowns(fit.statistics);
  std::erase_if(p.unknowns, [&](std::size_t i) {
    return fit.statistics.each[i].source != ParameterStatistics().source;
  });
  const long budget = std::clamp(evaluations_of(fit), fewest, most);
  const std::size_t can = budget / (2 * of_a_side);
  if (p.unknowns.size() > can) p.unknowns.resize(can);
  if (!p.unknowns.empty())
    p.options.max_evaluations = budget / (2 * static_cast<long>(p.unknowns.size()));
  p.options.max_points = 30;
  p.rounds = 1;
  return p;
}

}  // namespace

void add_adequacy(FitSummary& fit, const ProblemObjective& objective) {
  if (!fit.found() || fit.interrupted) return;
  fit.statistics.relative_errors = objective.problem().relative_errors;
  const LocalFit& best = fit.best().fit;
  if (!best.at_minimum()) {
    fit.statistics.adequacy.untested = "the search has not reached a minimum";
    return;
  }
  if (!unless_interrupted([&] {
        fit.statistics.adequacy = assess_adequacy(objective, best, fit.statistics, fit.seed);
      }))
    fit.interrupted = true;
}

void add_rivals(FitSummary& fit, const Objective& objective) {
  if (!fit.found() || fit.interrupted || !fit.best().fit.at_minimum()) return;
  const std::size_t best = fit.order.front();
  std::vector<const LocalFit*> others;
  for (const Minimum& m : fit.minima)
    if (m.result != best && fit.starts[m.result].fit.usable())
      others.push_back(&fit.starts[m.result].fit);
  judge_over_rivals(fit.statistics, objective, fit.best().fit, others);
}

void assess_identifiability(FitSummary& fit, const Objective& objective, const FitRequest& request,
                            AssessByProfiles wish) {
  if (!fit.found() || fit.interrupted) return;
  if (request.folder) {
    std::string message;
    judge_by_intervals(fit.statistics, stored_intervals(request.folder->path(), fit, message));
    if (!message.empty()) fit.messages.push_back(message);
  }
  if (wish == AssessByProfiles::no) return;
  const ProfileRequest profiles = request_for(fit, request, wish);
  if (profiles.unknowns.empty()) return;
  const LocalFit& best = fit.best().fit;
  const ProfileSummary p = run_profiles(objective, best, profiles);
  if (p.interrupted) {
    fit.interrupted = true;
    return;
  }
  double lowest = p.best.at.value;
  for (const Profile& profile : p.profiles)
    for (const ProfileSide* side : {&profile.lower, &profile.upper})
      if (side->stop == ProfileStop::better && !side->points.empty())
        lowest = std::min(lowest, side->points.back().value);
  if (lowest < best.at.value) {
    fit.messages.push_back("a profile has met a better fit: objective " + format_short(lowest, 10) +
                           " instead of " + format_short(best.at.value, 10) +
                           "; more --starts may find it, and the profiles are left out here");
    return;
  }
  judge_by_intervals(fit.statistics, intervals_of(p.profiles, p.unknowns, best));
}

}  // namespace stiffit::internal
