// SPDX-License-Identifier: Apache-2.0
#include "integrate/step_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiffit {
namespace {

TEST(RoughRoot, IsCloseToTheRoot) {
  for (int order = 1; order <= 7; ++order)
    for (double x = 1e-30; x < 1e30; x *= 3.7)
      EXPECT_NEAR(rough_root(x, order) / std::pow(x, 1.0 / order), 1, 3e-4) << x << " " << order;
}

TEST(RoughRoot, EndsForEveryNumber) {
  EXPECT_EQ(rough_root(0, 3), 0);
  EXPECT_EQ(rough_root(std::nan(""), 3), 0);
  const double tiny = rough_root(std::numeric_limits<double>::denorm_min(), 2);
  EXPECT_GT(tiny, 0);
  EXPECT_LT(tiny, 1e-140);
  EXPECT_EQ(rough_root(1e-290, 2), tiny);
  EXPECT_GT(rough_root(std::numeric_limits<double>::infinity(), 2), 1e140);
  EXPECT_GT(rough_root(1e290, 2), 1e140);
}

}  // namespace
}  // namespace stiffit
