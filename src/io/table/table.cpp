// SPDX-License-Identifier: Apache-2.0
#include "io/table/table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class TableReader {
 public:
  explicit TableReader(Diagnostics& diagnostics)
      : diagnostics_(diagnostics), text_(diagnostics.source().text()) {}

  Table read() {
    if (text_.size() > std::numeric_limits<std::uint32_t>::max() / 2) {
      diagnostics_.error({}, "the table is too large");
      return {};
    }
    if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
    for (InterruptCheck check; at_ < text_.size() && !diagnostics_.full(); check()) line();
    if (table_.header.empty() && !diagnostics_.has_errors())
      diagnostics_.error({}, "the table is empty", "its first line names the columns");
    drop_nameless_columns();
    return std::move(table_);
  }

 private:
  // One line; a quoted cell may go over several.
  void line() {
    std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view content = text_.substr(at_, end - at_);
    std::size_t first = content.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
      at_ = end + 1;
    } else if (content[first] == '#') {
      remark(at_ + first, end);
      at_ = end + 1;
    } else if (table_.header.empty()) {
      header(content);
    } else {
      row();
    }
  }

  // `# key = value`; anything else after '#' is a remark.
  void remark(std::size_t begin, std::size_t end) {
    std::size_t equals = text_.substr(0, end).find('=', begin);
    if (equals == std::string_view::npos) return;
    TableSetting setting{trimmed(begin + 1, equals), trimmed(equals + 1, end)};
    if (setting.key.text.find_first_of(blanks) != std::string::npos) return;  // a sentence
    // Spreadsheets fill such a line up with separators.
    std::size_t last = setting.value.text.find_last_not_of(";,\t ");
    setting.value.text.resize(last == std::string::npos ? 0 : last + 1);
    setting.value.span.end =
        setting.value.span.begin + static_cast<std::uint32_t>(setting.value.text.size());
    if (setting.key.empty()) return;
    if (!table_.header.empty())
      diagnostics_.error({setting.key.span.begin, setting.value.span.end},
                         "'# " + setting.key.text + " = ...' stands below the header",
                         "such lines come before the line that names the columns");
    table_.settings.push_back(std::move(setting));
  }

  void header(std::string_view content) {
    for (char separator : {';', '\t', ','})
      if (content.find(separator) != std::string_view::npos) {
        table_.separator = separator;
        break;
      }
    TableRow names = cells();
    if (names.cells.size() == 1) {
      const TableCell& only = names.cells[0];
      table_.broken = true;
      bool blank = only.text.find_first_of(blanks) != std::string::npos;
      diagnostics_.error(only.span, "the table has one column only",
                         blank ? "columns are separated by commas, semicolons or tabs" : "");
    }
    table_.header = std::move(names.cells);
  }

  void row() {
    TableRow r = cells();
    if (std::all_of(r.cells.begin(), r.cells.end(), [](auto& c) { return c.empty(); })) return;
    std::size_t wanted = table_.header.size(), found = r.cells.size();
    if (found > wanted && std::all_of(r.cells.begin() + static_cast<std::ptrdiff_t>(wanted),
                                      r.cells.end(), [](auto& c) { return c.empty(); }))
      found = wanted;
    if (found != wanted) {
      std::string hint = found < wanted ? "what is missing is left empty between separators" : "";
      if (found > wanted && table_.separator == ',')
        hint = "with decimal commas the columns are separated by semicolons";
      diagnostics_.error(r.span,
                         "this row has " + std::to_string(found) + " cells, the header has " +
                             std::to_string(wanted),
                         hint);
    }
    r.cells.resize(wanted);
    table_.rows.push_back(std::move(r));
  }

  TableRow cells() {
    TableRow row;
    std::size_t begin = at_;
    for (;;) {
      row.cells.push_back(cell());
      if (at_ < text_.size() && text_[at_] == table_.separator) {
        ++at_;
        continue;
      }
      break;
    }
    row.span = {static_cast<std::uint32_t>(begin), row.cells.back().span.end};
    std::size_t end = std::min(text_.find('\n', at_), text_.size());
    at_ = end + 1;
    return row;
  }

  TableCell cell() {
    std::size_t begin = at_;
    while (begin < text_.size() && text_[begin] == ' ') ++begin;
    if (begin < text_.size() && text_[begin] == '"') return quoted_cell(begin);
    while (at_ < text_.size() && text_[at_] != table_.separator && text_[at_] != '\n') ++at_;
    return trimmed(begin, at_);
  }

  TableCell quoted_cell(std::size_t begin) {
    TableCell result;
    at_ = begin + 1;
    for (;;) {
      if (at_ >= text_.size()) {
        table_.broken = true;
        diagnostics_.error(
            {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 1)},
            "this '\"' is never closed");
        break;
      }
      if (text_[at_] == '"') {
        ++at_;
        if (at_ >= text_.size() || text_[at_] != '"') break;
      }
      result.text += text_[at_++];
    }
    result.span = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
    std::size_t rest = at_;
    while (at_ < text_.size() && text_[at_] != table_.separator && text_[at_] != '\n') ++at_;
    if (!trimmed(rest, at_).empty())
      diagnostics_.error(trimmed(rest, at_).span, "text after the closing '\"' of a cell");
    return result;
  }

  TableCell trimmed(std::size_t begin, std::size_t end) const {
    while (begin < end && blanks.find(text_[begin]) != std::string_view::npos) ++begin;
    while (end > begin && blanks.find(text_[end - 1]) != std::string_view::npos) --end;
    return {std::string(text_.substr(begin, end - begin)),
            {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}};
  }

  // Spreadsheets write empty columns at the right.
  void drop_nameless_columns() {
    for (std::size_t i = table_.header.size(); i-- > 0;) {
      if (!table_.header[i].empty()) continue;
      auto used = std::find_if(table_.rows.begin(), table_.rows.end(),
                               [&](const TableRow& row) { return !row.cells[i].empty(); });
      if (used != table_.rows.end())
        diagnostics_.error(used->cells[i].span,
                           "column " + std::to_string(i + 1) + " has values but no name");
      table_.header.erase(table_.header.begin() + static_cast<std::ptrdiff_t>(i));
      for (TableRow& row : table_.rows)
        row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  Diagnostics& diagnostics_;
  std::string_view text_;
  std::size_t at_ = 0;
  Table table_;
};

}  // namespace

Table read_table(Diagnostics& diagnostics) { return TableReader(diagnostics).read(); }

bool TableNumbers::note_decimal_sign(const TableCell& cell, char sign) {
  Span& first = sign == ',' ? first_comma_ : first_point_;
  const Span& other = sign == ',' ? first_point_ : first_comma_;
  if (first.empty()) first = cell.span;
  if (other.empty()) return true;
  if (!mixed_)
    diagnostics_.error(cell.span,
                       std::string("a decimal ") + (sign == ',' ? "comma" : "point") +
                           " here, a decimal " + (sign == ',' ? "point" : "comma") + " on line " +
                           std::to_string(diagnostics_.source().locate(other.begin).line),
                       "thousands are not separated, and one table uses one decimal sign");
  mixed_ = true;
  return false;
}

std::optional<double> TableNumbers::read(const TableCell& cell) {
  if (cell.empty()) {
    diagnostics_.error(cell.span, "a number is missing here");
    return std::nullopt;
  }
  std::string text = cell.text;
  std::size_t comma = text.find(','), point = text.find('.');
  if (comma != std::string::npos && point == std::string::npos && separator_ != ',')
    text[comma] = '.';
  auto value = parse_number(text);
  if (!value) {
    std::string hint;
    if (text.find("\xE2\x88\x92") != std::string::npos) hint = "the minus sign is not a hyphen";
    if (comma != std::string::npos && point != std::string::npos)
      hint = "thousands are not separated";
    diagnostics_.error(cell.span, "'" + cell.text + "' is not a number", hint);
    return std::nullopt;
  }
  if (!std::isfinite(*value)) {
    diagnostics_.error(cell.span, "'" + cell.text + "' is not a finite number",
                       "a missing value is an empty cell");
    return std::nullopt;
  }
  if (comma != std::string::npos && !note_decimal_sign(cell, ',')) return std::nullopt;
  if (point != std::string::npos && !note_decimal_sign(cell, '.')) return std::nullopt;
  return value;
}

}  // namespace stiffit::internal
