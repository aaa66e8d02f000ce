// A source text and places in it. Everything that reads input keeps spans, so that a message can
// point at the very characters it speaks of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stiffit {

// Bytes [begin, end) of a source; {0, 0} means "no particular place".
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool empty() const { return begin == end; }
};

struct LineColumn {
  int line = 1;    // from 1
  int column = 1;  // from 1, in bytes
};

class Source {
 public:
  Source() = default;
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  LineColumn locate(std::uint32_t offset) const;
  // The line (from 1) without its line ending.
  std::string_view line(int number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace stiffit
