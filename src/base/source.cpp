// SPDX-License-Identifier: Apache-2.0
#include "base/source.h"

#include <algorithm>

namespace stiffit::internal {

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
}

Source::Source(const Source& first, const std::vector<Source>& more)
    : Source(first.name_, [&] {
        std::string text = first.text_;
        for (const Source& source : more) text += "\n" + source.text_;
        return text;
      }()) {
  std::uint32_t begin = static_cast<std::uint32_t>(first.text_.size());
  int lines = static_cast<int>(first.line_starts_.size());
  for (const Source& source : more) {
    others_.push_back({source.name_, begin + 1, lines});
    begin += static_cast<std::uint32_t>(source.text_.size()) + 1;
    lines += static_cast<int>(source.line_starts_.size());
  }
}

const Source::File* Source::file_at(std::uint32_t offset) const {
  const File* found = nullptr;
  for (const File& file : others_)
    if (file.begin <= offset) found = &file;
  return found;
}

Span Source::file(std::size_t index) const {
  std::uint32_t begin = index == 0 ? 0 : others_[index - 1].begin;
  auto end = static_cast<std::uint32_t>(text_.size());
  return {begin, index < others_.size() ? others_[index].begin - 1 : end};
}

const std::string& Source::name_at(std::uint32_t offset) const {
  const File* file = file_at(offset);
  return file ? file->name : name_;
}

LineColumn Source::locate(std::uint32_t offset) const {
  if (line_starts_.empty()) return {};
  auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  int line = static_cast<int>(after - line_starts_.begin());
  int column = static_cast<int>(offset - line_starts_[line - 1]) + 1;
  const File* file = file_at(offset);
  return {line - (file ? file->lines_before : 0), column};
}

std::string Source::line_text(std::uint32_t offset) const {
  std::string text = "line " + std::to_string(locate(offset).line);
  const File* file = file_at(offset);
  return file ? text + " of " + file->name : text;
}

std::string_view Source::line_from(std::size_t begin) const {
  std::size_t end = text_.find('\n', begin);
  if (end == std::string::npos) end = text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::string_view Source::line(int number) const {
  if (number < 1 || static_cast<std::size_t>(number) > line_starts_.size()) return {};
  return line_from(line_starts_[number - 1]);
}

std::string_view Source::line_at(std::uint32_t offset) const {
  if (line_starts_.empty()) return {};
  return line_from(*(std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - 1));
}

}  // namespace stiffit::internal
