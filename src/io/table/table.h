// Tables of numbers as people and spreadsheets write them: a header line, then rows, separated by
// semicolons, tabs or commas. Before the header lines `# key = value` may stand. Every cell keeps
// its place, so that a message can point at it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace stiffit::internal {

struct TableCell {
  std::string text;  // without quotes and blanks around it
  Span span;
  bool empty() const { return text.empty(); }
};

struct TableSetting {
  TableCell key, value;
};

struct TableRow {
  std::vector<TableCell> cells;  // as many as the header has
  Span span;
};

struct Table {
  std::vector<TableSetting> settings;
  std::vector<TableCell> header;
  std::vector<TableRow> rows;
  char separator = ',';
  bool broken = false;  // its columns cannot be told apart; this was reported
};

// Reads the source of `diagnostics`. The separator is the semicolon if the header has one, else the
// tab, else the comma. Empty lines and lines that begin with '#' are skipped.
Table read_table(Diagnostics& diagnostics);

// Reads the numbers of one table. With semicolons or tabs the decimal sign may be a comma; a table
// that uses both signs is refused, since one of them would be misread.
class TableNumbers {
 public:
  TableNumbers(char separator, Diagnostics& diagnostics)
      : separator_(separator), diagnostics_(diagnostics) {}

  // A finite number. Anything else is reported, and nothing returned.
  std::optional<double> read(const TableCell& cell);

 private:
  bool note_decimal_sign(const TableCell& cell, char sign);

  char separator_;
  Diagnostics& diagnostics_;
  Span first_comma_, first_point_;
  bool mixed_ = false;
};

}  // namespace stiffit::internal
