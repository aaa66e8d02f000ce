// Small dense systems with row pivoting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace stiffit {

// b <- a^-1 b; a is m x m and b m x columns, both by rows. False if a is singular.
bool solve_dense(std::vector<double>& a, std::vector<double>& b, std::size_t m,
                 std::size_t columns);

}  // namespace stiffit
