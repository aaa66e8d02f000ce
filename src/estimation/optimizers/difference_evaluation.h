// Derivatives of an objective that gives none (models with delays or fast reactions): by
// differences of its values and residuals. Two evaluations for every unknown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "estimation/optimizers/objective.h"

namespace stiffit::internal {

// As `objective` evaluates values. One that fails beside theta is left out: the difference is then
// one-sided.
Evaluation evaluate_by_differences(const Objective& objective, std::span<const double> theta,
                                   Need need);

}  // namespace stiffit::internal
