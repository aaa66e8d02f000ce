// The order of a Taylor step for a tolerance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ode/options.h"

namespace stiffit::internal {

// Jorba and Zou: with steps a factor e^2 inside the radius of convergence each order gains two
// digits of ln, and order -ln(tolerance)/2 makes the work per time least.
inline int taylor_order(const IntegrationOptions& options) {
  constexpr int lowest = 4, highest = 30;
  if (options.max_order > 0) return std::min(options.max_order, highest);
  const double order = std::ceil(-0.5 * std::log(options.rtol)) + 1;
  return static_cast<int>(std::clamp(order, double{lowest}, double{highest}));
}

}  // namespace stiffit::internal
