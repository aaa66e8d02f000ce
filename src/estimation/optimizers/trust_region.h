// The default optimiser: bounded trust-region Gauss-Newton on the Fisher information, with a secant
// correction where that predicts better. An evaluation that fails rejects the step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "estimation/optimizers/local_fit.h"

namespace stiffit::internal {

LocalFit fit_trust_region(const Objective& objective, std::span<const double> start,
                          const LocalOptions& options);

}  // namespace stiffit::internal
