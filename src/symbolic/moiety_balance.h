// Every reaction says that the weights of what it uses and makes balance; here these equations are
// solved for the weights.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace stiffit::internal {

using Combination = std::vector<std::pair<int, double>>;  // index ascending, never zero

// a + factor*b; what rounding leaves of a zero is zero.
Combination plus(const Combination& a, double factor, const Combination& b);
void scale(Combination& c, double factor);

// A basis of the weights of states that satisfy all equations: sum of coefficient * weight = 0.
std::vector<Combination> solve_balance(std::size_t states,
                                       const std::vector<Combination>& equations);

}  // namespace stiffit::internal
