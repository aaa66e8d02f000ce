// SPDX-License-Identifier: Apache-2.0
#include "io/petab/tsv_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/number.h"

namespace stiffit::internal {
namespace {

std::uint32_t offset(std::size_t at) { return static_cast<std::uint32_t>(at); }

bool is_blank(char c) { return c == ' ' || c == '\r'; }

// The cell in text[begin, end), without outer blanks and quotes.
Cell make_cell(std::string_view text, std::size_t begin, std::size_t end) {
  while (begin < end && is_blank(text[begin])) ++begin;
  while (end > begin && is_blank(text[end - 1])) --end;
  Cell cell;
  cell.span = {offset(begin), offset(end)};
  bool is_quoted = end - begin >= 2 && text[begin] == '"' && text[end - 1] == '"';
  if (!is_quoted) {
    cell.text = text.substr(begin, end - begin);
    return cell;
  }
  cell.span = {offset(begin + 1), offset(end - 1)};
  for (std::size_t i = begin + 1; i < end - 1; ++i) {
    cell.text += text[i];
    if (text[i] == '"' && i + 1 < end - 1 && text[i + 1] == '"') ++i;  // "" means one
  }
  return cell;
}

std::vector<Cell> cells_of(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<Cell> cells;
  std::size_t from = begin;
  for (;;) {
    bool is_quoted = from < end && text[from] == '"';
    std::size_t tab = from;
    if (is_quoted) {  // a tab within quotes is none
      std::size_t close = from + 1;
      while (close < end) {
        if (text[close] != '"')
          ++close;
        else if (close + 1 < end && text[close + 1] == '"')
          close += 2;
        else
          break;
      }
      tab = close;
    }
    tab = std::min(text.find('\t', tab), end);
    cells.push_back(make_cell(text, from, tab));
    if (tab >= end) return cells;
    from = tab + 1;
  }
}

const Cell& no_cell() {
  static const Cell cell;
  return cell;
}

}  // namespace

bool is_missing(std::string_view text) {
  return text.empty() || (text.size() == 3 && std::tolower(text[0]) == 'n' &&
                          std::tolower(text[1]) == 'a' && std::tolower(text[2]) == 'n');
}

bool is_petab_id(std::string_view text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

TsvTable::TsvTable(std::shared_ptr<PetabFile> file) : file_(std::move(file)) {
  std::string_view text = file_->text();
  std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (int number = 1; begin < text.size(); ++number) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::size_t last = end > begin && text[end - 1] == '\r' ? end - 1 : end;
    std::string_view line = text.substr(begin, last - begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      Span span{offset(begin), offset(last)};
      std::vector<Cell> cells = cells_of(text, begin, last);
      if (columns_.empty()) {
        columns_ = std::move(cells);
        header_ = span;
        check_header();
      } else {
        rows_.push_back({number, span, std::move(cells)});
        check_row(rows_.back());
      }
    }
    begin = end + 1;
  }
  if (columns_.empty()) file_->error({}, "this table is empty", "there is not even a header line");
}

void TsvTable::check_header() {
  while (!columns_.empty() && columns_.back().text.empty()) columns_.pop_back();
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!columns_[i].text.empty() && !index_.try_emplace(columns_[i].text, i).second)
      file_->error(columns_[i].span, "a second column '" + columns_[i].text + "'");
}

void TsvTable::check_row(const Line& line) const {
  for (std::size_t i = columns_.size(); i < line.cells.size(); ++i)
    if (!line.cells[i].text.empty()) {
      file_->error(line.cells[i].span, "this row has more cells than the header has columns",
                   "the header has " + std::to_string(columns_.size()));
      return;
    }
}

bool TsvTable::require(std::initializer_list<std::string_view> columns) const {
  if (columns_.empty()) return false;  // said already
  std::vector<std::string> names;
  for (const Cell& cell : columns_) names.push_back(cell.text);
  bool all = true;
  for (std::string_view column : columns) {
    if (has(column)) continue;
    all = false;
    std::string nearest = nearest_name(column, names);
    file_->error(header_, "column '" + std::string(column) + "' is missing",
                 nearest.empty() ? "" : "is '" + nearest + "' meant for it?");
  }
  return all;
}

const Cell& TsvRow::at(std::size_t column) const {
  const auto& cells = table_->rows_[index_].cells;
  return column < cells.size() ? cells[column] : no_cell();
}

const Cell& TsvRow::operator[](std::string_view column) const {
  auto found = table_->index_.find(std::string(column));
  return found == table_->index_.end() ? no_cell() : at(found->second);
}

int TsvRow::line() const { return table_->rows_[index_].number; }
Span TsvRow::span() const { return table_->rows_[index_].span; }
PetabFile& TsvRow::file() const { return *table_->file_; }

TablePlace TsvRow::place(std::string_view column) const {
  return {file().name(), line(), std::string(column)};
}

namespace {

// An empty cell has no width; the caret then stands under the row.
Span shown_span(const TsvRow& row, std::string_view column) {
  Span span = row[column].span;
  return span.empty() ? row.span() : span;
}

std::string with_column(std::string message, const TsvTable& table, std::string_view column) {
  if (table.has(column)) message += " (column " + std::string(column) + ")";
  return message;
}

}  // namespace

void TsvRow::error(std::string_view column, std::string message, std::string hint) const {
  file().error(shown_span(*this, column), with_column(std::move(message), *table_, column),
               std::move(hint));
}

void TsvRow::warning(std::string_view column, std::string message, std::string hint) const {
  file().warning(shown_span(*this, column), with_column(std::move(message), *table_, column),
                 std::move(hint));
}

std::optional<double> TsvRow::number(std::string_view column, Need need) const {
  const Cell& cell = (*this)[column];
  if (is_missing(cell.text)) {
    if (need == Need::required)
      error(column, cell.text.empty() ? "a number is missing" : "NaN where a number is needed");
    return std::nullopt;
  }
  std::optional<double> value = parse_number(cell.text);
  if (!value) error(column, "'" + cell.text + "' is not a number");
  // Infinity means something (a steady state, no bound), so it has to be said.
  if (value && std::isinf(*value) && cell.text.find_first_of("0123456789") != std::string::npos) {
    error(column, "'" + cell.text + "' is beyond all numbers");
    return std::nullopt;
  }
  return value;
}

std::vector<Cell> split_list(const Cell& cell) {
  std::vector<Cell> parts;
  if (is_missing(cell.text)) return parts;
  std::size_t begin = 0;
  for (;;) {
    std::size_t end = std::min(cell.text.find(';', begin), cell.text.size());
    Cell part = make_cell(cell.text, begin, end);
    part.span.begin += cell.span.begin;
    part.span.end += cell.span.begin;
    parts.push_back(std::move(part));
    if (end == cell.text.size()) return parts;
    begin = end + 1;
  }
}

}  // namespace stiffit::internal
