// Small dense systems, as consistent values of algebraic equations and fast reactions need them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace stiffit {

// Elimination with row pivoting; false if singular. a is m x m by rows and is used up, b becomes
// the solution.
bool solve_dense(std::vector<double>& a, std::vector<double>& b);

}  // namespace stiffit
