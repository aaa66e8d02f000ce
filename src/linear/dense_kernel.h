// Dense LU with row pivoting of one matrix, by blocks, rows contiguous.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thresholds.h"
#include "compile/kernel.h"

namespace stiffit::internal {

// Doubles from one row to the next: whole vectors, and not a multiple of a page's worth, where
// the rows of a tile would fall on the same cache lines.
constexpr int dense_stride(int n) {
  const int whole = (n + 3) / 4 * 4;
  return whole % 64 == 0 ? whole + 4 : whole;
}

// Factors in place: `a` has n rows of dense_stride(n) doubles, aligned to 32 bytes, zero beyond
// column n. The diagonal is left as reciprocal pivots, pivot[k] is the row exchanged with row k.
// False if a pivot is zero, below floor[k] (may be null) or not finite. With more threads a large
// matrix is done sooner, to the same bits.
bool factor_dense(double* a, int n, int* pivot, const double* floor, Isa isa, int threads = 1,
                  double updates_for_threads = Thresholds{}.dense_updates_for_threads);
// b <- A^-1 b.
void solve_dense(const double* a, int n, const int* pivot, double* b, Isa isa);

}  // namespace stiffit::internal
