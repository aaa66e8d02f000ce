// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/step_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiffit::internal {
namespace {

TEST(RoughRoot, IsGoodToOneInThreeThousand) {
  for (int order = 1; order <= 6; ++order)
    for (double power = -200; power <= 200; power += 0.0371) {
      const double x = std::pow(10.0, power);
      ASSERT_NEAR(rough_root(x, order) / std::pow(x, 1.0 / order), 1, 3e-4) << x << " " << order;
    }
}

TEST(RoughRoot, TakesWhatAnErrorEstimateMayBe) {
  EXPECT_EQ(rough_root(0, 5), 0);
  EXPECT_GT(rough_root(5e-324, 5), 0);
  EXPECT_LT(rough_root(5e-324, 5), 1e-50);
  EXPECT_GT(rough_root(std::numeric_limits<double>::infinity(), 5), 1e50);
  EXPECT_TRUE(std::isfinite(rough_root(std::numeric_limits<double>::infinity(), 5)));
}

TEST(StepControl, FollowsTheError) {
  StepControl control;
  EXPECT_NEAR(control.after_accept(1, std::pow(0.5, 5), 5), 0.9 / 0.5, 1e-3);
  EXPECT_NEAR(StepControl().after_reject(1, std::pow(2.0, 5), 5), 0.9 / 2, 1e-3);
}

TEST(StepControl, StaysWithinItsBounds) {
  EXPECT_NEAR(StepControl().after_accept(1, 0, 5), 6, 1e-9);
  EXPECT_NEAR(StepControl().after_reject(1, 1e30, 5), 0.2, 1e-9);
  // A rejected step is always followed by a smaller one.
  EXPECT_LT(StepControl().after_reject(1, 1.0000001, 5), 0.95);
  EXPECT_EQ(StepControl().after_reject(1, std::nan(""), 5), 0.25);
}

TEST(StepControl, DoesNotGrowRightAfterARejection) {
  StepControl control;
  control.after_reject(1, 10, 5);
  EXPECT_LE(control.after_accept(0.5, 1e-6, 5), 0.5);
  EXPECT_GT(control.after_accept(0.5, 1e-6, 5), 0.5);
}

TEST(StepControl, ForeseesGrowingErrors) {
  // The error grew from 0.1 to 0.8 at the same step: it will grow again, so the step shrinks more
  // than the error alone would ask.
  StepControl wary, plain;
  wary.after_accept(1, 0.1, 5);
  EXPECT_LT(wary.after_accept(1, 0.8, 5), plain.after_accept(1, 0.8, 5));
}

}  // namespace
}  // namespace stiffit::internal
