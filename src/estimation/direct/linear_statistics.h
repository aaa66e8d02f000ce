// The statistics of a linear fit in the form that all fits share, and what they mean in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "estimation/direct/linear_fit.h"
#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// `at`: the position of each unknown of the fit among `unknowns`; `discretisation`: what the rule
// of integration makes wrong, about.
FitStatistics linear_statistics(const std::vector<EstimatedParameter>& unknowns,
                                const LocalFit& fit, const LinearFitResult& result,
                                const std::vector<int>& at, const Eigen::VectorXd& discretisation);

}  // namespace stiffit::internal
