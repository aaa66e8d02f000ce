// SPDX-License-Identifier: Apache-2.0
#include "io/text/syntax/parser.h"

#include <algorithm>
#include <cctype>

#include "io/text/syntax/keywords.h"

namespace stiffit::internal {

Syntax parse_text(Diagnostics& diagnostics, TextDialect first) {
  Syntax syntax;
  const Source& source = diagnostics.source();
  for (std::size_t i = source.file_count(); i-- > 0 && !diagnostics.full();) {
    const Span file = source.file(i);
    TextDialect dialect = i == 0 ? first : TextDialect::by_name;
    if (dialect == TextDialect::by_name) dialect = dialect_of(source.name_at(file.begin));
    ModelSyntax loose =
        TextParser(diagnostics, file, syntax, dialect == TextDialect::antimony).parse_file();
    if (i == 0)
      syntax.loose = std::move(loose);
    else
      syntax.imported.push_back(std::move(loose));
  }
  return syntax;
}

void TextParser::begin_dialect(std::uint32_t at) {
  auto place =
      std::upper_bound(syntax_.dialects.begin(), syntax_.dialects.end(), std::pair(at, true));
  syntax_.dialects.insert(place, {at, antimony_});
}

const Token& TextParser::peek(std::size_t ahead) {
  while (ahead_.size() <= ahead) ahead_.push_back(lexer_.next());
  return ahead_[ahead];
}

Token TextParser::take() {
  Token token = peek();
  ahead_.pop_front();
  last_end_ = token.span.end;
  return token;
}

bool TextParser::accept(std::string_view symbol) {
  if (!peek().is(symbol)) return false;
  take();
  return true;
}

bool TextParser::accept_name(std::string_view name) {
  if (!peek().is_name(name)) return false;
  take();
  return true;
}

void TextParser::fail(Span span, std::string message, std::string hint) {
  diagnostics_.error(span, std::move(message), std::move(hint));
  throw Failed{};
}

void TextParser::fail_expected(std::string_view what, std::string hint) {
  const Token& token = peek();
  if (token.kind == TokenKind::bad) throw Failed{};  // reported by the lexer
  std::string message = "expected ";
  message.append(what).append(", found ").append(describe(token));
  fail(token.span, message, std::move(hint));
}

Token TextParser::expect(std::string_view symbol, std::string_view why) {
  if (!peek().is(symbol)) {
    std::string what = quoted(symbol);
    if (!why.empty()) what.append(" ").append(why);
    fail_expected(what);
  }
  return take();
}

Word TextParser::expect_name(std::string_view what) {
  const Token& token = peek();
  if (token.kind != TokenKind::name) fail_expected(what);
  if (is_keyword(token.text))
    fail(token.span, "expected " + std::string(what) + ", found the keyword " + quoted(token.text));
  Token taken = take();
  return {taken.text, taken.span};
}

bool TextParser::at_terminator() {
  const Token& token = peek();
  return token.kind == TokenKind::newline || token.kind == TokenKind::end ||
         token.kind == TokenKind::directive || token.is(";") || token.is_name("end");
}

void TextParser::skip_newlines() {
  while (peek().kind == TokenKind::newline) take();
}

void TextParser::skip_line() {
  while (!ahead_.empty() && ahead_.front().kind != TokenKind::newline) take();
  if (!ahead_.empty()) return;
  // Comments and strings that go over several lines must be read; anything else is jumped over.
  auto end = static_cast<std::uint32_t>(std::min(text_.find('\n', last_end_), text_.size()));
  std::string_view rest = text_.substr(last_end_, end - last_end_);
  if (rest.find("/*") == std::string_view::npos && rest.find("```") == std::string_view::npos) {
    last_end_ = end;
    lexer_.move_to(end);
    return;
  }
  while (peek().kind != TokenKind::newline && peek().kind != TokenKind::end && !diagnostics_.full())
    take();
}

void TextParser::end_of_statement() {
  if (at_terminator()) return;
  const Token& token = peek();
  if (token.is(")")) fail(token.span, "this ')' closes nothing");
  if (token.is("=")) fail_expected("the end of the statement", "'==' compares");
  bool begins_value =
      token.kind == TokenKind::name || token.kind == TokenKind::number || token.is("(");
  fail_expected("the end of the statement", begins_value ? "is an operator missing?" : "");
}

// The rest of a line that cannot be read. What it may define is then not called unknown.
void TextParser::give_up_line(std::uint32_t begin) {
  skip_line();
  parentheses_ = depth_ = 0;
  auto in_name = [&](std::uint32_t i) {
    return std::isalnum(static_cast<unsigned char>(text_[i])) != 0 || text_[i] == '_';
  };
  for (std::uint32_t i = begin; i < last_end_;) {
    std::uint32_t start = i;
    while (i < last_end_ && in_name(i)) ++i;
    if (i > start)
      syntax_.damaged.insert(text_.substr(start, i - start));
    else
      ++i;
  }
}

void TextParser::statement_or_skip(ModelSyntax& model) {
  std::uint32_t begin = peek().span.begin;
  try {
    statement(model);
    end_of_statement();
  } catch (const Failed&) {
    give_up_line(begin);
  }
}

ModelSyntax TextParser::parse_file() {
  ModelSyntax loose;
  while (!diagnostics_.full()) {
    const Token& token = peek();
    std::uint32_t begin = token.span.begin;
    if (token.kind == TokenKind::end) break;
    if (token.kind == TokenKind::newline || token.is(";")) {
      take();
      continue;
    }
    try {
      if (token.is_name("end")) fail(token.span, "'end' without a 'model' or 'function' before it");
      if (token.is_name("model") || token.is_name("module")) {
        if (!annotation()) model_block();
      } else if (token.is_name("function")) {
        function_definition();
      } else {
        statement_or_skip(loose);
      }
    } catch (const Failed&) {
      give_up_line(begin);
    }
  }
  return loose;
}

void TextParser::model_block() {
  Token opening = take();
  ModelSyntax model;
  model.main = accept("*");
  model.name = expect_name("the name of the model");
  if (accept("(")) {  // what a model that uses this one may name anew
    while (!peek().is(")")) {
      accept("$");
      model.exported.push_back(expect_name("a name"));
      if (!accept(",")) break;
    }
    expect(")");
  }
  while (!diagnostics_.full()) {
    const Token& token = peek();
    std::uint32_t begin = token.span.begin;
    if (token.kind == TokenKind::newline || token.is(";")) {
      take();
    } else if (token.is_name("end")) {
      take();
      break;
    } else if (token.kind == TokenKind::end || token.is_name("model") || token.is_name("module")) {
      if (token.kind != TokenKind::end && annotation()) continue;
      diagnostics_.error({opening.span.begin, model.name.span.end},
                         "model " + quoted(model.name.text) + " has no 'end'");
      break;
    } else if (token.is_name("function")) {
      try {
        function_definition();
      } catch (const Failed&) {
        give_up_line(begin);
      }
    } else {
      statement_or_skip(model);
    }
  }
  syntax_.models.push_back(std::move(model));
}

void TextParser::function_definition() {
  take();
  FunctionSyntax function;
  function.name = expect_name("the name of the function");
  expect("(", "after the name of the function");
  while (!peek().is(")")) {
    function.arguments.push_back(expect_name("an argument's name"));
    if (!accept(",")) break;
  }
  expect(")");
  while (peek().kind == TokenKind::newline || peek().is(";")) take();
  function.body = expression();
  while (peek().kind == TokenKind::newline || peek().is(";")) take();
  bool closed = accept_name("end");
  syntax_.functions.push_back(function);
  if (!closed) fail_expected("'end' of function " + quoted(function.name.text));
}

}  // namespace stiffit::internal
