// Which one measurement more would tell most: every species and observable at many times of every
// experiment is tried in the linear theory around the best fit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/problem_objective.h"
#include "estimation/optimizers/local_fit.h"
#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// One more measurement, and what it is expected to bring.
struct NextMeasurement {
  std::string experiment, quantity;
  double time = 0;
  bool measured = false;         // there are data of the quantity already
  double noise = 0;              // that is assumed of it
  double reduction = 0;          // share of the summed variances of the logarithms that would go
  std::string unknown;           // that gains most
  double before = 0, after = 0;  // standard error of its logarithm
  std::string words;
};

// The best time for each of the best quantities; empty if everything is known, or the problem is so
// large that it would take long. `options` are those of the fit.
std::vector<NextMeasurement> next_measurements(const ProblemObjective& objective,
                                               const LocalFit& best,
                                               const FitStatistics& statistics,
                                               const ObjectiveOptions& options);

}  // namespace stiffit::internal
