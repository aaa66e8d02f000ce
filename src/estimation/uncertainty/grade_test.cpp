// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/grade.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimation/uncertainty/statistics.h"
#include "estimation/uncertainty/verdict.h"

namespace stiffit::internal {
namespace {

using enum Identifiability;

const EstimatedParameter rate{"k", -5, 5, 0, Scale::log10};
const EstimatedParameter offset{"off", -1, 1, 0, Scale::lin};

std::string words(double value, Limits limits, const EstimatedParameter& u) {
  return grade_words(grade_of(value, limits, u), value, limits, u.scale);
}

TEST(Grade, ByTheFactorOfTheFartherLimit) {
  EXPECT_EQ(words(2, {1.9, 2.1}, rate), "determined, within 5.3 %");
  EXPECT_EQ(words(2, {1.4, 2.8}, rate), "determined, within a factor of 1.43");
  EXPECT_EQ(words(2, {1, 2.8}, rate), "roughly determined, within a factor of 2");
  EXPECT_EQ(words(2, {0.1, 2.8}, rate), "poorly determined: known to a factor of 20");
  EXPECT_EQ(words(-2, {-2.1, -1.9}, offset), "determined, within +- 0.1");
  EXPECT_EQ(grade_of(1, {1 / 3.01, 1}, rate), poorly_determined);
  EXPECT_EQ(grade_of(1, {1 / 2.99, 1}, rate), roughly_determined);
}

// Never beyond a factor of three, on any scale and in any unit.
TEST(Grade, NothingIsDeterminedBeyondAFactorOfThree) {
  for (double unit : {1e-30, 1.0, 1e30})
    for (double f : {1.2, 1.6, 2.9, 3.1, 30.0, 1e6}) {
      const Identifiability grade = grade_of(unit, {unit / f, unit * 1.1}, rate);
      EXPECT_EQ(grade, f <= 1.5 ? determined : f <= 3 ? roughly_determined : poorly_determined);
    }
}

TEST(Grade, AroundZeroTheWidthBesideTheBoundsCounts) {
  EXPECT_EQ(words(0.01, {-0.03, 0.05}, offset), "determined: -0.03 to 0.05");
  EXPECT_EQ(words(0.01, {-0.3, 0.32}, offset), "roughly determined: -0.3 to 0.32");
  EXPECT_EQ(words(0.01, {-0.9, 0.92}, offset), "poorly determined: -0.9 to 0.92");
}

TEST(Grade, ASearchWithoutAMinimumIsNotJudged) {
  FitStatistics s;
  s.each.resize(2);
  leave_unjudged(s, "the limit of iterations was reached");
  for (const ParameterStatistics& u : s.each) {
    EXPECT_EQ(u.identifiability, not_judged);
    EXPECT_TRUE(std::isnan(u.limits.low) && std::isnan(u.limits.high));
  }
  EXPECT_NE(s.notes.back().find("limit of iterations"), std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
