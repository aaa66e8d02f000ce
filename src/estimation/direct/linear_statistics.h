// The statistics of a linear fit in the form that all fits share, and what they mean in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "estimation/direct/linear_fit.h"
#include "estimation/direct/simulated_correction.h"
#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// What a linear fit knows of its answer beside the result.
struct LinearAnswer {
  std::vector<int> at;             // of each unknown of the fit, among all
  std::vector<char> not_negative;  // beside them: a rate, say
  Eigen::VectorXd discretisation;  // what the rule of integration makes wrong, about
  const SimulatedCorrection* simulated = nullptr;  // null: limits are those of the covariance
};

FitStatistics linear_statistics(const std::vector<EstimatedParameter>& unknowns,
                                const LocalFit& fit, const LinearFitResult& result,
                                const LinearAnswer& answer);

// The inverse of the covariance, as far as it has one.
Eigen::MatrixXd information_of(const LinearFitResult& result);

// Of an answer that does not describe the data nothing is said to be determined.
void withhold_verdicts(FitStatistics& statistics);

}  // namespace stiffit::internal
