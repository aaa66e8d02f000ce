// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/sparse_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "linear/aligned_array.h"

namespace stiffit::internal {
namespace {

SparseRows random_rows(int n, int per_row, std::mt19937& random) {
  SparseRows rows;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      if (static_cast<int>(random() % static_cast<unsigned>(n)) < per_row) rows.column.push_back(j);
    rows.row_start.push_back(static_cast<int>(rows.column.size()));
  }
  return rows;
}

// Both ways, straight-line code and tables, against the sum written down.
void compare(int n, int per_row, int lanes, Isa isa) {
  std::mt19937 random(7);
  const SparseRows a = random_rows(n, per_row, random), b = random_rows(n, 2, random);
  const auto width = static_cast<std::size_t>(lanes);
  auto numbers = [&](std::size_t count) {
    AlignedArray array(count);
    for (std::size_t i = 0; i < count; ++i)
      array[i] = std::ldexp(static_cast<double>(random() % 2048) - 1024, -8);
    return array;
  };
  const auto size = static_cast<std::size_t>(n) * width;
  AlignedArray out = numbers(size), x = numbers(size), y = numbers(size);
  AlignedArray in_a = numbers(a.nonzeros() * width), in_b = numbers(b.nonzeros() * width);
  std::vector<double> expected(out.data(), out.data() + size);
  auto add = [&](const SparseRows& rows, const AlignedArray& entries, const AlignedArray& from) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      for (auto e = static_cast<std::size_t>(rows.row_start[i]);
           e < static_cast<std::size_t>(rows.row_start[i + 1]); ++e)
        for (std::size_t l = 0; l < width; ++l)
          expected[i * width + l] +=
              entries[e * width + l] * from[static_cast<std::size_t>(rows.column[e]) * width + l];
  };
  add(a, in_a, x);
  add(b, in_b, y);
  double* const arrays[] = {out.data(), x.data(), in_a.data(), y.data(), in_b.data()};
  sparse_product({&a, &b}, lanes, isa)(arrays);
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(out[i], expected[i]) << i;  // exact in doubles
}

TEST(SparseProduct, AddsTheProducts) {
  for (Isa isa : possible_isas())
    for (int lanes : {4, 8}) {
      compare(1, 1, lanes, isa);
      compare(13, 3, lanes, isa);
    }
}

TEST(SparseProduct, LargeMatricesRunFromTables) { compare(150, 90, 4, best_isa()); }

}  // namespace
}  // namespace stiffit::internal
