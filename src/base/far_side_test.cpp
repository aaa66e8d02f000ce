// SPDX-License-Identifier: Apache-2.0
#include "base/far_side.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffit::internal {
namespace {

TEST(FarSide, IsBeyondTheChangeAndNextToIt) {
  const auto positive = [](double x) { return x > 0; };
  for (double root : {1e-12, 0.1, 1.0 / 3, 0.77, 1 - 1e-12})
    for (double power : {1.0, 3.0, 0.2}) {
      int calls = 0;
      const auto f = [&](double x) {
        ++calls;
        return std::copysign(std::pow(std::fabs(x - root), power), x - root);
      };
      const double found = far_side(0, f(0), 1, f(1), 1e-15, f, positive);
      EXPECT_GE(found, root);
      EXPECT_LE(found, root + 2e-15);
      EXPECT_LT(calls, 103);
    }
  // A jump, and a zero that counts as beyond.
  const auto jump = [](double x) { return x < 0.4 ? -1e-300 : 1e300; };
  EXPECT_NEAR(far_side(0, jump(0), 1, jump(1), 1e-15, jump, positive), 0.4, 2e-15);
  const auto falls = [](double x) { return std::fmax(0.5 - x, 0.0); };
  const double gone = far_side(0, 0.5, 1, 0, 1e-15, falls, [](double x) { return x <= 0; });
  EXPECT_EQ(falls(gone), 0);
}

}  // namespace
}  // namespace stiffit::internal
