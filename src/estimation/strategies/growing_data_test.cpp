// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/growing_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

using namespace stiffit::internal;

namespace {

FitProblem series(double period, double end) {
  FitProblem problem;
  problem.observables.emplace_back();
  for (double t = 0; t <= end; t += 0.25) {
    Measurement m;
    m.observable = m.experiment = 0;
    m.time = t;
    m.value = 3 + std::sin(2 * std::numbers::pi * t / period) + 0.05 * std::cos(40 * t);
    m.row = static_cast<int>(problem.measurements.size());
    problem.measurements.push_back(m);
  }
  return problem;
}

TEST(GrowingData, EndsAreTheTurnsOfOscillatingData) {
  const std::vector<double> ends = growing_ends(series(4, 12), 10);
  // Turns at 1, 3, 5, 7, 9 and 11; the first is no end.
  ASSERT_EQ(ends.size(), 5u);
  for (std::size_t k = 0; k < ends.size(); ++k)
    EXPECT_NEAR(ends[k], 3 + 2 * static_cast<double>(k), 0.3);
  EXPECT_EQ(growing_ends(series(4, 24), 4).size(), 4u);
  EXPECT_TRUE(growing_ends(series(4, 12), 0).empty());
}

TEST(GrowingData, NoneWithoutOscillation) {
  EXPECT_TRUE(growing_ends(series(12, 12)).empty());
  EXPECT_TRUE(growing_ends(FitProblem()).empty());
  FitProblem noise = series(4, 12);
  for (Measurement& m : noise.measurements) m.value = std::sin(1e3 * m.time * m.time);
  EXPECT_TRUE(growing_ends(noise).empty());
  FitProblem constant = series(4, 12);
  for (Measurement& m : constant.measurements) m.value = 1;
  EXPECT_TRUE(growing_ends(constant).empty());
}

TEST(GrowingData, MeasurementsUntilATime) {
  FitProblem problem = series(4, 12);
  problem.measurements[3].time = std::numeric_limits<double>::infinity();
  FitProblem whole;
  whole.parts = {problem, problem};
  const FitProblem cut = until(whole, 2);
  ASSERT_EQ(cut.parts.size(), 2u);
  EXPECT_EQ(cut.parts[0].measurements.size(), 9u);
  int row = 0;
  for (const FitProblem& part : cut.parts)
    for (const Measurement& m : part.measurements) {
      EXPECT_TRUE(m.time <= 2 || std::isinf(m.time));
      EXPECT_EQ(m.row, row++);
    }
}

}  // namespace
