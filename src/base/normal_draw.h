// Standard normal draws (Box and Muller), two uniform numbers each, so that what a seed gives never
// depends on a standard library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "base/splitmix.h"

namespace stiffit::internal {

inline double normal_draw(SplitMix& random) {
  const double radius = std::sqrt(-2 * std::log(random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

// A stream of its own for every (seed, number), whatever was drawn elsewhere.
inline SplitMix stream(std::uint64_t seed, std::uint64_t number) {
  SplitMix outer(seed);
  return SplitMix(outer.next() ^ (number * 0xD1B54A32D192ED03u));
}

}  // namespace stiffit::internal
