// Residuals and their derivatives where the model gives no derivatives (delays, fast reactions): by
// differences of predictions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

// Empty with the reason in `failure`.
ResidualDerivatives difference_derivatives(const ProblemObjective& objective,
                                           std::span<const double> theta, std::string& failure);

}  // namespace stiffit::internal
