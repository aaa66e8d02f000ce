// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/affine_block.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace stiffit::internal;

namespace {

// measurement ~ offset + scale * x, compared as logarithms.
AffineBlock block_of(const std::vector<double>& x, const std::vector<double>& measured) {
  AffineBlock block;
  block.low = {1e-5, 1e-5};
  block.high = {1e3, 1e3};
  block.values = {1, 1};
  for (std::size_t i = 0; i < x.size(); ++i)
    block.rows.push_back({Transformation::log10, measured[i], 0, 0.1, {1, x[i]}});
  return block;
}

double squares(const AffineBlock& block) {
  double sum = 0;
  for (const AffineRow& row : block.rows) {
    double h = row.base;
    for (std::size_t j = 0; j < row.slopes.size(); ++j) h += row.slopes[j] * block.values[j];
    const double gap = row.transformation == Transformation::none
                           ? h - row.measurement
                           : std::log10(h) - std::log10(row.measurement);
    sum += std::pow(gap / row.noise, 2);
  }
  return sum;
}

// No neighbour within the bounds is better.
void expect_best(const AffineBlock& block) {
  const double best = squares(block);
  for (std::size_t j = 0; j < block.values.size(); ++j)
    for (double factor : {0.9, 0.9999, 1.0001, 1.1}) {
      AffineBlock other = block;
      other.values[j] = std::clamp(block.values[j] * factor, block.low[j], block.high[j]);
      EXPECT_GE(squares(other), best * (1 - 1e-12) - 1e-20) << j << " " << factor;
    }
}

TEST(AffineBlock, ExactDataAreMet) {
  const std::vector<double> x{0.1, 1, 5, 30, 200};
  std::vector<double> m;
  for (double xi : x) m.push_back(0.02 + 3 * xi);
  AffineBlock block = block_of(x, m);
  block.solve(true);
  EXPECT_NEAR(block.values[0], 0.02, 1e-8);
  EXPECT_NEAR(block.values[1], 3, 1e-7);
}

TEST(AffineBlock, NoisyDataFromTwoSides) {
  const std::vector<double> x{0.1, 1, 2, 5, 30, 40}, m{0.5, 3.5, 4, 20, 60, 170};
  AffineBlock block = block_of(x, m);
  block.solve(true);
  expect_best(block);
  AffineBlock again = block_of(x, m);
  again.values = {100, 1e-4};
  again.solve(false);
  EXPECT_NEAR(again.values[0], block.values[0], 1e-6);
  EXPECT_NEAR(again.values[1], block.values[1], 1e-6);
}

TEST(AffineBlock, BoundsHold) {
  // Falling data against a rising curve: the scale goes to its bound, the offset to the mean.
  AffineBlock block = block_of({1, 2, 3, 4}, {4, 3, 2, 1});
  block.solve(true);
  EXPECT_DOUBLE_EQ(block.values[1], 1e-5);
  EXPECT_NEAR(block.values[0], std::pow(24, 0.25), 1e-4);
  expect_best(block);
  AffineBlock narrow = block_of({1, 2, 3, 4}, {40, 80, 120, 160});
  narrow.high[1] = 20;
  narrow.solve(true);
  EXPECT_DOUBLE_EQ(narrow.values[1], 20);
  expect_best(narrow);
}

TEST(AffineBlock, ACurveThatDoesNotMove) {
  AffineBlock block = block_of({2, 2, 2}, {1, 2, 4});
  block.solve(true);
  EXPECT_NEAR(block.values[0] + 2 * block.values[1], 2, 1e-7);
}

TEST(AffineBlock, PlainAndLogarithmicRowsTogether) {
  AffineBlock block = block_of({1, 2, 5}, {1.5, 2.2, 6});
  block.rows.push_back({Transformation::none, 11.5, 0.5, 0.3, {1, 10}});
  block.solve(true);
  expect_best(block);
}

}  // namespace
