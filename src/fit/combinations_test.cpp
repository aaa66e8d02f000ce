// SPDX-License-Identifier: Apache-2.0
#include "fit/combinations.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace stiffit;

namespace {

// Directions with small spreads in a cloud that is wide otherwise.
Eigen::MatrixXd cloud(Eigen::Index n,
                      const std::vector<std::pair<Eigen::VectorXd, double>>& tight) {
  Eigen::MatrixXd information = Eigen::MatrixXd::Identity(n, n) * 0.25;  // two each
  for (auto& [direction, error] : tight)
    information += direction * direction.transpose() / (error * error);
  return information.inverse();
}

TEST(Combinations, RatiosAndProductsAreFound) {
  Eigen::VectorXd ratio(4), product(4), values(4);
  ratio << 1, -1, 0, 0;
  product << 0, 0, 1, 1;
  values << 6, 3, 2, 5;
  const auto found = determined_combinations({"a", "b", "c", "d"}, values,
                                             cloud(4, {{ratio, 0.01}, {product, 0.02}}), 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].words, "a/b = 2, within 2 %");
  EXPECT_NEAR(found[0].error, 0.01, 1e-4);
  EXPECT_EQ(found[1].words.substr(0, 8), "c*d = 10");
}

TEST(Combinations, LongerOnesAndNothingTwice) {
  Eigen::VectorXd three(3), values(3);
  three << 1, -2, 1;
  values << 8, 2, 4;
  auto found = determined_combinations({"a", "b", "c"}, values, cloud(3, {{three, 0.01}}), 2);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].error, 0.01 * std::fabs(found[0].exponents[0].second), 2e-3);
  EXPECT_TRUE(found[0].words.find("b") != std::string::npos);
  // Two ratios of three say the third.
  Eigen::VectorXd ab(3), bc(3);
  ab << 1, -1, 0;
  bc << 0, 1, -1;
  found = determined_combinations({"a", "b", "c"}, values, cloud(3, {{ab, 0.01}, {bc, 0.01}}), 2);
  EXPECT_EQ(found.size(), 2u);
}

TEST(Combinations, WhatIsDeterminedAloneNeedsNone) {
  Eigen::VectorXd a(2), b(2), values(2);
  a << 1, 0;
  b << 0, 1;
  values << 1, 1;
  EXPECT_TRUE(
      determined_combinations({"a", "b"}, values, cloud(2, {{a, 0.1}, {b, 0.1}}), 2).empty());
  EXPECT_TRUE(determined_combinations({"a", "b"}, values, cloud(2, {}), 2).empty());
}

}  // namespace
