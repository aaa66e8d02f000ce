// SPDX-License-Identifier: Apache-2.0
#include "io/petab/tsv_table.h"

#include <gtest/gtest.h>

namespace stiffit::internal {
namespace {

TsvTable parse(const std::string& text) {
  return TsvTable(std::make_shared<PetabFile>("t.tsv", text));
}

TEST(TsvTable, ReadsWhatSpreadsheetsWrite) {
  TsvTable t = parse(
      "\xEF\xBB\xBF"
      "id\tvalue\tname\t\r\n"
      "a\t 1.5 \t\"two words\"\t\r\n"
      "\r\n"
      "\t\t\r\n"
      "b\r\n"
      "c\t2\t\"say \"\"so\"\"\tnow\"");
  EXPECT_TRUE(t.file().diagnostics().items().empty()) << render(t.file().diagnostics());
  EXPECT_EQ(t.columns().size(), 3u);
  ASSERT_EQ(t.size(), 3u);
  EXPECT_EQ(t.row(0)["id"].text, "a");
  EXPECT_EQ(t.row(0).number("value", TsvRow::Need::required), 1.5);
  EXPECT_EQ(t.row(0)["name"].text, "two words");
  EXPECT_EQ(t.row(1)["id"].text, "b");
  EXPECT_FALSE(t.row(1).has("value"));
  EXPECT_EQ(t.row(1).line(), 5);
  EXPECT_EQ(t.row(2)["name"].text, "say \"so\"\tnow");
  EXPECT_EQ(t.row(2)["none"].text, "");
}

TEST(TsvTable, PointsAtItsCells) {
  TsvTable t = parse("id\tx\na\tone\n");
  EXPECT_FALSE(t.row(0).number("x", TsvRow::Need::required));
  EXPECT_EQ(render(t.file().diagnostics()),
            "error: 'one' is not a number (column x)\n  t.tsv:2:3\n  2 | a one\n    |   ^^^\n");
}

TEST(TsvTable, ReportsItsForm) {
  EXPECT_TRUE(parse("").file().diagnostics().has_errors());
  EXPECT_TRUE(parse("a\ta\n").file().diagnostics().has_errors());
  EXPECT_TRUE(parse("a\n1\t2\n").file().diagnostics().has_errors());
  TsvTable t = parse("parameterID\n");
  EXPECT_FALSE(t.require({"parameterId"}));
  EXPECT_NE(render(t.file().diagnostics()).find("is 'parameterID' meant for it?"),
            std::string::npos);
}

TEST(TsvTable, Lists) {
  auto parts = split_list({"0.5; k ;2", {10, 19}});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].text, "k");
  EXPECT_EQ(parts[1].span.begin, 15u);
  EXPECT_TRUE(split_list({"", {}}).empty());
  EXPECT_TRUE(split_list({"NaN", {}}).empty());
}

TEST(TsvTable, Ids) {
  EXPECT_TRUE(is_petab_id("_a1"));
  EXPECT_FALSE(is_petab_id("1a"));
  EXPECT_FALSE(is_petab_id("a b"));
  EXPECT_FALSE(is_petab_id(""));
}

}  // namespace
}  // namespace stiffit::internal
