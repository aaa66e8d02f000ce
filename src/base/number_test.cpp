// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiffit::internal {
namespace {

TEST(Number, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("+2"), 2.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("-INF"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_number("NaN").value()));
  EXPECT_EQ(parse_number("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("1e-999"), 0.0);
}

TEST(Number, RefusesTheRest) {
  for (const char* text : {"", "+", "+-1", "1,5", "0x10", "1e", "1 ", " 1", "abc"})
    EXPECT_FALSE(parse_number(text).has_value()) << text;
}

TEST(Number, RoundTripsEveryDouble) {
  for (double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789.0})
    EXPECT_EQ(parse_number(format_number(value)), value);
}

}  // namespace
}  // namespace stiffit::internal
