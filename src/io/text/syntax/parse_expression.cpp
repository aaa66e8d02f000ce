// Expressions: binary operators by their binding strength, -x^2 is -(x^2), ^ groups to the right.
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "io/text/syntax/keywords.h"
#include "io/text/syntax/parser.h"

namespace stiffit::internal {
namespace {

struct BinaryOperator {
  Op op;
  int binding;
};

constexpr int comparison = 3;

// In Antimony, as in libSBML, && binds no stronger than ||: they read from the left.
std::optional<BinaryOperator> binary_operator(const Token& token, bool antimony) {
  if (token.kind != TokenKind::symbol) return std::nullopt;
  std::string_view s = token.text;
  if (s == "||") return BinaryOperator{Op::logical_or, antimony ? 2 : 1};
  if (s == "&&") return BinaryOperator{Op::logical_and, 2};
  if (s == "<") return BinaryOperator{Op::lt, comparison};
  if (s == "<=") return BinaryOperator{Op::le, comparison};
  if (s == ">") return BinaryOperator{Op::gt, comparison};
  if (s == ">=") return BinaryOperator{Op::ge, comparison};
  if (s == "==") return BinaryOperator{Op::eq, comparison};
  if (s == "!=") return BinaryOperator{Op::ne, comparison};
  if (s == "+") return BinaryOperator{Op::add, 4};
  if (s == "-") return BinaryOperator{Op::sub, 4};
  if (s == "*") return BinaryOperator{Op::mul, 5};
  if (s == "/") return BinaryOperator{Op::div, 5};
  if (s == "%") return BinaryOperator{Op::rem, 5};
  return std::nullopt;
}

}  // namespace

const Token& TextParser::look() {
  if (parentheses_ > 0) skip_newlines();
  return peek();
}

Expression TextParser::expression() {
  Expression result;
  result.first = static_cast<SyntaxId>(syntax_.nodes.size());
  const Token& opening = look();
  std::uint32_t begin = opening.span.begin;
  bool opens = opening.is("(");
  result.root = binary(1);
  result.span = {begin, last_end_};
  // "(k)" and not "(a)*(b)": the root then is not the first thing in the parentheses.
  const SyntaxNode& root = syntax_.nodes[result.root];
  result.parenthesised = opens && root.span.begin > begin;
  return result;
}

SyntaxId TextParser::operation(Op op, SyntaxId a, SyntaxId b, Span span) {
  SyntaxNode node;
  node.kind = NodeKind::operation;
  node.op = op;
  node.a = a;
  node.b = b;
  node.span = span;
  syntax_.nodes.push_back(node);
  return static_cast<SyntaxId>(syntax_.nodes.size() - 1);
}

SyntaxId TextParser::binary(int least_binding) {
  std::uint32_t begin = look().span.begin;
  SyntaxId left = unary();
  SyntaxId compared = -1;  // a < b < c means a < b && b < c: this is the b
  for (;;) {
    auto found = binary_operator(look(), antimony_);
    if (!found || found->binding < least_binding) return left;
    take();
    SyntaxId right = binary(found->binding + 1);
    Span span{begin, last_end_};
    if (found->binding == comparison && compared >= 0)
      left = operation(Op::logical_and, left, operation(found->op, compared, right, span), span);
    else
      left = operation(found->op, left, right, span);
    if (found->binding == comparison) compared = right;
  }
}

SyntaxId TextParser::unary() {
  const Token& token = look();
  bool negates = token.is("!") || (token.is_name("not") && !peek(1).is("("));
  if (!negates && !token.is("-") && !token.is("+")) return power();
  if (++depth_ > deepest_nesting)
    fail(token.span, "this expression is nested too deeply",
         "at most " + std::to_string(deepest_nesting) + " levels");
  Token sign = take();
  SyntaxId operand = unary();
  --depth_;
  if (sign.is("+")) return operand;
  return operation(negates ? Op::logical_not : Op::neg, operand, -1, {sign.span.begin, last_end_});
}

SyntaxId TextParser::power() {
  std::uint32_t begin = look().span.begin;
  SyntaxId base = primary();
  if (!look().is("^")) return base;
  if (++depth_ > deepest_nesting)
    fail(peek().span, "this expression is nested too deeply",
         "at most " + std::to_string(deepest_nesting) + " levels");
  take();
  SyntaxId exponent = unary();
  --depth_;
  return operation(Op::pow, base, exponent, {begin, last_end_});
}

void TextParser::expect_closing(const Token& open) {
  if (look().is(")")) {
    take();
    --parentheses_;
    return;
  }
  const Token& token = peek();
  int open_line = diagnostics_.source().locate(open.span.begin).line;
  bool same_line = diagnostics_.source().locate(token.span.begin).line == open_line;
  if (token.kind == TokenKind::bad) throw Failed{};
  if (same_line && token.kind != TokenKind::end && !token.is(";"))
    fail_expected("')'", token.is("=") ? "'==' compares" : "");
  // The parenthesis swallowed later lines: go back and read those for themselves.
  diagnostics_.error(open.span, "this '(' is never closed");
  lexer_.move_to(
      static_cast<std::uint32_t>(std::min(text_.find('\n', open.span.begin), text_.size())));
  ahead_.clear();
  throw Failed{};
}

SyntaxId TextParser::primary() {
  const Token& token = look();
  if (token.kind == TokenKind::number) {
    Token number = take();
    SyntaxNode node;
    node.value = number.number;
    if (peek().kind == TokenKind::name && !is_keyword(peek().text)) node.text = take().text;
    node.span = {number.span.begin, last_end_};
    syntax_.nodes.push_back(node);
    return static_cast<SyntaxId>(syntax_.nodes.size() - 1);
  }
  if (token.kind == TokenKind::name && !is_keyword(token.text)) return name_or_call();
  if (token.kind == TokenKind::newline)
    fail_expected("an expression", "only within parentheses it may go on in the next line");
  if (!token.is("(")) fail_expected("an expression");
  if (++depth_ > deepest_nesting)
    fail(token.span, "this expression is nested too deeply",
         "at most " + std::to_string(deepest_nesting) + " levels");
  Token open = take();
  ++parentheses_;
  SyntaxId inside = binary(1);
  expect_closing(open);
  --depth_;
  return inside;
}

// What follows `table(`: a file, a column and perhaps the kind of interpolation.
TableSyntax TextParser::table_arguments() {
  auto word = [&](std::string_view what) {
    const Token& token = look();
    if (token.kind != TokenKind::string && token.kind != TokenKind::name) fail_expected(what);
    Token taken = take();
    return Word{taken.text, taken.span};
  };
  TableSyntax table;
  table.file = word("the name of a file");
  if (!look().is(",")) fail_expected("',' and the name of a column");
  take();
  table.column = word("the name of a column");
  if (look().is(",")) {
    take();
    table.kind = word("linear, steps or cubic");
  }
  return table;
}

SyntaxId TextParser::name_or_call() {
  Token name = take();
  SyntaxNode node;
  node.kind = NodeKind::name;
  node.text = name.text;
  node.span = name.span;
  if (peek().is("'")) {
    node.order = primes();
    node.span.end = last_end_;
  } else if (peek().is("(")) {
    if (++depth_ > deepest_nesting)
      fail(name.span, "this expression is nested too deeply",
           "at most " + std::to_string(deepest_nesting) + " levels");
    Token open = take();
    ++parentheses_;
    std::vector<SyntaxId> arguments;
    bool tabulated = name.text == "table" && look().kind == TokenKind::string;
    if (tabulated) {
      node.a = static_cast<SyntaxId>(syntax_.tables.size());
      syntax_.tables.push_back(table_arguments());
    }
    while (!tabulated && !look().is(")")) {
      arguments.push_back(binary(1));
      if (!look().is(",")) break;
      take();
      if (look().is(")")) fail_expected("an expression");
    }
    expect_closing(open);
    --depth_;
    node.span.end = last_end_;
    node.kind = tabulated ? NodeKind::table : NodeKind::call;
    if (!tabulated) {
      node.a = static_cast<SyntaxId>(syntax_.arguments.size());
      node.b = static_cast<SyntaxId>(arguments.size());
      syntax_.arguments.insert(syntax_.arguments.end(), arguments.begin(), arguments.end());
    }
  }
  syntax_.nodes.push_back(node);
  return static_cast<SyntaxId>(syntax_.nodes.size() - 1);
}

}  // namespace stiffit::internal
