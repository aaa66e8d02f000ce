// The answers of linear fits along the data as starts for a search.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "estimation/direct/linear_fit.h"
#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

// The answer of one method (or of several, and then their mean first) as points of theta inside the
// bounds. What the fit does not find, or finds outside of the bounds, stays at its own start.
// Throws InputError if a method does not apply, or if a start is missing.
std::vector<std::vector<double>> linear_starts(const FitProblem& problem,
                                               const std::vector<EstimatedParameter>& unknowns,
                                               std::span<const LinearMethod> methods);

}  // namespace stiffit::internal
