// SPDX-License-Identifier: Apache-2.0
#include "report/text_table.h"

#include <algorithm>

namespace stiffit::internal {
namespace {

// Characters, not bytes: UTF-8 continuation bytes take no room.
std::size_t width_of(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

}  // namespace

std::string text_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows, int indent) {
  std::vector<std::size_t> widths;
  auto measure = [&](const std::vector<std::string>& cells) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], width_of(cells[i]));
  };
  measure(header);
  for (auto& row : rows) measure(row);
  std::string out;
  auto write = [&](const std::vector<std::string>& cells) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += cells[i];
      if (i + 1 < cells.size()) line.append(widths[i] - width_of(cells[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  if (!header.empty()) write(header);
  for (auto& row : rows) write(row);
  return out;
}

}  // namespace stiffit::internal
