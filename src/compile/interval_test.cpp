// Whatever a function gives at points of its arguments lies within its bounds over them.
// SPDX-License-Identifier: Apache-2.0
#include "compile/interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/splitmix.h"
#include "compile/interval_tape.h"

namespace stiffit::internal {
namespace {

// From tiny to large, both signs, now and then a whole number.
double draw(SplitMix& random) {
  const double size = std::pow(10, 8 * random.unit() - 5);
  const double x = random.chance(50) ? size : -size;
  return random.chance(20) ? std::round(x) : x;
}

TEST(Interval, HoldsTheValuesOfEveryFunction) {
  SplitMix random(5);
  long looked = 0;
  for (int op = static_cast<int>(Op::neg); op <= static_cast<int>(Op::select); ++op) {
    const Op function = static_cast<Op>(op);
    for (int trial = 0; trial < 400; ++trial) {
      Interval x[3];
      for (Interval& part : x) {
        const double a = draw(random), b = random.chance(20) ? a : a + std::fabs(draw(random));
        part = {a, b, false};
      }
      const Interval bounds = bounds_of(function, x[0], x[1], x[2]);
      for (int k = 0; k < 20; ++k) {
        double at[3];
        for (int i = 0; i < 3; ++i) {
          const double share = k == 0 ? 0 : k == 1 ? 1 : random.unit();
          at[i] = std::min(x[i].low + share * (x[i].high - x[i].low), x[i].high);
        }
        const double value = evaluate(function, at[0], at[1], at[2]);
        if (!std::isfinite(value)) continue;
        ++looked;
        EXPECT_TRUE(bounds.contains(value))
            << name_of(function) << " of " << at[0] << ", " << at[1] << " in [" << x[0].low << ", "
            << x[0].high << "], [" << x[1].low << ", " << x[1].high << "]: " << value << " not in ["
            << bounds.low << ", " << bounds.high << "]";
      }
    }
  }
  EXPECT_GT(looked, 200000);
}

// Where there is no break, a slope that is never negative means a function that never falls: the
// bounds of narrow pieces close in on the function.
TEST(Interval, ClosesInOnTheFunction) {
  const Interval wide = bounds_of(Op::sin, {0, 3, false}, {}, {});
  EXPECT_EQ(wide.high, 1);
  EXPECT_LT(wide.low, 1e-15);
  for (double x : {0.1, 1.5, 30.0, 1e5}) {
    const Interval narrow = bounds_of(Op::sin, {x, x + 1e-9, false}, {}, {});
    EXPECT_LT(narrow.high - narrow.low, 1e-8);
  }
  EXPECT_TRUE(bounds_of(Op::sqrt, {-1, 1, false}, {}, {}).broken);
  EXPECT_TRUE(bounds_of(Op::tan, {1, 2, false}, {}, {}).broken);
  EXPECT_FALSE(bounds_of(Op::tan, {1, 1.5, false}, {}, {}).broken);
  EXPECT_TRUE(bounds_of(Op::ln, {-2, -1, false}, {}, {}).empty());
}

TEST(Interval, ZerosStayZero) {
  const Interval product = Interval{-3, 7, false} * Interval::at(0);
  EXPECT_EQ(product.low, 0);
  EXPECT_EQ(product.high, 0);
  const Interval difference = Interval::at(0.3) - Interval::at(0.3);
  EXPECT_TRUE(difference.is_point());
}

TEST(IntervalTape, RunsThroughTimeAndStates) {
  Tape tape;  // t*t - 2*s + p
  const Value t = tape.load(0, 0), s = tape.load(1, 3), p = tape.load(2, 1);
  tape.store(3, 0, tape.add(tape.fnma(tape.constant(2), s, tape.mul(t, t)), p));
  const IntervalTape made(tape);
  EXPECT_EQ(made.states(), std::vector<int>{3});
  EXPECT_EQ(made.parameters(), std::vector<int>{1});
  std::vector<Interval> scratch;
  const double states[] = {0, 0, 0, 5}, parameters[] = {0, 0.5};
  Interval result;
  made.run({-1, 2, false}, states, parameters, &result, scratch);
  EXPECT_EQ(result.low, -9.5);  // a square is not negative
  EXPECT_NEAR(result.high, -5.5, 1e-13);
  made.run({-1, 2, false}, {{4, 5, false}}, parameters, &result, scratch);
  EXPECT_EQ(result.low, -9.5);
  EXPECT_NEAR(result.high, -3.5, 1e-13);
}

}  // namespace
}  // namespace stiffit::internal
