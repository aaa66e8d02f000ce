// SPDX-License-Identifier: Apache-2.0
#include "io/bng/read_bng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "io/bng/net_values_for_test.h"

namespace stiffit::internal {
namespace {

const char* const small_network = R"(# Created by BioNetGen
begin parameters
    1 k   2  # Constant
    2 k2  3*k  # ConstantExpression
    3 A0  k2+1
    4 half ln(1)+0.5
end parameters
begin functions
    1 f() k*A_tot/(1+B_tot)
    2 g() f()+time()
end functions
begin species
    1 A(b) A0
    2 $B(a~P) 4
    3 A(b!1).B(a~P!1) 0.5
end species
begin reactions
    1 1,2 3 0.5*k #_R1
    2 1,1 0 k2
    3 0 1,1,2 f
    4 3 1,2 (k*6)
end reactions
begin groups
    1 A_tot    1,3
    2 B_tot    2,2*3
    3 none
end groups
)";

TEST(ReadBng, ReadsEveryBlock) {
  NetResult result = read_net(small_network);
  ASSERT_TRUE(result.model) << result.messages;
  EXPECT_EQ(result.messages, "");
  const Model& m = *result.model;
  EXPECT_EQ(m.id, "small");
  ASSERT_EQ(m.species.size(), 3u);
  EXPECT_EQ(m.species[2].id, "A(b!1).B(a~P!1)");
  EXPECT_EQ(m.species[2].compartment, -1);
  EXPECT_EQ(m.parameters.size(), 6u);
  EXPECT_EQ(m.rules.size(), 2u);
  ASSERT_EQ(m.reactions.size(), 4u);
  EXPECT_EQ(m.reactions[3].id, "R4");
  ASSERT_EQ(m.observables.size(), 3u);
}

TEST(ReadBng, DerivedParametersFollowTheirBase) {
  NetResult result = read_net(small_network);
  ASSERT_TRUE(result.model);
  Model& m = *result.model;
  EXPECT_EQ(m.parameters[3].value, 0.5);  // names nothing, so it is a number
  EXPECT_TRUE(std::isnan(m.parameters[1].value));
  EXPECT_EQ(NetValues(m).of("A(b)"), 7);
  m.parameters[0].value = 10;
  EXPECT_EQ(NetValues(m).of("k2"), 30);
  EXPECT_EQ(NetValues(m).of("A(b)"), 31);
}

TEST(ReadBng, FixedSpeciesAreConstantAndLoseTheirMark) {
  NetResult result = read_net(small_network);
  ASSERT_TRUE(result.model);
  const Species& b = result.model->species[1];
  EXPECT_EQ(b.id, "B(a~P)");
  EXPECT_TRUE(b.boundary && b.constant);
  EXPECT_FALSE(result.model->species[0].boundary || result.model->species[0].constant);
}

TEST(ReadBng, StoichiometryAndMassAction) {
  NetResult result = read_net(small_network);
  ASSERT_TRUE(result.model);
  const Model& m = *result.model;
  EXPECT_EQ(m.reactions[0].reactants.size(), 2u);
  ASSERT_EQ(m.reactions[1].reactants.size(), 1u);
  EXPECT_EQ(m.reactions[1].reactants[0].stoichiometry, 2);
  EXPECT_TRUE(m.reactions[1].products.empty());
  EXPECT_TRUE(m.reactions[2].reactants.empty());
  ASSERT_EQ(m.reactions[2].products.size(), 2u);
  EXPECT_EQ(m.reactions[2].products[0].stoichiometry, 2);
  NetValues at_start(m);
  EXPECT_DOUBLE_EQ(at_start.rate(0), 0.5 * 2 * 7 * 4);
  EXPECT_DOUBLE_EQ(at_start.rate(1), 6.0 * 7 * 7);
  EXPECT_DOUBLE_EQ(at_start.rate(2), 2 * 7.5 / (1 + 5));
  EXPECT_DOUBLE_EQ(at_start.rate(3), 12 * 0.5);
}

TEST(ReadBng, GroupsAndFunctions) {
  NetResult result = read_net(small_network);
  ASSERT_TRUE(result.model);
  NetValues later(*result.model, 100);
  EXPECT_EQ(later.of("A_tot"), 7.5);
  EXPECT_EQ(later.of("B_tot"), 5);
  EXPECT_EQ(later.of("none"), 0);
  EXPECT_DOUBLE_EQ(later.of("g"), 2 * 7.5 / 6 + 100);
  EXPECT_FALSE(result.model->parameters[4].constant);
}

// BioNetGen's saturable laws at x1 = 3, x2 = 5 (and a third reactant 7).
TEST(ReadBng, SaturableRateLaws) {
  NetResult result = read_net(
      "begin parameters\n1 k 2\n2 K 4\n3 n 2\n4 L 0.5\nend parameters\n"
      "begin species\n1 S() 3\n2 E() 5\n3 F() 7\nend species\n"
      "begin reactions\n1 1,2 2 Sat k K\n2 1,2 2 3*Sat k K L\n3 1,2 2 Sat k\n"
      "4 1,2 2 Hill k K n\n5 1,2 2 MM k K\n6 1,2,3 2 2*MM k K\n7 1 2 Ele k\nend reactions\n");
  ASSERT_TRUE(result.model) << result.messages;
  NetValues v(*result.model);
  EXPECT_DOUBLE_EQ(v.rate(0), 2.0 * 3 * 5 / (4 + 3));
  EXPECT_DOUBLE_EQ(v.rate(1), 3 * 2.0 * 3 * 5 / ((4 + 3) * (0.5 + 5)));
  EXPECT_DOUBLE_EQ(v.rate(2), 2);
  EXPECT_DOUBLE_EQ(v.rate(3), 2.0 * 9 / (16 + 9) * 5);
  double b = 3 - 4 - 5, free = 0.5 * (b + std::sqrt(b * b + 4 * 3 * 4));
  EXPECT_DOUBLE_EQ(v.rate(4), 2.0 * 5 * free / (4 + free));
  b = 3 - 4 - 12, free = 0.5 * (b + std::sqrt(b * b + 4 * 3 * 4));
  EXPECT_DOUBLE_EQ(v.rate(5), 2 * 2.0 * 12 * free / (4 + free));
  EXPECT_DOUBLE_EQ(v.rate(6), 6);
}

double value_of(const std::string& expression) {
  NetResult result = read_net("begin parameters\n1 a 3\n2 b 2\n3 x " + expression +
                              "\nend parameters\nbegin species\n1 A() 0\nend species\n");
  EXPECT_TRUE(result.model) << result.messages;
  return result.model ? NetValues(*result.model).of("x") : not_set;
}

TEST(ReadBng, ExpressionsBindAsInMuParser) {
  EXPECT_EQ(value_of("-a^b"), -9);
  EXPECT_EQ(value_of("a^b^a"), 6561);
  EXPECT_EQ(value_of("a^-1"), 1.0 / 3);
  EXPECT_EQ(value_of("a**b"), 9);
  EXPECT_EQ(value_of("a-b-1"), 0);
  EXPECT_EQ(value_of("a/b*4"), 6);
  EXPECT_EQ(value_of("2 + a * b"), 8);
  EXPECT_EQ(value_of("a*-b"), -6);
  EXPECT_EQ(value_of("1+a<b*3"), 1);
  EXPECT_EQ(value_of("a>=3&&b!=2||a==3"), 1);
  EXPECT_EQ(value_of("!(a>b)"), 0);
  EXPECT_EQ(value_of("a<b ? 10 : a>b ? 20 : 30"), 20);
  EXPECT_EQ(value_of("= 1.5e-3*a"), 1.5e-3 * 3);
}

TEST(ReadBng, ExpressionFunctions) {
  EXPECT_EQ(value_of("if(a>b,10,20)"), 10);
  EXPECT_EQ(value_of("if(a<b,10,20)"), 20);
  EXPECT_EQ(value_of("min(a,b,1)+max(a,b,7)"), 8);
  EXPECT_EQ(value_of("sum(a,b,1)/avg(a,b,1)"), 3);
  EXPECT_EQ(value_of("rint(a+0.4)"), 3);
  EXPECT_DOUBLE_EQ(value_of("log2(a+5)"), 3);
  EXPECT_DOUBLE_EQ(value_of("ln(exp(a))+log10(100)+sqrt(a+6)+abs(-b)"), 10);
  EXPECT_DOUBLE_EQ(value_of("_pi*b"), 2 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(value_of("ln(_e)"), 1);
}

TEST(ReadBng, NamesOfTheFileComeBeforeBuiltInOnes) {
  const std::string head = "begin functions\n1 f() 2*t\nend functions\nbegin species\n1 T() 5\n";
  NetResult plain = read_net(head + "end species\n");
  ASSERT_TRUE(plain.model) << plain.messages;
  EXPECT_EQ(NetValues(*plain.model, 100).of("f"), 200);
  NetResult shadowed = read_net(head + "end species\nbegin groups\n1 t 1\nend groups\n");
  ASSERT_TRUE(shadowed.model) << shadowed.messages;
  EXPECT_EQ(NetValues(*shadowed.model, 100).of("f"), 10);
}

TEST(ReadBng, FunctionsWithArguments) {
  NetResult result = read_net(
      "begin parameters\n1 k 2\nend parameters\n"
      "begin functions\n1 g() h(k,3)+1\n2 h(x,y) x^y\n3 local(x) k*A_tot(x)\nend functions\n"
      "begin species\n1 A() 1\nend species\nbegin groups\n1 A_tot 1\nend groups\n");
  ASSERT_TRUE(result.model) << result.messages;
  EXPECT_EQ(NetValues(*result.model).of("g"), 9);
  EXPECT_EQ(result.model->functions[1].body, no_expr);
}

TEST(ReadBng, TolerantOfFormat) {
  NetResult result = read_net(
      "\xEF\xBB\xBFversion(\"2.0\");\r\nbegin model\r\nbegin parameters\r\n\tk\t0.1 # no number\r\n"
      "end parameters\r\n\r\nbegin molecule types\r\n 1 A(k,r)\r\nend molecule types \r\n"
      "begin species\r\n  1\tA()\t10*k\r\n2 @c::$B() 1\r\nend species\r\n"
      "begin reactions\r\n1\t1\t0\tk\t#_R1\r\nend reactions\r\n"
      "begin groups\r\n1 G 1, 2*2\r\nend groups\r\nend model\r\nsimulate({t_end=>1})");
  ASSERT_TRUE(result.model) << result.messages;
  EXPECT_EQ(result.messages, "");
  NetValues v(*result.model);
  EXPECT_DOUBLE_EQ(v.rate(0), 0.1);
  EXPECT_EQ(result.model->species[1].id, "@c::B()");
  EXPECT_EQ(v.of("G"), 3);
}

TEST(ReadBng, SharesNodes) {
  std::string text =
      "begin parameters\n1 k 2\nend parameters\nbegin species\n1 A() 3\n2 B() 5\nend species\n"
      "begin reactions\n";
  for (int i = 1; i <= 100; ++i) text += std::to_string(i) + " 1,2 1 2*k #_R1\n";
  NetResult result = read_net(text + "end reactions\n");
  ASSERT_TRUE(result.model) << result.messages;
  // A, B, k, 2, 2*k once; two products for each reaction
  EXPECT_EQ(result.model->expressions.size(), 5u + 200u);
}

}  // namespace
}  // namespace stiffit::internal
