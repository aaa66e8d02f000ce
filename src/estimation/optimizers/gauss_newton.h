// Hemker's Gauss-Newton method (section 3 of his paper): A'A dp = -A'Y; if the sum of squares S
// grows, a step of steepest descent, dp = r |r|^2 / |A r|^2 with r = -A'Y; if it still grows, that
// is relaxed by S(p) / (S(p) + S(p + dp)) until it does not.
// He gives no stopping rule and no bounds: it stops when a step changes neither S nor p, and a step
// beyond a bound ends at the bound.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "estimation/optimizers/local_fit.h"

namespace stiffit::internal {

// For least-squares objectives only.
LocalFit fit_gauss_newton(const Objective& objective, std::span<const double> start,
                          const LocalOptions& options);

}  // namespace stiffit::internal
