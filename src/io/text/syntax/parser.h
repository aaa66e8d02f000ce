// From tokens to the syntax tree, by recursive descent. A mistake ends its statement; the next
// line is read afresh, so that one reading finds all mistakes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "io/text/read_text.h"
#include "io/text/syntax/lexer.h"
#include "io/text/syntax/syntax.h"

namespace stiffit::internal {

// All files of the source: what is imported, then the first.
Syntax parse_text(Diagnostics& diagnostics, TextDialect first = TextDialect::by_name);

class TextParser {
 public:
  // `antimony`: exactly that, until a line `#: mass-action`.
  TextParser(Diagnostics& diagnostics, Span file, Syntax& syntax, bool antimony)
      : diagnostics_(diagnostics),
        text_(diagnostics.source().text().substr(0, file.end)),
        lexer_(diagnostics, file),
        syntax_(syntax),
        antimony_(antimony) {
    begin_dialect(file.begin);
  }
  // Its blocks go to the syntax; what stands outside of any is returned.
  ModelSyntax parse_file();

  static constexpr int deepest_nesting = 500;  // of parentheses; guards the call stack

 private:
  void begin_dialect(std::uint32_t at);
  struct Failed {};  // thrown after a mistake is reported, caught by the statement loop

  // Tokens.
  const Token& peek(std::size_t ahead = 0);
  Token take();
  bool accept(std::string_view symbol);
  bool accept_name(std::string_view name);
  Token expect(std::string_view symbol, std::string_view why = {});
  Word expect_name(std::string_view what);
  [[noreturn]] void fail(Span span, std::string message, std::string hint = {});
  [[noreturn]] void fail_expected(std::string_view what, std::string hint = {});
  bool at_terminator();
  bool at_arrow();
  void skip_newlines();
  void skip_line();
  void give_up_line(std::uint32_t begin);

  // Blocks (parser.cpp).
  void statement_or_skip(ModelSyntax& model);
  void model_block();
  void function_definition();
  void end_of_statement();

  // Statements (parse_statement.cpp).
  void statement(ModelSyntax& model);
  bool keyword_statement(ModelSyntax& model);
  void algebraic_rule(ModelSyntax& model);
  bool at_bounds();
  void named_statement(ModelSyntax& model);
  void labelled_statement(ModelSyntax& model, Word name, Word compartment);
  void declarations(ModelSyntax& model);
  bool value_of(ModelSyntax& model, const Word& name);
  bool annotation();
  void unit_definition(ModelSyntax& model);
  void import();
  void submodel(ModelSyntax& model, Word name, Word compartment);
  void same_thing(ModelSyntax& model, Word name);
  void deletion(ModelSyntax& model);
  bool clears(ModelSyntax& model, const Assignment& assignment);
  std::string_view unit_text();
  void leave_out(ModelSyntax& model, std::string_view what);
  void not_supported(ModelSyntax& model, std::string_view what);
  int primes();

  // Reactions and events (parse_reaction.cpp).
  void reaction(ModelSyntax& model, Word name, Word compartment);
  std::vector<Participant> side();
  Participant participant();
  Arrow arrow();
  bool law_follows();
  void event(ModelSyntax& model, Word name);
  void event_option(EventSyntax& event);

  // Expressions (parse_expression.cpp).
  Expression expression();
  SyntaxId binary(int least_binding);
  SyntaxId unary();
  SyntaxId power();
  SyntaxId primary();
  SyntaxId name_or_call();
  TableSyntax table_arguments();
  SyntaxId operation(Op op, SyntaxId a, SyntaxId b, Span span);
  const Token& look();  // peek that sees through line ends inside parentheses
  void expect_closing(const Token& open);

  Diagnostics& diagnostics_;
  std::string_view text_;  // up to the end of the file
  Lexer lexer_;
  std::deque<Token> ahead_;
  Syntax& syntax_;
  std::uint32_t last_end_ = 0;  // of the last token taken
  int parentheses_ = 0;
  int depth_ = 0;
  bool antimony_;
};

}  // namespace stiffit::internal
