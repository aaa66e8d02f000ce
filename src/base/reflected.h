// A number mirrored at the bounds until it lies between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace stiffit::internal {

inline double reflected(double x, double lower, double upper) {
  const bool below = std::isfinite(lower), above = std::isfinite(upper);
  if (below && above) {
    const double width = upper - lower;
    if (!(width > 0)) return lower;
    double place = std::fmod(x - lower, 2 * width);
    if (place < 0) place += 2 * width;
    return lower + (place > width ? 2 * width - place : place);
  }
  if (below && x < lower) return 2 * lower - x;
  if (above && x > upper) return 2 * upper - x;
  return x;
}

}  // namespace stiffit::internal
