// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/matrix_policy.h"

#include <gtest/gtest.h>

#include "base/thresholds.h"

namespace stiffit::internal {
namespace {

TEST(MatrixPolicy, RenewsEarlyWhereItIsCheap) {
  const MatrixPolicy policy = matrix_policy(0.99 * Thresholds{}.jacobian_reuse_threshold);
  EXPECT_TRUE(policy.keeps_jacobian);
  EXPECT_EQ(policy.most_extra, 0);  // a second iteration is reason enough
}

TEST(MatrixPolicy, SpendsOnIterationsWhatAFactorisationWouldCost) {
  const MatrixPolicy cheap = matrix_policy(0), dear = matrix_policy(150);
  EXPECT_FALSE(dear.keeps_jacobian);
  EXPECT_EQ(dear.most_extra, 150);
  EXPECT_LT(dear.newton_share, cheap.newton_share);
  EXPECT_GT(dear.largest_drift, cheap.largest_drift);
  EXPECT_LT(dear.smallest_drift, cheap.smallest_drift);
  EXPECT_LT(dear.slowest, 1);  // or what is left after the last iteration could not be told
}

TEST(MatrixPolicy, KnowsWhatFillsUp) {
  const int n = 1000;
  const double dense = iterations_per_factorisation(2.0 / 3 * n * n * n, long(n) * n, 10 * n);
  const double banded = iterations_per_factorisation(10.0 * n, 3L * n, 3 * n);
  EXPECT_GT(dense, 100);
  EXPECT_LT(banded, 1);
}

}  // namespace
}  // namespace stiffit::internal
