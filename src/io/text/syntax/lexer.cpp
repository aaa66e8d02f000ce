// SPDX-License-Identifier: Apache-2.0
#include "io/text/syntax/lexer.h"

#include <algorithm>
#include <array>

#include "base/interrupt.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view no_break_space = "\xC2\xA0";

// Longest first.
constexpr std::array<std::string_view, 37> symbols{
    "<==>", "<=>", "<->", "->", "=>", ":=", "==", "!=", "<=", ">=", "&&", "||", "+",
    "-",    "*",   "/",   "^",  "%",  "(",  ")",  "=",  ":",  ";",  ",",  "'",  "$",
    "<",    ">",   "!",   "|",  "@",  "{",  "}",  "[",  "]",  ".",  "&"};

// Arrows as people paste them from papers.
struct Alias {
  std::string_view written, meant;
};
constexpr std::array<Alias, 5> arrow_aliases{Alias{"\u2192", "->"}, Alias{"\u21D2", "=>"},
                                             Alias{"\u21CC", "<->"}, Alias{"\u2194", "<->"},
                                             Alias{"\u21CB", "<->"}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::uint32_t utf8_length(char lead) {
  auto byte = static_cast<unsigned char>(lead);
  return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

bool is_printable(std::string_view character) {
  if (character.size() == 1) return character[0] >= 32 && character[0] < 127;
  return std::all_of(character.begin() + 1, character.end(),
                     [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
}

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "the end of the file";
    case TokenKind::newline:
    case TokenKind::directive:
      return "the end of the line";
    case TokenKind::string:
      return "a string";
    default:
      return quoted(token.text);
  }
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result;
  result.append(1, '\'').append(text.substr(0, longest));
  if (text.size() > longest) result.append("...");
  return result.append(1, '\'');
}

Lexer::Lexer(Diagnostics& diagnostics, Span file)
    : diagnostics_(diagnostics),
      text_(diagnostics.source().text().substr(0, file.end)),
      at_(file.begin) {
  if (starts(byte_order_mark)) at_ += static_cast<std::uint32_t>(byte_order_mark.size());
}

Token Lexer::make(TokenKind kind, std::uint32_t begin) const {
  Token token;
  token.kind = kind;
  token.span = {begin, at_};
  token.text = text_.substr(begin, at_ - begin);
  return token;
}

bool Lexer::skip_blanks() {
  for (;;) {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      ++at_;
    } else if (starts(no_break_space)) {
      at_ += static_cast<std::uint32_t>(no_break_space.size());
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      at_ += peek(1) == '\r' ? 3 : 2;  // the statement goes on in the next line
    } else if (starts("//") || (c == '#' && peek(1) != ':')) {
      at_ = static_cast<std::uint32_t>(std::min(text_.find('\n', at_), text_.size()));
    } else if (starts("/*")) {
      std::size_t close = text_.find("*/", at_ + 2);
      if (close == std::string_view::npos) {
        diagnostics_.error({at_, at_ + 2}, "this comment never ends", "'*/' is missing");
        at_ = static_cast<std::uint32_t>(text_.size());
        return false;
      }
      at_ = static_cast<std::uint32_t>(close + 2);
    } else {
      return true;
    }
  }
}

Token Lexer::next() {
  check_interrupt_at_times();
  skip_blanks();
  if (at_ >= text_.size()) return make(TokenKind::end, at_);
  char c = peek();
  if (c == '\n') {
    ++at_;
    return make(TokenKind::newline, at_ - 1);
  }
  if (c == '#') return directive();
  if (is_letter(c)) return name();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  if (c == '"' || c == '`') return string();
  return symbol();
}

Token Lexer::directive() {
  std::uint32_t begin = at_ + 2;
  at_ = static_cast<std::uint32_t>(std::min(text_.find('\n', at_), text_.size()));
  auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (begin < at_ && is_blank(text_[begin])) ++begin;
  Token token = make(TokenKind::directive, begin);
  while (!token.text.empty() && is_blank(token.text.back())) token.text.remove_suffix(1);
  token.span.end = begin + static_cast<std::uint32_t>(token.text.size());
  return token;
}

Token Lexer::name() {
  std::uint32_t begin = at_;
  while (is_letter(peek()) || is_digit(peek()) || (peek() == '.' && is_letter(peek(1)))) ++at_;
  return make(TokenKind::name, begin);
}

Token Lexer::number() {
  std::uint32_t begin = at_;
  while (is_digit(peek())) ++at_;
  if (peek() == '.') {
    ++at_;
    while (is_digit(peek())) ++at_;
  }
  if (peek() == 'e' || peek() == 'E') {  // "2E" is two of species E, "2E1" is twenty
    std::uint32_t digits = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    if (is_digit(peek(digits))) {
      at_ += digits;
      while (is_digit(peek())) ++at_;
    }
  }
  Token token = make(TokenKind::number, begin);
  token.number = parse_number(token.text).value_or(0);
  return token;
}

Token Lexer::string() {
  std::uint32_t begin = at_;
  std::string_view fence = starts("```") ? "```" : text_.substr(at_, 1);
  bool many_lines = fence.size() == 3;
  std::size_t close = text_.find(fence, at_ + fence.size());
  std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
  if (close == std::string_view::npos || (!many_lines && close > line_end)) {
    at_ = static_cast<std::uint32_t>(line_end);
    diagnostics_.error({begin, begin + static_cast<std::uint32_t>(fence.size())},
                       "this string never ends", "the closing quote is missing");
    return make(TokenKind::bad, begin);
  }
  at_ = static_cast<std::uint32_t>(close + fence.size());
  Token token = make(TokenKind::string, begin);
  token.text = token.text.substr(fence.size(), token.text.size() - 2 * fence.size());
  return token;
}

Token Lexer::symbol() {
  std::uint32_t begin = at_;
  for (std::string_view candidate : symbols)
    if (starts(candidate)) {
      at_ += static_cast<std::uint32_t>(candidate.size());
      return make(TokenKind::symbol, begin);
    }
  for (const Alias& alias : arrow_aliases)
    if (starts(alias.written)) {
      at_ += static_cast<std::uint32_t>(alias.written.size());
      Token token = make(TokenKind::symbol, begin);
      token.text = alias.meant;
      return token;
    }
  at_ = std::min(at_ + utf8_length(peek()), static_cast<std::uint32_t>(text_.size()));
  Token token = make(TokenKind::bad, begin);
  if (is_printable(token.text))
    diagnostics_.error(token.span, "unexpected character " + quoted(token.text));
  else
    diagnostics_.error(token.span, "unexpected byte: this is not a text model");
  return token;
}

}  // namespace stiffit::internal
