// A tab-separated table with a header line, every cell with its place. Line ends may be CRLF, cells
// may be in double quotes, empty lines are skipped, short rows end with empty cells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/petab/petab_file.h"
#include "model/fit_problem.h"

namespace stiffit::internal {

struct Cell {
  std::string text;  // without quotes and outer blanks
  Span span;
};

// Nothing said: an empty cell, or NaN, as the tables of data frames have it.
bool is_missing(std::string_view text);

// What PEtab takes for an identifier: letters, digits and _, not beginning with a digit.
bool is_petab_id(std::string_view text);

class TsvTable;

// One line of a table. Columns that the table does not have are empty cells.
class TsvRow {
 public:
  TsvRow(const TsvTable& table, std::size_t index) : table_(&table), index_(index) {}

  const Cell& operator[](std::string_view column) const;
  const Cell& at(std::size_t column) const;
  bool has(std::string_view column) const { return !is_missing((*this)[column].text); }
  int line() const;
  Span span() const;
  TablePlace place(std::string_view column = {}) const;
  PetabFile& file() const;

  // Findings about a cell of this row; about the whole row where the table has no such column.
  void error(std::string_view column, std::string message, std::string hint = {}) const;
  void warning(std::string_view column, std::string message, std::string hint = {}) const;

  // The cell as a number (inf is one); reports what is none, and with `required` what is missing.
  enum class Need { optional, required };
  std::optional<double> number(std::string_view column, Need need) const;

 private:
  const TsvTable* table_;
  std::size_t index_;
};

class TsvTable {
 public:
  explicit TsvTable(std::shared_ptr<PetabFile> file);

  const std::vector<Cell>& columns() const { return columns_; }
  bool has(std::string_view column) const { return index_.contains(std::string(column)); }
  // Reports each column that is not there; false if there is one.
  bool require(std::initializer_list<std::string_view> columns) const;

  std::size_t size() const { return rows_.size(); }
  TsvRow row(std::size_t i) const { return {*this, i}; }
  PetabFile& file() const { return *file_; }

 private:
  friend class TsvRow;
  struct Line {
    int number;
    Span span;
    std::vector<Cell> cells;
  };
  void check_header();
  void check_row(const Line& line) const;

  std::shared_ptr<PetabFile> file_;
  std::vector<Cell> columns_;
  Span header_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<Line> rows_;
};

// Parts of a cell between semicolons, each with its place; none for a missing cell.
std::vector<Cell> split_list(const Cell& cell);

}  // namespace stiffit::internal
