// Comma-separated tables: RFC 4180 quoting of text, shortest round-trip numbers, never by locale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiffit::internal {

// A cell; quoted if it holds a comma, a quote or a line break, so that `A(b,c)` stays one header.
std::string csv_cell(std::string_view text);

// A table of numbers. Numbers that are none are written nan, inf and -inf.
class CsvWriter {
 public:
  void header(const std::vector<std::string>& names);
  void row(double first, std::span<const double> rest);
  const std::string& text() const { return text_; }

 private:
  void append(double value);
  std::string text_;
};

}  // namespace stiffit::internal
