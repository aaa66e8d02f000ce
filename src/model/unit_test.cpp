// SPDX-License-Identifier: Apache-2.0
#include "model/unit.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace stiffit::internal {
namespace {

Unit unit(std::string_view text) {
  auto parsed = Model().unit_named(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(Unit{});
}

TEST(Unit, WrittenInDifferentWaysAreTheSame) {
  EXPECT_TRUE(same_unit(unit("1e-3 mole/litre"), unit("mole*metre^-3")));
  EXPECT_TRUE(same_unit(unit("katal"), unit("moles/second")));
  EXPECT_TRUE(same_unit(unit("1 item / 86400 seconds"), unit("item/(86400 second)")));
  EXPECT_TRUE(same_unit(unit("volt*ampere"), unit("watt")));
  EXPECT_TRUE(same_unit(unit("(mole^2)^0.5"), unit("mole")));
  EXPECT_TRUE(same_unit(unit("5 litre^2"), unit("5*litre*litre")));
}

TEST(Unit, DifferencesAreSeen) {
  EXPECT_FALSE(same_unit(unit("1e-3 mole"), unit("mole")));
  EXPECT_TRUE(same_dimension(unit("1e-3 mole"), unit("mole")));
  EXPECT_FALSE(same_dimension(unit("item"), unit("mole")));
  EXPECT_FALSE(is_dimensionless(unit("second")));
  EXPECT_TRUE(is_dimensionless(unit("radian")));
  EXPECT_TRUE(is_spatial(unit("mole/litre")));
  EXPECT_FALSE(is_spatial(unit("mole")));
}

TEST(Unit, TextReadsBack) {
  for (const char* text : {"1e-9 mole/litre", "1/second", "metre^2/second", "60 second",
                           "dimensionless", "0.01 dimensionless", "gram*metre^1.5/(mole*second^2)",
                           "1/(litre*second)", "1e12 item/litre"})
    EXPECT_TRUE(same_unit(unit(unit_text(unit(text))), unit(text))) << unit_text(unit(text));
  EXPECT_EQ(unit_text(unit("1e-3 mole/liter")), "0.001 mole/litre");
  EXPECT_EQ(unit_text(unit("1/second")), "1/second");
}

TEST(Unit, WhatIsNoUnitIsRefused) {
  for (const char* text : {"", "mole+litre", "mole^", "(mole", "mole)", "3 4", "nonsense", "mole^x",
                           "mole//litre", "^2", "1e200 litre*1e200 litre", "(1e200 mole)^2",
                           "mole^1e999", "1e-200*1e-200 mole", "0 mole"})
    EXPECT_FALSE(Model().unit_named(text)) << text;
  EXPECT_FALSE(Model().unit_named(std::string(100000, '(') + "mole"));
}

}  // namespace
}  // namespace stiffit::internal
