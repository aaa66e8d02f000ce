// A BioNetGen network file cut into its blocks: for each block the lines that say something,
// without comment, blanks and line ending. Actions and blocks that a network does not need are
// passed over. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/diagnostic.h"

namespace stiffit::internal {

struct NetBlocks {
  std::vector<Span> parameters, functions, species, reactions, groups;
};

NetBlocks split_net_blocks(const Source& source, Diagnostics& diagnostics);

// Reads the words of one line from left to right.
class NetWords {
 public:
  NetWords(std::string_view text, Span line) : text_(text), at_(line.begin), end_(line.end) {}

  // The next word, up to a blank; empty at the end of the line.
  Span next();
  // What is left of the line, without the blanks before it.
  Span rest();
  std::string_view view(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

 private:
  void skip_blanks();
  std::string_view text_;
  std::uint32_t at_, end_;
};

}  // namespace stiffit::internal
