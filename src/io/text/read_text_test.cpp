// SPDX-License-Identifier: Apache-2.0
#include "io/text/read_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/number.h"

namespace stiffit::internal {
namespace {

// An expression in a plain prefix-free form, so that a test can say what it expects.
std::string show(const Model& m, ExprId id) {
  if (id < 0) return "none";
  const ExprNode& n = m.expressions[id];
  if (n.op == Op::number) return format_number(n.value);
  if (n.op == Op::symbol)
    return n.ref.kind == SymbolKind::argument ? std::string("#").append(std::to_string(n.ref.index))
                                              : m.id_of(n.ref);
  std::string name(n.op == Op::call ? m.functions[n.ref.index].id : name_of(n.op));
  if (arity(n.op) == 2 && !function_named(name)) {
    std::string text = "(";
    return text.append(show(m, n.a)).append(name).append(show(m, n.b)).append(")");
  }
  std::vector<ExprId> operands{n.a, n.b, n.c};
  if (n.op == Op::call)
    operands.assign(m.expressions.arguments(n), m.expressions.arguments(n) + n.b);
  std::string list;
  for (ExprId operand : operands)
    if (operand >= 0) list.append(list.empty() ? "" : ",").append(show(m, operand));
  return name.append("(").append(list).append(")");
}

Model read(std::string text, std::string_view name = {}) {
  auto source = std::make_shared<const Source>("test.rxn", std::move(text));
  Diagnostics diagnostics(source);
  auto model = read_text(source, diagnostics, name);
  EXPECT_TRUE(model.has_value()) << render(diagnostics);
  return model ? std::move(*model) : Model{};
}

std::string findings(std::string text) {
  auto source = std::make_shared<const Source>("test.rxn", std::move(text));
  Diagnostics diagnostics(source);
  read_text(source, diagnostics);
  std::string all;
  for (const Diagnostic& d : diagnostics.items()) all += d.message + "\n";
  return all;
}

std::string rate(const Model& m, std::size_t reaction = 0) {
  return reaction < m.reactions.size() ? show(m, m.reactions[reaction].rate) : "no such reaction";
}

std::string rule_for(const Model& m, std::string_view id) {
  for (const Rule& rule : m.rules)
    if (m.id_of(rule.target) == id) return show(m, rule.value);
  return "no rule";
}

// The value of an expression of literals, after folding.
double folded(const std::string& expression) {
  Model m = read(std::string("x = ").append(expression));
  return m.parameters.empty() ? not_set : m.parameters[0].value;
}

TEST(ReadText, ReversibleMassActionShorthand) {
  Model m = read("E + S <-> C; k1, k_1\nC -> E + P; k2\nE=1; S=2; C=0; P=0; k1=3; k_1=4; k2=5");
  EXPECT_EQ(rate(m, 0), "(((k1*E)*S)-(k_1*C))");
  EXPECT_EQ(rate(m, 1), "(k2*C)");
  EXPECT_TRUE(m.reactions[0].reversible);
  ASSERT_EQ(m.species.size(), 4u);
  EXPECT_EQ(m.species[0].id, "E");
  EXPECT_EQ(m.species[1].initial, 2);
  EXPECT_EQ(m.species[1].compartment, -1);
  for (const char* arrow : {"<=>", "<==>", "\u21CC"})
    EXPECT_EQ(rate(read(std::string("A ") + arrow + " B; 2, 3\nA=1;B=0")), "((2*A)-(3*B))");
}

TEST(ReadText, OneBareConstantIsMassActionAndNothingElseIs) {
  std::string values = "\nA=1; B=0; k=2";
  EXPECT_EQ(rate(read("A -> B; k" + values)), "(k*A)");
  EXPECT_EQ(rate(read("2 A => B; 0.5" + values)), "(0.5*pow(A,2))");
  EXPECT_EQ(rate(read("A -> B; (k)" + values)), "k");
  EXPECT_EQ(rate(read("A -> B; k*1" + values)), "(k*1)");
  EXPECT_EQ(rate(read("A -> B; k*A" + values)), "(k*A)");
  EXPECT_EQ(rate(read("-> B; k" + values)), "k");
  EXPECT_EQ(rate(read("A -> B; B" + values)), "B");
  EXPECT_EQ(rate(read("A -> B" + values)), "none");
  EXPECT_EQ(rate(read("$A -> B; k" + values)), "(k*A)");
}

TEST(ReadText, AVaryingNameIsTheRateItselfAndSaysSo) {
  Model m = read("A -> B; v\nv := 2*A; A=1; B=0");
  EXPECT_EQ(rate(m), "v");
  EXPECT_NE(findings("A -> B; v\nv := 2*A; A=1; B=0").find("taken as the rate itself"),
            std::string::npos);
}

TEST(ReadText, MassActionInACompartmentIsTimesTheCompartment) {
  std::string head = "compartment c = 2; species A in c = 1, B in c = 0; ";
  EXPECT_EQ(rate(read(head + "A -> B; 3")), "((3*A)*c)");
  EXPECT_EQ(rate(read(head + "A <-> B; 3, 4")), "(((3*A)*c)-((4*B)*c))");
  EXPECT_EQ(rate(read(head + "A -> B; 3*A")), "(3*A)");
  EXPECT_EQ(rate(read("compartment c = 2; substanceOnly species A in c = 1; A -> ; 3")), "(3*A)");
}

TEST(ReadText, BothNamesOfUnnamedReactionsAndStoichiometries) {
  Model m = read("A + 2 B -> 0.5 C; 1*A\nn A -> 1/4 C; 1*A\n_J1: C -> ; 1*C\nA=1;B=1;C=0;n=2");
  EXPECT_EQ(m.reactions[0].id, "_J0");
  EXPECT_EQ(m.reactions[1].id, "_J2");
  EXPECT_EQ(m.reactions[0].reactants[1].stoichiometry, 2);
  EXPECT_EQ(m.reactions[0].products[0].stoichiometry, 0.5);
  EXPECT_EQ(m.reactions[1].reactants[0].parameter, m.find("n").index);
  EXPECT_EQ(m.reactions[1].products[0].stoichiometry, 0.25);
}

TEST(ReadText, ReactionAttributesModifiersAndInteractions) {
  Model m = read(
      "J0: A -> B; k*A*M\nJ1: A => B\nJ1 = k*A\ni: N -| J1\nM -o J1; A=1;B=0;M=1;N=1;k=1\n"
      "species M, N");
  EXPECT_TRUE(m.reactions[0].reversible);
  EXPECT_FALSE(m.reactions[1].reversible);
  EXPECT_EQ(m.reactions[0].modifiers, std::vector<std::int32_t>{m.find("M").index});
  EXPECT_EQ(rate(m, 1), "(k*A)");
  EXPECT_EQ(m.reactions[1].modifiers.size(), 2u);
  EXPECT_EQ(m.reactions.size(), 2u);
}

TEST(ReadText, DeclarationsOfSpeciesAndCompartments) {
  Model m = read(
      "compartment c1 = 2, c2; c2 = 3*c1\nspecies S1 in c1, $S2 in c1 = 7\n"
      "substanceOnly species S3 in c1 = 4\nconst species S4 = 1\nS1 = 10/c1\nS5 in c2 = 3\n"
      "J in c2: S5 -> S6; 1*S5\nS6 = 0; S1 has mole/liter; p = 3.3 mole");
  EXPECT_EQ(m.compartments[0].size, 2);
  EXPECT_TRUE(std::isnan(m.compartments[1].size));
  EXPECT_EQ(m.initial_assignments.size(), 1u);
  const Species& s1 = m.species[m.find("S1").index];
  EXPECT_EQ(s1.initial, 10);
  EXPECT_TRUE(s1.initial_is_amount);
  EXPECT_FALSE(s1.in_amount);
  EXPECT_EQ(s1.unit, "mole/liter");
  const Species& s2 = m.species[m.find("S2").index];
  EXPECT_TRUE(s2.boundary && s2.constant);
  const Species& s3 = m.species[m.find("S3").index];
  EXPECT_TRUE(s3.in_amount && s3.initial_is_amount);
  EXPECT_TRUE(m.species[m.find("S4").index].boundary);
  EXPECT_EQ(m.species[m.find("S6").index].compartment, 1);
  EXPECT_EQ(m.parameters[m.find("p").index].unit, "mole");
}

TEST(ReadText, RulesAndHigherDerivatives) {
  Model m = read("y'' = -y - 0.1*y'\ny = 1; y'(0) = 0.5\nz := 2*y + y''\nvar q; 0 = q - z");
  EXPECT_EQ(rule_for(m, "y"), "y_dot");
  EXPECT_EQ(rule_for(m, "y_dot"), "(-(y)-(0.1*y_dot))");
  EXPECT_EQ(rule_for(m, "z"), "((2*y)+rateOf(y_dot))");
  EXPECT_EQ(m.parameters[m.find("y_dot").index].value, 0.5);
  EXPECT_EQ(m.rules.back().kind, RuleKind::algebraic);
  EXPECT_EQ(show(m, m.rules.back().value), "(q-z)");
  m = read("y''' = -y''\ny(0) = 1; y'(0) = 2; y''(0) = 3");
  EXPECT_EQ(rule_for(m, "y_dot2"), "-(y_dot2)");
  EXPECT_EQ(m.parameters[m.find("y_dot2").index].value, 3);
}

TEST(ReadText, EventsInAllForms) {
  Model m = read(
      "x=1;y=2;z=0\nE1: at 10 after (x>5), priority=2, t0=false, persistent=false, "
      "fromTrigger=false: x = 3, y = x + 2\nat time > 20:\n  z = 1\n@(x==2): z = 3;\n"
      "at 2*z/y after x > 5 && y < 3: x = 1");
  ASSERT_EQ(m.events.size(), 4u);
  EXPECT_EQ(m.events[0].id, "E1");
  EXPECT_EQ(show(m, m.events[0].delay), "10");
  EXPECT_EQ(show(m, m.events[0].priority), "2");
  EXPECT_FALSE(m.events[0].initial_value || m.events[0].persistent ||
               m.events[0].values_at_trigger);
  EXPECT_EQ(show(m, m.events[0].assignments[1].value), "(x+2)");
  EXPECT_EQ(m.events[1].id, "_E0");
  EXPECT_TRUE(m.events[1].initial_value && m.events[1].persistent && m.events[1].values_at_trigger);
  EXPECT_EQ(show(m, m.events[3].delay), "((2*z)/y)");
  EXPECT_EQ(show(m, m.events[3].trigger), "((x>5)&&(y<3))");
  EXPECT_FALSE(m.parameters[0].constant);
}

TEST(ReadText, OperatorsBindAsInAntimony) {
  EXPECT_EQ(folded("-2^2"), -4);
  EXPECT_EQ(folded("2^3^2"), 512);
  EXPECT_EQ(folded("2^-1"), 0.5);
  EXPECT_EQ(folded("10 - 3 - 2"), 5);
  EXPECT_EQ(folded("2 + 3*4/6"), 4);
  EXPECT_EQ(folded("7 % 4"), 3);
  EXPECT_EQ(folded("1 < 2 && 3 >= 3 || false"), 1);
  EXPECT_EQ(folded("1 < 3 < 2"), 0);
  EXPECT_EQ(folded("!true"), 0);
  EXPECT_EQ(folded("not (1 == 2)"), 1);
  EXPECT_EQ(folded("(1 +\n  2)*3"), 9);
  EXPECT_EQ(folded("INF"), std::numeric_limits<double>::infinity());
}

TEST(ReadText, FunctionsOfTheLanguage) {
  EXPECT_DOUBLE_EQ(folded("log(100)"), 2);
  EXPECT_DOUBLE_EQ(folded("ln(exponentiale)"), 1);
  EXPECT_DOUBLE_EQ(folded("log(2, 8)"), 3);
  EXPECT_DOUBLE_EQ(folded("root(3, 8)"), 2);
  EXPECT_DOUBLE_EQ(folded("sqr(3)"), 9);
  EXPECT_DOUBLE_EQ(folded("max(1, 5, 3) - min(4, 2, 3)"), 3);
  EXPECT_DOUBLE_EQ(folded("arcsin(1)"), std::asin(1.0));
  EXPECT_DOUBLE_EQ(folded("arccosh(2)"), std::acosh(2.0));
  EXPECT_DOUBLE_EQ(folded("ceiling(1.2) + ceil(0.2) + floor(-0.5)"), 2);
  EXPECT_DOUBLE_EQ(folded("piecewise(1, 2 > 3, 5, geq(3, 3), 9)"), 5);
  EXPECT_DOUBLE_EQ(folded("piecewise(1, gt(2, 3), 9)"), 9);
  EXPECT_TRUE(std::isnan(folded("piecewise(1, false)")));
  EXPECT_DOUBLE_EQ(folded("and(1, 1, 0) + or(0, 1) + xor(1, 1) + neq(1, 2)"), 2);
  EXPECT_DOUBLE_EQ(folded("factorial(4) + abs(-1)"), 25);
  Model m = read("x=1; S=1; J: S -> ; 2*S\ny := delay(x, 2) + rateOf(S) + J + avogadro + time");
  EXPECT_EQ(rule_for(m, "y"), "((((delay(x,2)+rateOf(S))+J)+6.02214179e+23)+time)");
}

TEST(ReadText, UserFunctions) {
  Model m =
      read("function f(a, b)\n  a*b^2\nend\nfunction g(x) f(x, 2); end\nk=1; y := g(k) + f(k, 1)");
  EXPECT_EQ(show(m, m.functions[0].body), "(#0*pow(#1,2))");
  EXPECT_EQ(show(m, m.functions[1].body), "f(#0,2)");
  EXPECT_EQ(rule_for(m, "y"), "(g(k)+f(k,1))");
}

TEST(ReadText, LiteralsFoldAndNamesStay) {
  Model m = read("a = 2*3 + 1; b = 2*a; A -> ; 1*A; A = b/2");
  EXPECT_EQ(m.parameters[0].value, 7);
  EXPECT_TRUE(std::isnan(m.parameters[1].value));
  ASSERT_EQ(m.initial_assignments.size(), 2u);
  EXPECT_EQ(show(m, m.initial_assignments[0].value), "(2*a)");
  EXPECT_EQ(m.initial_assignments[1].target.kind, SymbolKind::species);
}

TEST(ReadText, ChoosesTheModel) {
  std::string text = "model a\n S=1\nend\nmodel b()\n S=2\nend\n";
  EXPECT_EQ(read(text).id, "b");
  EXPECT_EQ(read(text, "a").id, "a");
  EXPECT_EQ(read("model *a\n S=1\nend\nmodel b\n S=2\nend").id, "a");
  auto source = std::make_shared<const Source>("test.rxn", text);
  Diagnostics diagnostics(source);
  EXPECT_FALSE(read_text(source, diagnostics, "c"));
  EXPECT_EQ(diagnostics.items()[0].message, "no model named 'c'");
}

TEST(ReadText, DirectivesCommentsAndAnnotations) {
  Model m = read(
      "\xEF\xBB\xBF#: title The whole thing\r\nmodel m # one\r\n  #: start 10\r\n  #: end 4e1\r\n"
      "  S = 1 // two\r\n  S is \"substrate\"\r\n /* three\r\n */ S identity \"urn:a\",\r\n"
      " \"urn:b\"\r\n  S.sboTerm = 247\r\nend\r\nm is \"other title\"\r\n");
  EXPECT_EQ(m.title, "The whole thing");
  EXPECT_EQ(m.start_time, 10);
  EXPECT_EQ(m.end_time, 40);
  ASSERT_EQ(m.parameters.size(), 1u);
  EXPECT_EQ(m.parameters[0].id, "S");
}

// The layout Antimony's own writer gives a model.
TEST(ReadText, WhatAntimonyWrites) {
  Model m = read(
      "model *BIOMD1(A)\n  compartment comp1;\n  species A in comp1, $C in comp1;\n"
      "  J0: A => ; comp1*f(k, A);\n  E0: at 5 after geq(time, 10), t0=false: A = 3/comp1;\n"
      "  A = 2/comp1; A has mole_per_l;\n  C = 1\n  comp1 = 1e-16;\n  k = 3;  k has per_s;\n"
      "  const comp1, k;\n  unit mole_per_l = mole / litre;\n  unit per_s = 1 / second;\n"
      "  A hypernym \"http://a\",\n   \"http://b\"\nend\n"
      "function f(v, s)\n  v*s;\nend\nf is \"Law\"\nBIOMD1 is \"Edelstein\"\n");
  EXPECT_EQ(m.title, "Edelstein");
  EXPECT_EQ(m.compartments[0].size, 1e-16);
  EXPECT_EQ(m.species[0].initial, 2);
  EXPECT_TRUE(m.species[0].initial_is_amount);
  EXPECT_EQ(rate(m), "(comp1*f(k,A))");
  EXPECT_EQ(show(m, m.events[0].trigger), "(time>=10)");
}

TEST(ReadText, SpeciesOfOneFamilyAreNoMisprints) {
  EXPECT_EQ(findings("species S1 = 1\nS1 -> S2; 3\n"),
            "species 'S2' has no initial value; it starts at 0\n");
}

TEST(ReadText, SpansPointAtTheSource) {
  Model m = read("A=1; B=0; k=2\nJ7: A -> B; k*A");
  auto text = [&](Span s) { return m.source->text().substr(s.begin, s.end - s.begin); };
  EXPECT_EQ(text(m.reactions[0].span), "J7: A -> B");
  EXPECT_EQ(text(m.expressions[m.reactions[0].rate].span), "k*A");
  EXPECT_EQ(text(m.species[1].span), "B");
}

TEST(ReadText, LongSumsAndDeepNestingKeepTheStack) {
  std::string sum = "x = 1\ny := x";
  for (int i = 0; i < 100000; ++i) sum += "+x";
  EXPECT_EQ(read(sum).rules.size(), 1u);
  for (const char* opening : {"(", "-", "f(", "2^", "!", "((-", "piecewise(1,"}) {
    std::string deep = "x = ";
    for (int i = 0; i < 100000; ++i) deep += opening;
    EXPECT_EQ(findings(deep), "this expression is nested too deeply\n") << opening;
  }
}

TEST(ReadText, GarbageIsRefusedAndTheReaderStops) {
  std::mt19937 random(1);
  std::string alphabet = "abcS12+-*/()=;:'$,<> \"%&\n\n";
  std::string garbage;
  for (int i = 0; i < 2000000; ++i) garbage += alphabet[random() % alphabet.size()];
  auto source = std::make_shared<const Source>("garbage", garbage);
  Diagnostics diagnostics(source);
  EXPECT_FALSE(read_text(source, diagnostics));
  EXPECT_TRUE(diagnostics.full());
}

// Pieces of the language thrown together: never a crash, never a model beside an error.
TEST(ReadText, SurvivesShuffledPieces) {
  const char* pieces[] = {"model m ", "end ",   "species ", "S1 ",   "S2 ",   "k ",
                          "-> ",      "<-> ",   ";",        "\n",    "= ",    ":= ",
                          "' ",       "( ",     ") ",       "3 ",    "+ ",    "* ",
                          "at ",      ": ",     ", ",       "$",     "in ",   "c ",
                          "J: ",      "0 ",     "has ",     "is ",   "\"a\"", "function f(x) ",
                          "f",        "after ", "-o ",      "unit ", "y'' "};
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += pieces[random() % std::size(pieces)];
    auto source = std::make_shared<const Source>("shuffled", text);
    Diagnostics diagnostics(source);
    auto model = read_text(source, diagnostics);
    EXPECT_NE(model.has_value(), diagnostics.has_errors()) << text;
  }
}

}  // namespace
}  // namespace stiffit::internal
