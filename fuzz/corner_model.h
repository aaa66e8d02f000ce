// Random models of the kinds at which integrators go wrong without a word, each with a second model
// that has the same solution and none of the difficulty.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stiffit::internal {

struct CornerModel {
  std::string kind;
  std::string text;                 // the difficult one
  std::string simple;               // the other
  std::vector<std::string> shared;  // variables of both
  double end = 1;
};

// Kinds take turns with the seed:
// fractional  substrates that are used up by laws of fractional order (simple: laws that are
//             linear below 1e-14 of the first amount)
// switches    rates that a periodic function of time turns on and off, some thousand periods or
//             narrow windows (simple: events at the times known in closed form)
// delays      pulses and steps that act after one or two delays (simple: shifted by hand)
CornerModel corner_model(std::uint64_t seed);
inline constexpr int corner_kinds = 3;

}  // namespace stiffit::internal
