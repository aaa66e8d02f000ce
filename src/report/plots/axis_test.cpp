// SPDX-License-Identifier: Apache-2.0
#include "report/plots/axis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffit::internal {
namespace {

std::vector<std::string> labels(const Axis& axis, int wanted = 6) {
  std::vector<std::string> list;
  for (const Tick& tick : axis.ticks(wanted))
    if (!tick.label.empty()) list.push_back(tick.label);
  return list;
}

TEST(Axis, TicksAreRoundNumbers) {
  EXPECT_EQ(labels({AxisScale::linear, 0, 40}),
            (std::vector<std::string>{"0", "10", "20", "30", "40"}));
  EXPECT_EQ(labels({AxisScale::linear, -0.31, 0.3}, 4),
            (std::vector<std::string>{"-0.2", "0", "0.2"}));
  EXPECT_EQ(labels({AxisScale::logarithmic, 0.5, 2e5}),
            (std::vector<std::string>{"1", "10", "100", "1000", "1e4", "1e5"}));
  EXPECT_EQ(labels({AxisScale::logarithmic, 1e-12, 1}, 4),
            (std::vector<std::string>{"1e-12", "1e-8", "1e-4", "1"}));
  EXPECT_EQ(labels({AxisScale::symmetric, -150, 2}, 6),
            (std::vector<std::string>{"0", "-1", "-10", "-100", "1"}));
}

TEST(Axis, PlacesAndValuesBelongTogether) {
  for (const Axis& axis : {Axis(AxisScale::linear, -3, 9), Axis(AxisScale::logarithmic, 1e-3, 50),
                           Axis(AxisScale::symmetric, -1e4, 20)}) {
    EXPECT_NEAR(axis.place(axis.low()), 0, 1e-12);
    EXPECT_NEAR(axis.place(axis.high()), 1, 1e-12);
    for (double share : {0.1, 0.5, 0.77})
      EXPECT_NEAR(axis.place(axis.value_at(share)), share, 1e-9);
  }
}

TEST(Axis, MendsWhatCannotBeShown) {
  for (AxisScale scale : {AxisScale::linear, AxisScale::logarithmic, AxisScale::symmetric})
    for (auto [low, high] : {std::pair{0.0, 0.0},
                             {NAN, NAN},
                             {INFINITY, -INFINITY},
                             {5.0, 5.0},
                             {-1.0, 10.0},
                             {1e300, 1e300}}) {
      const Axis axis(scale, low, high);
      EXPECT_TRUE(std::isfinite(axis.place(1))) << low << " " << high;
      EXPECT_LT(axis.low(), axis.high());
      EXPECT_LT(axis.ticks(6).size(), 200u);
    }
  const Axis around = axis_around(AxisScale::logarithmic, {0, -3, NAN, INFINITY, 10, 1000});
  EXPECT_GT(around.low(), 1);
  EXPECT_LT(around.high(), 1e4);
  EXPECT_FALSE(around.shows(0));
}

}  // namespace
}  // namespace stiffit::internal
