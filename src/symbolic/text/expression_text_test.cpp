// SPDX-License-Identifier: Apache-2.0
#include "symbolic/text/expression_text.h"

#include <gtest/gtest.h>

namespace stiffit::internal {
namespace {

struct ExpressionText : testing::Test {
  Model model;
  ExprId a, b, c;
  void SetUp() override {
    for (const char* id : {"a", "b", "c"}) {
      Parameter p;
      p.id = id;
      model.parameters.push_back(p);
    }
    a = model.expressions.symbol({SymbolKind::parameter, 0});
    b = model.expressions.symbol({SymbolKind::parameter, 1});
    c = model.expressions.symbol({SymbolKind::parameter, 2});
  }
  ExprId make(Op op, ExprId x, ExprId y = no_expr, ExprId z = no_expr) {
    return model.expressions.apply(op, x, y, z);
  }
  std::string text(ExprId id) { return expression_text(model, id); }
};

TEST_F(ExpressionText, ParenthesesOnlyWhereTheMeaningNeedsThem) {
  EXPECT_EQ(text(make(Op::add, a, make(Op::mul, b, c))), "a + b*c");
  EXPECT_EQ(text(make(Op::mul, a, make(Op::add, b, c))), "a*(b + c)");
  EXPECT_EQ(text(make(Op::sub, a, make(Op::sub, b, c))), "a - (b - c)");
  EXPECT_EQ(text(make(Op::sub, make(Op::sub, a, b), c)), "a - b - c");
  EXPECT_EQ(text(make(Op::div, a, make(Op::mul, b, c))), "a/(b*c)");
  EXPECT_EQ(text(make(Op::div, make(Op::mul, a, b), c)), "a*b/c");
  EXPECT_EQ(text(make(Op::mul, a, make(Op::div, b, c))), "a*(b/c)");
  EXPECT_EQ(text(make(Op::add, a, make(Op::add, b, c))), "a + b + c");
  EXPECT_EQ(text(make(Op::add, a, make(Op::sub, b, c))), "a + b - c");
}

TEST_F(ExpressionText, SignsAndPowers) {
  EXPECT_EQ(text(make(Op::neg, make(Op::pow, a, b))), "-a^b");
  EXPECT_EQ(text(make(Op::pow, make(Op::neg, a), b)), "(-a)^b");
  EXPECT_EQ(text(make(Op::pow, make(Op::pow, a, b), c)), "(a^b)^c");
  EXPECT_EQ(text(make(Op::neg, make(Op::mul, a, b))), "-(a*b)");
  EXPECT_EQ(text(make(Op::sub, a, make(Op::neg, b))), "a - (-b)");
  ExprId minus_two = model.expressions.number(-2);
  EXPECT_EQ(text(make(Op::pow, minus_two, a)), "(-2)^a");
  EXPECT_EQ(text(make(Op::add, a, minus_two)), "a + (-2)");
}

TEST_F(ExpressionText, FunctionsAndConditions) {
  EXPECT_EQ(text(make(Op::exp, make(Op::neg, a))), "exp(-a)");
  EXPECT_EQ(text(make(Op::select, a, make(Op::lt, b, c), c)), "piecewise(a, b < c, c)");
  EXPECT_EQ(text(make(Op::logical_and, make(Op::logical_or, a, b), c)), "(a || b) && c");
}

TEST_F(ExpressionText, VeryLongOnesAreCut) {
  ExprId sum = a;
  for (int i = 0; i < 100000; ++i) sum = make(Op::add, sum, b);
  EXPECT_LT(text(sum).size(), 30000u);
  EXPECT_NE(text(sum).find("..."), std::string::npos);
}

TEST_F(ExpressionText, Reactions) {
  for (const char* id : {"E", "S", "C"}) {
    Species s;
    s.id = id;
    model.species.push_back(s);
  }
  Reaction r;
  r.reactants = {{0, 1, -1, {}}, {1, 2, -1, {}}};
  r.products = {{2, 1, -1, {}}};
  r.reversible = true;
  EXPECT_EQ(reaction_text(model, r), "E + 2 S -> C");
  r.products.clear();
  r.reversible = false;
  EXPECT_EQ(reaction_text(model, r), "E + 2 S => 0");
}

}  // namespace
}  // namespace stiffit::internal
