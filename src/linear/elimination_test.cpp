// Orders and symbolic elimination on patterns whose answer is known.
// SPDX-License-Identifier: Apache-2.0
#include "linear/elimination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "linear/fill.h"

namespace stiffit::internal {
namespace {

Sparsity from_columns(const std::vector<std::vector<int>>& columns) {
  Sparsity pattern;
  pattern.n = static_cast<int>(columns.size());
  for (const auto& rows : columns) {
    pattern.row.insert(pattern.row.end(), rows.begin(), rows.end());
    pattern.column_start.push_back(pattern.nonzeros());
  }
  return pattern;
}

// Species 0 reacts with everything: eliminated first it fills the matrix, last it fills nothing.
Sparsity arrow(int n) {
  std::vector<std::vector<int>> columns(n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (i == 0 || j == 0 || i == j) columns[j].push_back(i);
  return from_columns(columns);
}

bool is_permutation_of(std::vector<int> values, int n) {
  std::sort(values.begin(), values.end());
  for (int i = 0; i < n; ++i)
    if (values[i] != i) return false;
  return static_cast<int>(values.size()) == n;
}

TEST(SystemMatrix, JoinsThePatternAndTheMasses) {
  const SystemMatrix matrix = system_matrix(from_columns({{1}, {1}, {0}}), {1, 2, 0});
  EXPECT_EQ(matrix.pattern.column_start, (std::vector{0, 2, 3, 4}));
  EXPECT_EQ(matrix.pattern.row, (std::vector{0, 1, 1, 0}));
  EXPECT_EQ(matrix.source, (std::vector{-1, 0, 1, 2}));
  EXPECT_EQ(matrix.mass, (std::vector{1.0, 0.0, 2.0, 0.0}));
  const double jacobian[] = {0, 3, 0, 5, 0, 7};  // the second of two lanes
  double values[4];
  gather_lane(matrix, 10, jacobian, 2, 1, values);
  EXPECT_EQ((std::vector(values, values + 4)), (std::vector{10.0, -3.0, 15.0, -7.0}));
}

TEST(Ordering, KeepsTheDiagonalWhereItExists) {
  EXPECT_EQ(match_rows(arrow(5)), (std::vector{0, 1, 2, 3, 4}));
}

TEST(Ordering, PairsAroundMissingDiagonals) {
  // Columns 1 and 2 lack their diagonal and must take each other's row; column 0 keeps its own.
  EXPECT_EQ(match_rows(from_columns({{0, 1}, {0, 2}, {1}})), (std::vector{0, 2, 1}));
  // The only way to pair column 1 is to move column 0 off its diagonal.
  EXPECT_EQ(match_rows(from_columns({{0, 1}, {0}})), (std::vector{1, 0}));
}

TEST(Ordering, CompletesAStructurallySingularPairing) {
  EXPECT_TRUE(is_permutation_of(match_rows(from_columns({{0}, {0}, {0, 2}})), 3));
}

TEST(Elimination, LeavesTheHubToTheEnd) {
  const int n = 20;
  const SystemMatrix matrix = system_matrix(arrow(n), {});
  const std::vector<int> rows = match_rows(matrix.pattern);
  EXPECT_EQ(eliminate(matrix, markowitz_order(matrix.pattern, rows)).fill(), 3 * n - 2);
  EXPECT_EQ(eliminate(matrix, minimum_degree_order(matrix.pattern, rows)).fill(), 3 * n - 2);
  PivotOrder natural{rows, rows};
  const Elimination full = eliminate(matrix, natural);
  EXPECT_EQ(full.fill(), n * n);
  double flops = 0;
  for (int left = n - 1; left >= 0; --left) flops += 1 + left + 2.0 * left * left;
  EXPECT_DOUBLE_EQ(full.flops, flops);
}

TEST(Elimination, CountsTheFillOfADirectElimination) {
  std::mt19937 random(5);
  const int n = 150;  // more than two words of bits
  std::vector<std::vector<int>> columns(n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (random() % 60 == 0) columns[j].push_back(i);
  const SystemMatrix matrix = system_matrix(from_columns(columns), {});
  const Elimination e = best_elimination(matrix);
  ASSERT_TRUE(is_permutation_of(e.order.row, n));
  ASSERT_TRUE(is_permutation_of(e.order.column, n));
  std::vector<std::vector<char>> a(n, std::vector<char>(n, 0));
  std::vector<int> row_position(n), column_position(n);
  for (int k = 0; k < n; ++k) {
    row_position[e.order.row[k]] = k;
    column_position[e.order.column[k]] = k;
  }
  for (int j = 0; j < n; ++j)
    for (int p = matrix.pattern.column_start[j]; p < matrix.pattern.column_start[j + 1]; ++p)
      a[row_position[matrix.pattern.row[p]]][column_position[j]] = 1;
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i)
      if (a[i][k])
        for (int j = k + 1; j < n; ++j) a[i][j] |= a[k][j];
  for (int i = 0; i < n; ++i) {
    std::vector<int> expected;
    for (int j = 0; j < n; ++j)
      if (a[i][j]) expected.push_back(j);
    EXPECT_EQ(std::vector(e.column.begin() + e.row_start[i], e.column.begin() + e.row_start[i + 1]),
              expected);
    EXPECT_EQ(e.column[e.diagonal[i]], i);
  }
  EXPECT_EQ(e.input.size(), matrix.source.size());
}

TEST(Elimination, FindsTheSameFillByBitsAndByLists) {
  std::mt19937 random(7);
  for (int n : {1, 2, 63, 64, 65, 200}) {
    std::vector<std::vector<int>> rows(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (random() % (n / 2 + 1) == 0) rows[i].push_back(j);
    Elimination bits, lists;
    bits.n = lists.n = n;
    find_fill_by_bits(rows, bits);
    find_fill_by_lists(rows, lists);
    EXPECT_EQ(bits.column, lists.column);
    EXPECT_EQ(bits.diagonal, lists.diagonal);
    EXPECT_EQ(bits.row_start, lists.row_start);
  }
}

TEST(Elimination, BoundsTheFillOfAnArrow) {
  const SystemMatrix matrix = system_matrix(arrow(20), {});
  EXPECT_EQ(minimum_degree_fill(matrix.pattern, match_rows(matrix.pattern)), 3 * 20 - 2);
}

TEST(Elimination, KnowsWhichEntriesNoPivotSees) {
  // A chain 0 -> 1 -> 2 is triangular; a loop is not.
  const SystemMatrix chain = system_matrix(from_columns({{0, 1}, {1, 2}, {2}}), {});
  for (const auto& input : best_elimination(chain).input)
    EXPECT_EQ(input.reaches_pivot, input.mass != 0);
  const SystemMatrix loop = system_matrix(from_columns({{0, 1}, {1, 2}, {0, 2}}), {});
  for (const auto& input : best_elimination(loop).input) EXPECT_TRUE(input.reaches_pivot);
}

}  // namespace
}  // namespace stiffit::internal
