// A source text and places in it. Everything that reads input keeps spans, so that a message can
// point at the very characters it speaks of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stiffit::internal {

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

// One file, or a file with those it imports behind it: offsets go on from one to the next, so that
// a span says which file it is in.
class Source {
 public:
  Source() = default;
  Source(std::string name, std::string text);
  // `first`, then each of `more`.
  Source(const Source& first, const std::vector<Source>& more);

  const std::string& name() const { return name_; }  // of the first file
  const std::string& name_at(std::uint32_t offset) const;
  std::string_view text() const { return text_; }  // of all files
  LineColumn locate(std::uint32_t offset) const;   // within its file
  // "line 7", or "line 7 of other.rxn" where that is not the first file.
  std::string line_text(std::uint32_t offset) const;
  // The line (from 1) of the first file, or the one around an offset, without its line ending.
  std::string_view line(int number) const;
  std::string_view line_at(std::uint32_t offset) const;

  std::size_t file_count() const { return others_.size() + 1; }
  Span file(std::size_t index) const;  // its part of the text

 private:
  struct File {
    std::string name;
    std::uint32_t begin;
    int lines_before;
  };
  const File* file_at(std::uint32_t offset) const;  // null: the first
  std::string_view line_from(std::size_t begin) const;

  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
  std::vector<File> others_;
};

}  // namespace stiffit::internal
