// The order of pivots for an elimination without pivoting at run time: which row is paired with
// which column, and in which sequence, so that L + U stays sparse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "symbolic/sparsity.h"

namespace stiffit::internal {

// Pivot k stands in row[k], column[k].
struct PivotOrder {
  std::vector<int> row, column;
};

// The row paired with each column: a maximum transversal that keeps the diagonal wherever the
// pattern holds it, unless an entry elsewhere needs it. Columns of a structurally singular pattern
// that cannot be paired get one of the rows left over.
std::vector<int> match_rows(const Sparsity& pattern);

// Markowitz: always the pivot with the smallest (r - 1)(c - 1) in what is left, r and c counted on
// the true unsymmetric fill. Time grows as n times fill / 64.
PivotOrder markowitz_order(const Sparsity& pattern, const std::vector<int>& row_of_column);
// Approximate minimum degree on the symmetrised pattern (SuiteSparse AMD), for large patterns.
PivotOrder minimum_degree_order(const Sparsity& pattern, const std::vector<int>& row_of_column);
// A bound of the non-zeros of L + U with that order.
double minimum_degree_fill(const Sparsity& pattern, const std::vector<int>& row_of_column);

}  // namespace stiffit::internal
