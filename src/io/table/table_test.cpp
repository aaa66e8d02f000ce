// SPDX-License-Identifier: Apache-2.0
#include "io/table/table.h"

#include <gtest/gtest.h>

namespace stiffit::internal {
namespace {

struct Reading {
  explicit Reading(const std::string& text)
      : diagnostics(std::make_shared<Source>("t.csv", text)), table(read_table(diagnostics)) {
    TableNumbers numbers(table.separator, diagnostics);
    for (const TableRow& row : table.rows) {
      values.emplace_back();
      for (const TableCell& cell : row.cells)
        if (!cell.empty()) values.back().push_back(numbers.read(cell).value_or(-99));
    }
  }
  std::string findings() const { return render(diagnostics); }
  Diagnostics diagnostics;
  Table table;
  std::vector<std::vector<double>> values;
};

using Values = std::vector<std::vector<double>>;

TEST(Table, TheSameTableInEveryDress) {
  const Values wanted{{0, 1.5}, {10, 0.25}};
  for (const char* text :
       {"time,P\n0,1.5\n10,0.25\n", "time,P\r\n0,1.5\r\n10,0.25\r\n",
        "\xEF\xBB\xBFtime,P\n0,1.5\n10,.25", "time;P\n0;1,5\n10;0,25\n",
        "time;P\r\n0;1.5\r\n10;0.25", "time\tP\n0\t1,5\n10\t0,25\n",
        " time , P \n 0 , 1.5 \n\n 10 , 0.25\n", "\"time\",\"P\"\n\"0\",\"1.5\"\n10,0.25\n",
        "time,P,,\n0,1.5,,\n10,0.25,,\n,,,\n",
        "# a remark\ntime,P\n0,1.5\n# another\n10,2.5e-1\n"}) {
    Reading r(text);
    EXPECT_EQ(r.findings(), "") << text;
    EXPECT_EQ(r.values, wanted) << text;
    ASSERT_EQ(r.table.header.size(), 2u) << text;
    EXPECT_EQ(r.table.header[1].text, "P");
  }
}

TEST(Table, SettingsAndRemarks) {
  Reading r("# E = 0.01\n#S=?;;\n# measured on a Monday, k = 3\ntime;P\n0;1\n");
  EXPECT_EQ(r.findings(), "");
  ASSERT_EQ(r.table.settings.size(), 2u);
  EXPECT_EQ(r.table.settings[0].key.text, "E");
  EXPECT_EQ(r.table.settings[0].value.text, "0.01");
  EXPECT_EQ(r.table.settings[1].value.text, "?");
}

TEST(Table, QuotedCells) {
  Reading r("time,\"A(b,c)\",\"a \"\"b\"\"\"\n0,1,2\n");
  EXPECT_EQ(r.findings(), "");
  EXPECT_EQ(r.table.header[1].text, "A(b,c)");
  EXPECT_EQ(r.table.header[2].text, "a \"b\"");
}

TEST(Table, BothDecimalSignsAreRefused) {
  Reading r("time;P\n0;1,5\n10;1.234\n");
  EXPECT_EQ(r.findings(),
            "error: a decimal point here, a decimal comma on line 2\n"
            "  t.csv:3:4\n"
            "  3 | 10;1.234\n"
            "    |    ^^^^^ thousands are not separated, and one table uses one decimal sign\n");
}

TEST(Table, DecimalCommasNeedSemicolons) {
  Reading r("time,P\n0,1,5\n");
  EXPECT_EQ(r.findings(),
            "error: this row has 3 cells, the header has 2\n"
            "  t.csv:2:1\n"
            "  2 | 0,1,5\n"
            "    | ^^^^^ with decimal commas the columns are separated by semicolons\n");
}

TEST(Table, NotNumbers) {
  Reading r("time;P\n0;1.234,5\n1;nan\n2;1e999\n3;abc\n4;0x10\n5;1 2\n");
  EXPECT_EQ(r.diagnostics.items().size(), 6u) << r.findings();
  EXPECT_NE(r.findings().find("thousands are not separated"), std::string::npos);
  EXPECT_NE(r.findings().find("a missing value is an empty cell"), std::string::npos);
}

TEST(Table, Shape) {
  EXPECT_NE(Reading("").findings().find("the table is empty"), std::string::npos);
  EXPECT_NE(Reading("time P\n0 1\n").findings().find("one column only"), std::string::npos);
  EXPECT_NE(Reading("time,P,\n0,1,2\n").findings().find("column 3 has values but no name"),
            std::string::npos);
  EXPECT_NE(Reading("time,P\n0\n").findings().find("has 1 cells"), std::string::npos);
  EXPECT_NE(Reading("time,P\n# E = 1\n0,2\n").findings().find("below the header"),
            std::string::npos);
  EXPECT_NE(Reading("time,\"P\n0,2\n").findings().find("never closed"), std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
