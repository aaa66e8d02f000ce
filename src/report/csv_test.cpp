// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include <gtest/gtest.h>

#include <limits>

namespace stiffit::internal {
namespace {

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_cell("S1"), "S1");
  EXPECT_EQ(csv_cell("A(b,c)"), "\"A(b,c)\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, WritesShortestNumbersThatReadBack) {
  CsvWriter csv;
  csv.header({"time", "A(b,c)", "x"});
  const double infinity = std::numeric_limits<double>::infinity();
  csv.row(0, std::vector<double>{0.1, 1e-300});
  csv.row(1.0 / 3, std::vector<double>{std::numeric_limits<double>::quiet_NaN(), -infinity});
  EXPECT_EQ(csv.text(), "time,\"A(b,c)\",x\n0,0.1,1e-300\n0.3333333333333333,nan,-inf\n");
}

}  // namespace
}  // namespace stiffit::internal
