// SPDX-License-Identifier: Apache-2.0
#include "base/source.h"

#include <algorithm>

namespace stiffit {

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
}

LineColumn Source::locate(std::uint32_t offset) const {
  if (line_starts_.empty()) return {};
  auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  int line = static_cast<int>(after - line_starts_.begin());
  return {line, static_cast<int>(offset - line_starts_[static_cast<std::size_t>(line - 1)]) + 1};
}

std::string_view Source::line(int number) const {
  if (number < 1 || static_cast<std::size_t>(number) > line_starts_.size()) return {};
  std::size_t begin = line_starts_[static_cast<std::size_t>(number - 1)];
  std::size_t end = text_.find('\n', begin);
  if (end == std::string::npos) end = text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace stiffit
