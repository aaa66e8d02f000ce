// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/identifiable_combinations.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linear/dense/decompositions.h"

using namespace stiffit::internal;

namespace {

// The covariance of a cloud that is wide but for some directions (rows), with these errors.
Eigen::MatrixXd ensemble(const Eigen::MatrixXd& directions, const std::vector<double>& errors) {
  const Eigen::Index n = directions.cols();
  Eigen::MatrixXd information = Eigen::MatrixXd::Identity(n, n) * 0.25;  // two each
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const Eigen::VectorXd d = directions.row(k).transpose();
    information += d * d.transpose() / (errors[k] * errors[k]);
  }
  return inverse(information);
}

TEST(Combinations, RatiosAndProductsAreFound) {
  Eigen::MatrixXd tight(2, 4);
  tight << 1, -1, 0, 0, 0, 0, 1, 1;
  Eigen::VectorXd values(4);
  values << 6, 3, 2, 5;
  const auto found =
      identifiable_combinations({"a", "b", "c", "d"}, values, ensemble(tight, {0.01, 0.02}), 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].words, "a/b = 2, within 2 %");
  EXPECT_NEAR(found[0].error, 0.01, 1e-4);
  EXPECT_EQ(found[1].words.substr(0, 8), "c*d = 10");
}

TEST(Combinations, LongerOnesAndNothingTwice) {
  Eigen::MatrixXd three(1, 3);
  three << 1, -2, 1;
  Eigen::VectorXd values(3);
  values << 8, 2, 4;
  auto found = identifiable_combinations({"a", "b", "c"}, values, ensemble(three, {0.01}), 2);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].error, 0.01 * std::fabs(found[0].exponents[0].second), 2e-3);
  EXPECT_NE(found[0].words.find("b"), std::string::npos);
  // Two ratios of three say the third.
  Eigen::MatrixXd ratios(2, 3);
  ratios << 1, -1, 0, 0, 1, -1;
  found = identifiable_combinations({"a", "b", "c"}, values, ensemble(ratios, {0.01, 0.01}), 2);
  EXPECT_EQ(found.size(), 2u);
}

TEST(Combinations, WhatIsDeterminedAloneNeedsNone) {
  Eigen::VectorXd values(2);
  values << 1, 1;
  const Eigen::MatrixXd both = Eigen::MatrixXd::Identity(2, 2);
  EXPECT_TRUE(identifiable_combinations({"a", "b"}, values, ensemble(both, {0.1, 0.1}), 2).empty());
  EXPECT_TRUE(identifiable_combinations({"a", "b"}, values, ensemble(both, {}), 2).empty());
}

}  // namespace
