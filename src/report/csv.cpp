// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include <charconv>
#include <cmath>

#include "base/number.h"

namespace stiffit::internal {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void CsvWriter::header(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i) text_ += ',';
    text_ += csv_cell(names[i]);
  }
  text_ += '\n';
}

void CsvWriter::row(double first, std::span<const double> rest) {
  append(first);
  for (double value : rest) {
    text_ += ',';
    append(value);
  }
  text_ += '\n';
}

void CsvWriter::append(double value) {
  if (!std::isfinite(value)) {
    text_ += format_number(value);
    return;
  }
  char buffer[32];  // straight into the text: tables have millions of cells
  text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

}  // namespace stiffit::internal
