// What a fit says of several parameters at once, each tested before it is said.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/problem_objective.h"
#include "estimation/pipeline/fit_run.h"

namespace stiffit::internal {

// The unit in which differences of the objective matter to such tests: that of value_unit, and not
// less than what the integrations of computed data leave.
double tested_unit(const ProblemObjective& objective, const Evaluation& at);

struct CombinationEffort {
  // As many evaluations as the fit took and more, whose count decides so that the answer is the
  // same on every machine, and seconds for those that take long.
  long evaluations = 1000;
  double seconds = 20;
  int threads = 1;
  LocalOptions local;
};
CombinationEffort effort_for(const FitSummary& fit, const FitRequest& request);

// Sets combinations, what does not change the data, and the verdicts of those concerned. Messages
// are for the end of the run. False: interrupted.
bool add_combinations(FitStatistics& statistics, const ProblemObjective& objective,
                      const LocalFit& best, const CombinationEffort& effort,
                      std::vector<std::string>& messages);
void add_combinations(FitSummary& fit, const ProblemObjective& objective,
                      const FitRequest& request);

}  // namespace stiffit::internal
