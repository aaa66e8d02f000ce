// Matching, Markowitz and AMD.
// SPDX-License-Identifier: Apache-2.0
#include "linear/ordering.h"

#include <suitesparse/amd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

#include "base/interrupt.h"

namespace stiffit::internal {
namespace {

// The pattern with its rows renamed to the column they are paired with: pivots on the diagonal.
Sparsity paired(const Sparsity& pattern, const std::vector<int>& row_of_column) {
  std::vector<int> name(pattern.n);
  for (int column = 0; column < pattern.n; ++column) name[row_of_column[column]] = column;
  Sparsity result = pattern;
  for (int& row : result.row) row = name[row];
  for (int column = 0; column < pattern.n; ++column)
    std::sort(result.row.begin() + result.column_start[column],
              result.row.begin() + result.column_start[column + 1]);
  return result;
}

PivotOrder with_rows(std::vector<int> columns, const std::vector<int>& row_of_column) {
  PivotOrder order;
  for (int column : columns) order.row.push_back(row_of_column[column]);
  order.column = std::move(columns);
  return order;
}

// A square matrix of bits, by rows.
class BitMatrix {
 public:
  explicit BitMatrix(int n) : words_((n + 63) / 64), bits_(std::size_t(n) * words_) {}
  int words() const { return words_; }
  std::uint64_t* row(int i) { return bits_.data() + std::size_t(i) * words_; }
  void set(int i, int j) { row(i)[j / 64] |= std::uint64_t{1} << (j % 64); }
  void clear(int i, int j) { row(i)[j / 64] &= ~(std::uint64_t{1} << (j % 64)); }
  template <class F>
  void for_each(int i, F f) {
    const std::uint64_t* bits = row(i);
    for (int w = 0; w < words_; ++w)
      for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1)
        f(w * 64 + std::countr_zero(rest));
  }

 private:
  int words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

std::vector<int> match_rows(const Sparsity& pattern) {
  const int n = pattern.n;
  std::vector<int> row_of_column(n, -1), column_of_row(n, -1);
  for (int column = 0; column < n; ++column) {
    const auto first = pattern.row.begin() + pattern.column_start[column];
    const auto last = pattern.row.begin() + pattern.column_start[column + 1];
    if (std::binary_search(first, last, column)) {
      row_of_column[column] = column;
      column_of_row[column] = column;
    }
  }
  // Shortest augmenting paths disturb the fewest diagonal pairs.
  std::vector<int> found_from(n), queue;
  for (int start = 0; start < n; ++start) {
    if (row_of_column[start] >= 0) continue;
    check_interrupt();
    std::fill(found_from.begin(), found_from.end(), -1);
    queue.assign(1, start);
    int free_row = -1;
    for (std::size_t head = 0; head < queue.size() && free_row < 0; ++head) {
      const int column = queue[head];
      for (int p = pattern.column_start[column]; p < pattern.column_start[column + 1]; ++p) {
        const int row = pattern.row[p];
        if (found_from[row] >= 0) continue;
        found_from[row] = column;
        if (column_of_row[row] < 0) {
          free_row = row;
          break;
        }
        queue.push_back(column_of_row[row]);
      }
    }
    while (free_row >= 0) {
      const int column = found_from[free_row];
      const int next = row_of_column[column];
      row_of_column[column] = free_row;
      column_of_row[free_row] = column;
      free_row = column == start ? -1 : next;
    }
  }
  int row = 0;
  for (int& partner : row_of_column) {
    if (partner >= 0) continue;
    while (column_of_row[row] >= 0) ++row;
    partner = row++;
  }
  return row_of_column;
}

PivotOrder markowitz_order(const Sparsity& pattern, const std::vector<int>& row_of_column) {
  const int n = pattern.n;
  const Sparsity matrix = paired(pattern, row_of_column);
  BitMatrix rows(n), columns(n);
  for (int j = 0; j < n; ++j) {
    rows.set(j, j);  // also where the pattern is structurally singular
    columns.set(j, j);
    for (int p = matrix.column_start[j]; p < matrix.column_start[j + 1]; ++p) {
      rows.set(matrix.row[p], j);
      columns.set(j, matrix.row[p]);
    }
  }
  std::vector<int> row_count(n, 0), column_count(n, 0), alive(n), order;
  for (int i = 0; i < n; ++i) {
    alive[i] = i;
    rows.for_each(i, [&](int) { ++row_count[i]; });
    columns.for_each(i, [&](int) { ++column_count[i]; });
  }
  while (!alive.empty()) {
    check_interrupt();
    auto cost = [&](int i) { return std::int64_t(row_count[i] - 1) * (column_count[i] - 1); };
    const auto best = std::min_element(alive.begin(), alive.end(),
                                       [&](int a, int b) { return cost(a) < cost(b); });
    const std::int64_t left = alive.size();
    if (cost(*best) == (left - 1) * (left - 1)) break;  // all full: any order is the same
    const int pivot = *best;
    alive.erase(best);
    order.push_back(pivot);
    rows.clear(pivot, pivot);
    columns.clear(pivot, pivot);
    const std::uint64_t* pivot_row = rows.row(pivot);
    columns.for_each(pivot, [&](int i) {
      rows.clear(i, pivot);
      --row_count[i];
      std::uint64_t* row = rows.row(i);
      for (int w = 0; w < rows.words(); ++w) {
        std::uint64_t fill = pivot_row[w] & ~row[w];
        row[w] |= fill;
        row_count[i] += std::popcount(fill);
        for (; fill != 0; fill &= fill - 1) {
          const int j = w * 64 + std::countr_zero(fill);
          columns.set(j, i);
          ++column_count[j];
        }
      }
    });
    rows.for_each(pivot, [&](int j) {
      columns.clear(j, pivot);
      --column_count[j];
    });
  }
  order.insert(order.end(), alive.begin(), alive.end());
  return with_rows(std::move(order), row_of_column);
}

namespace {

std::vector<int> amd(const Sparsity& matrix, double* info) {
  std::vector<int> order(matrix.n);
  if (matrix.n > 0 && amd_order(matrix.n, matrix.column_start.data(), matrix.row.data(),
                                order.data(), nullptr, info) < AMD_OK)
    throw std::bad_alloc();
  return order;
}

}  // namespace

PivotOrder minimum_degree_order(const Sparsity& pattern, const std::vector<int>& row_of_column) {
  return with_rows(amd(paired(pattern, row_of_column), nullptr), row_of_column);
}

double minimum_degree_fill(const Sparsity& pattern, const std::vector<int>& row_of_column) {
  double info[AMD_INFO] = {};
  amd(paired(pattern, row_of_column), info);
  return 2 * info[AMD_LNZ] + pattern.n;
}

}  // namespace stiffit::internal
