// SPDX-License-Identifier: Apache-2.0
#include "io/bng/net_blocks.h"

#include <algorithm>
#include <array>

#include "base/interrupt.h"

namespace stiffit::internal {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// The line [begin, end) without its comment and the blanks around it.
Span trimmed(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  std::size_t comment = text.substr(begin, end - begin).find('#');
  if (comment != std::string_view::npos) end = begin + static_cast<std::uint32_t>(comment);
  while (begin < end && is_blank(text[begin])) ++begin;
  while (end > begin && is_blank(text[end - 1])) --end;
  return {begin, end};
}

// "molecule  types" -> "molecule types"
std::string block_name(NetWords& words) {
  std::string name;
  for (Span word = words.next(); !word.empty(); word = words.next()) {
    if (!name.empty()) name += ' ';
    name += words.view(word);
  }
  return name;
}

constexpr std::array passed_over{
    std::string_view("model"),           std::string_view("molecule types"),
    std::string_view("observables"),     std::string_view("reaction rules"),
    std::string_view("compartments"),    std::string_view("energy patterns"),
    std::string_view("population maps"), std::string_view("population types"),
    std::string_view("actions")};

struct OpenBlock {
  std::string name;
  Span span;
  std::vector<Span>* lines = nullptr;  // null: passed over
};

class Splitter {
 public:
  Splitter(std::string_view text, Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  NetBlocks split() {
    std::uint32_t at = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    const auto size = static_cast<std::uint32_t>(text_.size());
    InterruptCheck check;
    while (at < size && !diagnostics_.full()) {
      auto end = static_cast<std::uint32_t>(std::min(text_.find('\n', at), text_.size()));
      Span line = trimmed(text_, at, end);
      if (!line.empty()) take(line);
      at = end + 1;
      check();
    }
    if (!open_.name.empty())
      diagnostics_.error(open_.span, "block '" + open_.name + "' is never closed",
                         "expected 'end " + open_.name + "' before the end of the file");
    return std::move(blocks_);
  }

 private:
  void take(Span line) {
    NetWords words(text_, line);
    std::string_view first = words.view(words.next());
    if (first == "begin") {
      begin(line, block_name(words));
    } else if (first == "end") {
      end(line, block_name(words));
    } else if (open_.lines) {
      open_.lines->push_back(line);
    }
  }

  void begin(Span line, std::string name) {
    if (name == "model") return;  // it only wraps the blocks
    if (!open_.name.empty())
      diagnostics_.error(line, "block '" + name + "' begins inside block '" + open_.name + "'",
                         "'" + open_.name + "' begins on line " +
                             std::to_string(diagnostics_.source().locate(open_.span.begin).line));
    open_ = {std::move(name), line, nullptr};
    open_.lines = lines_of(open_.name);
    if (!open_.lines &&
        std::find(passed_over.begin(), passed_over.end(), open_.name) == passed_over.end())
      diagnostics_.warning(line, "block '" + open_.name + "' is not known and passed over");
  }

  void end(Span line, const std::string& name) {
    if (name == "model") return;
    if (open_.name.empty())
      diagnostics_.error(line, "'end " + name + "' without its 'begin'");
    else if (name != open_.name)
      diagnostics_.error(line, "'end " + name + "' closes block '" + open_.name + "'",
                         "expected 'end " + open_.name + "'");
    open_ = {};
  }

  std::vector<Span>* lines_of(std::string_view name) {
    if (name == "parameters") return &blocks_.parameters;
    if (name == "functions") return &blocks_.functions;
    if (name == "species" || name == "seed species") return &blocks_.species;
    if (name == "reactions") return &blocks_.reactions;
    if (name == "groups") return &blocks_.groups;
    return nullptr;
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  NetBlocks blocks_;
  OpenBlock open_;
};

}  // namespace

void NetWords::skip_blanks() {
  while (at_ < end_ && is_blank(text_[at_])) ++at_;
}

Span NetWords::next() {
  skip_blanks();
  std::uint32_t begin = at_;
  while (at_ < end_ && !is_blank(text_[at_])) ++at_;
  return {begin, at_};
}

Span NetWords::rest() {
  skip_blanks();
  return {at_, end_};
}

NetBlocks split_net_blocks(const Source& source, Diagnostics& diagnostics) {
  return Splitter(source.text(), diagnostics).split();
}

}  // namespace stiffit::internal
