// What an elimination starts from and costs; the patterns themselves come from fill.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "linear/elimination.h"

#include <algorithm>

#include "base/interrupt.h"
#include "linear/fill.h"

namespace stiffit::internal {
namespace {

std::vector<int> inverse(const std::vector<int>& permutation) {
  std::vector<int> result(permutation.size());
  for (std::size_t k = 0; k < permutation.size(); ++k) result[permutation[k]] = static_cast<int>(k);
  return result;
}

// Slots whose NaN would reach a pivot. An L entry (i, p) spoils (i, c) for every c of U row p, a U
// entry (p, j) spoils (r, j) for every r of L column p: a slot reaches if it spoils a diagonal, or
// a slot that reaches. Those have a larger lower index, so p runs down.
std::vector<char> reaching_slots(const Elimination& e) {
  std::vector<std::vector<int>> lower(e.n);  // slots of the L columns
  std::vector<int> row_of(e.column.size());
  for (int i = 0; i < e.n; ++i) {
    check_interrupt();
    for (int s = e.row_start[i]; s < e.row_start[i + 1]; ++s) {
      row_of[s] = i;
      if (e.column[s] < i) lower[e.column[s]].push_back(s);
    }
  }
  std::vector<char> reaches(e.column.size(), 0);
  for (int slot : e.diagonal) reaches[slot] = 1;
  auto slot_at = [&](int i, int j) {
    return std::lower_bound(e.column.begin() + e.row_start[i],
                            e.column.begin() + e.row_start[i + 1], j) -
           e.column.begin();
  };
  for (int p = e.n - 1; p >= 0; --p) {
    check_interrupt();
    const int first = e.diagonal[p] + 1, last = e.row_start[p + 1];
    for (int l : lower[p]) {
      // The mirror entry settles most cases at once.
      const bool mirrored =
          std::binary_search(e.column.begin() + first, e.column.begin() + last, row_of[l]);
      if (mirrored) {
        reaches[l] = 1;
        continue;
      }
      for (int u = first; u < last && !reaches[l]; ++u)
        reaches[l] = reaches[slot_at(row_of[l], e.column[u])];
    }
    for (int u = first; u < last; ++u)
      for (std::size_t q = 0; q < lower[p].size() && !reaches[u]; ++q)
        reaches[u] = reaches[slot_at(row_of[lower[p][q]], e.column[u])];
  }
  return reaches;
}

void count_work(Elimination& result) {
  result.step_updates.assign(result.n, 0.0);
  result.flops = result.n;
  for (int i = 0; i < result.n; ++i) {
    check_interrupt();
    for (int s = result.row_start[i]; s < result.diagonal[i]; ++s) {
      const int k = result.column[s];
      const double updates = result.row_start[k + 1] - result.diagonal[k] - 1;
      result.step_updates[k] += updates;
      result.flops += 1 + 2 * updates;
    }
  }
}

// The entries of the matrix by rows, both in pivot order.
struct RowEntries {
  std::vector<std::vector<int>> column, entry;
};

RowEntries rows_of(const Sparsity& pattern, const PivotOrder& order) {
  const std::vector<int> position = inverse(order.row);
  RowEntries rows{std::vector<std::vector<int>>(pattern.n),
                  std::vector<std::vector<int>>(pattern.n)};
  for (int k = 0; k < pattern.n; ++k) {
    const int column = order.column[k];
    for (int p = pattern.column_start[column]; p < pattern.column_start[column + 1]; ++p) {
      const int row = position[pattern.row[p]];
      rows.column[row].push_back(k);  // ascending, as k does
      rows.entry[row].push_back(p);
    }
  }
  return rows;
}

// Fill and work only, to compare orders by.
Elimination outline(const Sparsity& pattern, PivotOrder order, const Thresholds& thresholds) {
  Elimination result;
  result.n = pattern.n;
  result.order = std::move(order);
  const RowEntries rows = rows_of(pattern, result.order);
  if (pattern.n <= thresholds.markowitz_states)
    find_fill_by_bits(rows.column, result);
  else
    find_fill_by_lists(rows.column, result);
  count_work(result);
  return result;
}

void attach_inputs(const SystemMatrix& matrix, Elimination& result) {
  const RowEntries rows = rows_of(matrix.pattern, result.order);
  const std::vector<char> reaches = reaching_slots(result);
  for (int i = 0; i < result.n; ++i) {
    check_interrupt();
    int slot = result.row_start[i];
    for (std::size_t q = 0; q < rows.column[i].size(); ++q) {
      while (result.column[slot] != rows.column[i][q]) ++slot;
      const int p = rows.entry[i][q];
      result.input.push_back({slot, matrix.source[p], matrix.mass[p], reaches[slot] != 0});
    }
    result.input_start.push_back(static_cast<int>(result.input.size()));
  }
}

}  // namespace

Elimination eliminate(const SystemMatrix& matrix, PivotOrder order, const Thresholds& thresholds) {
  Elimination result = outline(matrix.pattern, std::move(order), thresholds);
  attach_inputs(matrix, result);
  return result;
}

Elimination best_elimination(const SystemMatrix& matrix, const Thresholds& thresholds) {
  const std::vector<int> row_of_column = match_rows(matrix.pattern);
  Elimination best =
      outline(matrix.pattern, minimum_degree_order(matrix.pattern, row_of_column), thresholds);
  if (matrix.pattern.n <= thresholds.markowitz_states) {
    Elimination other =
        outline(matrix.pattern, markowitz_order(matrix.pattern, row_of_column), thresholds);
    if (other.flops <= best.flops) best = std::move(other);
  }
  attach_inputs(matrix, best);
  return best;
}

}  // namespace stiffit::internal
