// Where starts are drawn from: the initialization priors of a problem, cut at the bounds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/strategies/starts.h"
#include "model/fit_problem.h"

namespace stiffit::internal {

Quantile start_quantiles(const FitProblem& problem,
                         const std::vector<EstimatedParameter>& unknowns);

}  // namespace stiffit::internal
