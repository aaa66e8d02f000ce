// Random models of the kinds at which integrators go wrong without a word, each with a second model
// that has the same solution and none of the difficulty.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stiffit::internal {

// A variable of the model and what it is in the other one: factor * other, or factor * exp(other).
struct SameVariable {
  std::string name, other;
  double factor = 1;
  bool logarithm = false;
};

struct CornerModel {
  std::string kind;
  std::string text;    // the difficult one
  std::string simple;  // the other
  std::vector<SameVariable> same;
  double end = 1;
};

// Kinds take turns with the seed:
// units       a network whose species are written in units of 10^-30 to 10^30 of each other
//             (simple: all of one size)
// regrowth    species that fall to 1e-6..1e-14 of their maximum and grow again: cells under doses
//             of a drug, predators and prey (simple: logarithms of the cells)
// fractional  substrates that are used up by laws of fractional order (simple: laws that are
//             linear below 1e-14 of the first amount)
// switches    rates that a periodic function of time turns on and off, some thousand periods or
//             narrow windows (simple: events at the times known in closed form)
// delays      pulses and steps that act after one or two delays (simple: shifted by hand)
CornerModel corner_model(std::uint64_t seed);
inline constexpr int corner_kinds = 5;

}  // namespace stiffit::internal
