// The pattern of a sparse square matrix, by columns, rows ascending.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace stiffit::internal {

struct Sparsity {
  int n = 0;
  std::vector<int> column_start{0};  // n + 1 entries
  std::vector<int> row;              // row of each non-zero, ascending within a column
  int nonzeros() const { return static_cast<int>(row.size()); }
};

}  // namespace stiffit::internal
