// The pattern of a sparse matrix by rows, columns ascending; any shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace stiffit::internal {

struct SparseRows {
  std::vector<int> row_start{0};
  std::vector<int> column;
  int rows() const { return static_cast<int>(row_start.size()) - 1; }
  std::size_t nonzeros() const { return column.size(); }
};

}  // namespace stiffit::internal
