// The patterns of the rows of L + U, for an elimination without pivoting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "linear/elimination.h"

namespace stiffit::internal {

// `rows` are the columns of each row of the matrix, ascending, both in pivot order. Fills
// row_start, column and diagonal of `result`, whose n is given. Both ways come to the same: one
// takes n^2 bits and fill * n / 64 operations, the other about fill * log(n).
void find_fill_by_bits(const std::vector<std::vector<int>>& rows, Elimination& result);
void find_fill_by_lists(const std::vector<std::vector<int>>& rows, Elimination& result);

}  // namespace stiffit::internal
