// Cuts a text model into tokens, one at a time, so that a hopeless file costs nothing beyond the
// place where the reader gives up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace stiffit::internal {

enum class TokenKind : std::uint8_t {
  end,        // of the text
  newline,    // ends a statement, as ';' does
  directive,  // a comment "#: ..." that speaks to Stiffit; ends a statement too
  name,       // with dots for what lies in a submodel: A.S1
  number,
  string,  // without its quotes
  symbol,  // operators, arrows, punctuation
  bad,     // already reported
};

struct Token {
  TokenKind kind = TokenKind::end;
  Span span;
  std::string_view text;
  double number = 0;

  bool is(std::string_view symbol) const { return kind == TokenKind::symbol && text == symbol; }
  bool is_name(std::string_view name) const { return kind == TokenKind::name && text == name; }
};

// How a message calls it: "'->'", "a string", "the end of the line".
std::string describe(const Token& token);

// 'text', cut where it is endless.
std::string quoted(std::string_view text);

class Lexer {
 public:
  // Reads that part of the source, one file.
  Lexer(Diagnostics& diagnostics, Span file);
  Token next();
  // Goes on (again) from here.
  void move_to(std::uint32_t offset) { at_ = offset; }

 private:
  bool skip_blanks();  // blanks and comments; false if an open comment swallowed the rest
  Token make(TokenKind kind, std::uint32_t begin) const;
  Token directive();
  Token name();
  Token number();
  Token string();
  Token symbol();
  bool starts(std::string_view text) const { return text_.substr(at_).starts_with(text); }
  char peek(std::uint32_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Diagnostics& diagnostics_;
  std::string_view text_;
  std::uint32_t at_ = 0;
};

}  // namespace stiffit::internal
