// SPDX-License-Identifier: Apache-2.0
#include "io/text/syntax/lexer.h"

#include <gtest/gtest.h>

namespace stiffit::internal {
namespace {

std::string tokens(std::string text) {
  Diagnostics diagnostics(std::make_shared<const Source>("test", std::move(text)));
  Lexer lexer(diagnostics, diagnostics.source().file(0));
  std::string all;
  for (Token t = lexer.next(); t.kind != TokenKind::end; t = lexer.next())
    all.append(all.empty() ? "" : "|").append(t.kind == TokenKind::newline ? "NL" : t.text);
  return all;
}

TEST(Lexer, ArrowsAndOperators) {
  EXPECT_EQ(tokens("A<->B<=>C<==>D->E=>F"), "A|<->|B|<=>|C|<==>|D|->|E|=>|F");
  EXPECT_EQ(tokens("x<-3 a>=b!=c&&d||!e"), "x|<|-|3|a|>=|b|!=|c|&&|d||||!|e");
  EXPECT_EQ(tokens("y'' := -a.b"), "y|'|'|:=|-|a.b");
}

TEST(Lexer, NumbersAndCoefficients) {
  EXPECT_EQ(tokens("1e-3 .5 2. 2E 2E1 3S 1.5e+2x"), "1e-3|.5|2.|2|E|2E1|3|S|1.5e+2|x");
}

TEST(Lexer, CommentsDirectivesAndStrings) {
  EXPECT_EQ(tokens("a # b\nc // d\n/* e\nf */ g"), "a|NL|c|NL|g");
  EXPECT_EQ(tokens("#:  end 40 \r\nx"), "end 40|NL|x");
  EXPECT_EQ(tokens("\"a b\" ```c\nd``` x"), "a b|c\nd|x");
}

TEST(Lexer, PastedArrowsAndBlanks) {
  EXPECT_EQ(tokens("A\u00A0\u2192 B \u21CC C"), "A|->|B|<->|C");
}

}  // namespace
}  // namespace stiffit::internal
