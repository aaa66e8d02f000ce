// The symbolic LU of d M - J on a fixed pivot order: where L and U have entries, what they start
// from, and what the elimination costs. Both the generated code and the table-driven one follow it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/thresholds.h"
#include "linear/ordering.h"
#include "linear/system_matrix.h"

namespace stiffit::internal {

// Rows of L + U follow each other in pivot order; a row's entries ("slots") stand in ascending
// column order: first L (unit diagonal not stored), then the diagonal, kept as the reciprocal
// pivot, then U.
struct Elimination {
  struct Input {  // slot starts as mass * d - jacobian[source]
    int slot;
    int source;  // -1: none
    double mass;
    bool reaches_pivot;  // false: NaN here would not show in any pivot
  };

  int n = 0;
  PivotOrder order;
  std::vector<int> row_start{0};  // n + 1 slots
  std::vector<int> column;        // of each slot, in pivot order
  std::vector<int> diagonal;      // slot of each row's diagonal
  std::vector<int> input_start{0};
  std::vector<Input> input;          // by rows, slots ascending
  std::vector<double> step_updates;  // multiply-subtracts made with each pivot
  double flops = 0;

  long fill() const { return static_cast<long>(column.size()); }
  bool permutes() const { return order.row != order.column; }
};

Elimination eliminate(const SystemMatrix& matrix, PivotOrder order,
                      const Thresholds& thresholds = {});
// With the better of the orders at hand.
Elimination best_elimination(const SystemMatrix& matrix, const Thresholds& thresholds = {});

}  // namespace stiffit::internal
