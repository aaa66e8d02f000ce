// Which one measurement more would tell most: every species and observable at many times of every
// experiment is tried in the linear theory around the best fit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/problem_objective.h"
#include "report/fit_summary.h"

namespace stiffit {

// The best time for each of the best quantities; empty if everything is known, or the problem is so
// large that it would take long. `options` are those of the fit.
std::vector<NextMeasurement> next_measurements(const ProblemObjective& objective,
                                               const FitSummary& fit,
                                               const ObjectiveOptions& options);

}  // namespace stiffit
