// Text -> SBML -> text and back: every feature that a model can hold, and every library model.
// SPDX-License-Identifier: Apache-2.0
#include "round_trip.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "io/sbml/write_sbml.h"
#include "io/text/writer/write_text.h"
#include "model/library/library.h"

namespace stiffit::internal {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void expect_round_trips(const SharedModel& model, double end, double tolerance) {
  EXPECT_EQ(first_difference(model, through_text(model), end, tolerance), "") << "text";
  SharedModel sbml = through_sbml(model);
  EXPECT_EQ(first_difference(model, sbml, end, tolerance), "") << "SBML";
  EXPECT_EQ(first_difference(model, through_text(sbml), end, tolerance), "") << "SBML, text";
  EXPECT_EQ(first_difference(model, through_sbml(through_text(model)), end, tolerance), "")
      << "text, SBML";
}

TEST(RoundTrip, LibraryModels) {
  for (const LibraryModel& entry : library_models()) {
    SCOPED_TRACE(entry.name);
    SharedModel model = text_model(std::string(entry.text));
    expect_round_trips(model, model->end_time, 1e-10);
    SharedModel again = through_text(model);
    EXPECT_EQ(again->title, model->title);
    EXPECT_EQ(again->end_time, model->end_time);
  }
}

class Feature : public testing::TestWithParam<const char*> {};

TEST_P(Feature, GivesTheSameNumbers) { expect_round_trips(text_model(GetParam()), 10, 1e-10); }

INSTANTIATE_TEST_SUITE_P(
    RoundTrip, Feature,
    testing::Values(
        // compartments and what a species' name means
        "compartment c = 2, d = 0.1; species A in c = 10/c, B in c = 3; substanceOnly species C in "
        "d = 4\nspecies $X in d = 1.5\nA + B -> C; k\nC -> ; 0.3\n$X -> A; k2*X\nk = 0.1; k2 = 1/3",
        // rules of every kind, on everything
        "var compartment c = 1; c' = 0.1; species A in c = 1, $B in c; B := 2*A + k\nA -> ; "
        "0.2*A*c\n"
        "k := sin(time); y'' = -y; y = 1; y'(0) = 0.5; x = 1; x' = -x + y'",
        "species A = 1; var z; A -> ; 0.1\n0 = z + z^3 - A",
        // initial assignments in any order, and higher derivatives
        "a = 2*b; b = c + 1; c = 3; species S = a/7; S -> ; b/10",
        // stoichiometries
        "n = 2; m := 1 + time/10; n2 = -1.5\nA -> n B; 0.3*A\nJ: m A -> 0.25 B; 0.1*A\n"
        "K: n2 C -> ; 0.1*C\nL: n C + A -> ; 0.01*C\nA = 5; B = 0; C = 1",
        // fast reactions
        "#: fast J1\nJ1: A + B -> C; 5*A*B - C\nJ2: C -> D; 0.2*C\nA = 1; B = 2; C = 0; D = 0\n"
        "at (time > 3): A = 2",
        // functions
        "function hill(x, K, n)\n x^n/(K^n + x^n)\nend\nfunction two(x)\n hill(x, 1, 2) + "
        "time\nend\n"
        "J1: A -> B; hill(A, 0.5, 3)\nJ2: B -> A; 0.1*two(B)\nA = 2; B = 0.1",
        // events with all their options
        "A = 1; k = 0.5; n = 0; A -> ; k*A\n"
        "E1: at (A < 0.5): A = A + 1, n = n + 1\n"
        "at 0.3*k after (time > 4), priority = 2 + n, persistent = false, fromTrigger = false: k = "
        "2*k\n"
        "E3: at (time >= 0), t0 = false: A = 3\n"
        "at (time > 4), priority = 1: k = k/3",
        // delays, piecewise and its conditions
        "A = 1; B = 0; A -> B; piecewise(0.1, time < 2, 0.5, time < 4 || B > 0.5, 0.2)*A\n"
        "x := delay(A, 1.5); y = 0; y' = x - y + min(A, B) - max(0.1, B)*abs(A - 0.5)",
        "A = 1; x := piecewise(1, xor(A > 0.5, time > 3), implies(A > 0.1, time < 5), 2, 3)\n"
        "A -> ; 0.3*A*(1 + floor(time)/10) + 0*(A != 0.3 && !(A == 1))\ny := rateOf(A) + J; J: -> "
        "A; "
        "0.05",
        // grouping and signs
        "a = 2; b = 3; c = 5; x := a - (b - c) - -a; y := a/(b*c)/(a/b) + a^b^2/1e5 - (-a)^2 + "
        "-a^2\n"
        "z := (a*(b*c)) + (a + (b + c)) - (a < b) + 1e-7*1.1e300/1e300; S = 1; S -> ; 0.1*S",
        // numbers that 15 digits do not hold
        "k = 0.30000000000000004; S = 900000.000000017; S -> ; k*S*1.2345678901234567e-7 + "
        "123456789012345678e-30"));

TEST(RoundTrip, NumbersKeepEveryBit) {
  SharedModel model = text_model(
      "k = 0.30000000000000004; S = 900000.000000017; l = 2.2250738585072014e-308; m = "
      "-1.7976931348623157e308\n"
      "x := 1.2345678901234567e-7*time + 6.02214179e23; S -> ; k*S");
  SharedModel again = through_sbml(model);
  EXPECT_EQ(again->species[0].initial, 900000.000000017);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(again->parameters[i].value, model->parameters[i].value) << i;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < again->expressions.size(); ++i)
    if (again->expressions[static_cast<ExprId>(i)].op == Op::number)
      numbers.push_back(again->expressions[static_cast<ExprId>(i)].value);
  EXPECT_EQ(numbers, (std::vector<double>{1.2345678901234567e-7, 6.02214179e23}));
}

TEST(RoundTrip, UnitsAreKept) {
  SharedModel model = text_model(
      "model m\nunit mM = 1e-3 mole/litre, per_s = 1/second, k = 60 second\n"
      "unit time_unit = second, substance = 1e-3 mole, volume = litre\ncompartment c = 2\n"
      "species A in c = 3, B in c = 1; A has mM; p = 1; p has mole/second^2; q = 2 per_s\n"
      "A -> B; q*A*c\nx := A + 3 mM\nend\n");
  for (const SharedModel& again : {through_text(model), through_sbml(model)}) {
    auto same = [&](const std::string& a, const std::string& b) {
      auto left = again->unit_named(a), right = model->unit_named(b);
      return left && right && same_unit(*left, *right);
    };
    EXPECT_TRUE(same(again->model_units.time, "second"));
    EXPECT_TRUE(same(again->model_units.substance, "1e-3 mole"));
    EXPECT_TRUE(same(again->model_units.volume, "litre"));
    auto of = [&](const char* id) {
      return again->parameters[static_cast<std::size_t>(again->find(id).index)].unit;
    };
    EXPECT_TRUE(same(of("p"), "mole/second^2"));
    EXPECT_TRUE(same(of("q"), "per_s"));
    int literals = 0;
    for (std::size_t i = 0; i < again->expressions.size(); ++i) {
      const ExprNode& node = again->expressions[static_cast<ExprId>(i)];
      if (node.op != Op::number || node.ref.index < 0 || node.value != 3) continue;
      ++literals;
      EXPECT_TRUE(same(again->units[static_cast<std::size_t>(node.ref.index)].id, "mM"));
    }
    EXPECT_EQ(literals, 1);
    EXPECT_TRUE(same("k", "k"));
  }
}

TEST(RoundTrip, SubmodelsBecomeFlatWithValidNames) {
  SharedModel model = text_model(
      "model part(S)\nS -> P; k\nS = 1; P = 0; k = 2\nend\nmodel whole\nA: part(X)\nB: part(X)\n"
      "B.k = 3; X = 5\nend\n");
  for (const SharedModel& again : {through_text(model), through_sbml(model)}) {
    EXPECT_EQ(again->species.size(), 3u);
    EXPECT_EQ(again->parameters[static_cast<std::size_t>(again->find("B_k").index)].value, 3);
  }
}

TEST(RoundTrip, WhatTheModelSaysIsKept) {
  SharedModel model = text_model(
      "model m\n#: title Two steps\n#: end 7\n#: fast J2\ncompartment c = 2\nspecies A in c = 4/c, "
      "$X in c = 1\nsubstanceOnly species B in c = 2\nJ1: A => B; k*A*c\nJ2: B -> A; B - 2*A*c\n"
      "X -( J1\nk = 3; k has per_second\nE: at 2 after (time > 1), priority = 3, t0 = false, "
      "persistent = false, fromTrigger = false: k = 1\nend\n");
  SharedModel texts = through_text(model), sbml = through_sbml(model);
  EXPECT_EQ(texts->end_time, 7);
  EXPECT_EQ(texts->parameters[0].unit, "per_second");
  for (const SharedModel& again : {texts, sbml}) {
    EXPECT_EQ(again->id, "m");
    EXPECT_EQ(again->title, "Two steps");
    ASSERT_EQ(again->species.size(), 3u);
    EXPECT_EQ(again->species[0].initial, 4);
    EXPECT_TRUE(again->species[0].initial_is_amount);
    EXPECT_FALSE(again->species[0].in_amount);
    EXPECT_TRUE(again->species[1].boundary && again->species[1].constant);
    EXPECT_TRUE(again->species[2].in_amount);
    ASSERT_EQ(again->reactions.size(), 2u);
    EXPECT_FALSE(again->reactions[0].reversible);
    EXPECT_TRUE(again->reactions[1].reversible);
    EXPECT_FALSE(again->reactions[0].fast);
    EXPECT_TRUE(again->reactions[1].fast);
    EXPECT_EQ(again->reactions[0].modifiers, (std::vector<std::int32_t>{1}));
    ASSERT_EQ(again->events.size(), 1u);
    const Event& e = again->events[0];
    EXPECT_EQ(e.id, "E");
    EXPECT_TRUE(e.delay != no_expr && e.priority != no_expr);
    EXPECT_FALSE(e.initial_value || e.persistent || e.values_at_trigger);
  }
}

TEST(RoundTrip, NetworksGetValidNames) {
  SharedModel model = net_model(
      "begin parameters\n 1 k1 0.5\n 2 k2 k1/3\n 3 end 2\nend parameters\n"
      "begin functions\n 1 f() 0.1*Total/(1 + time)\nend functions\n"
      "begin species\n 1 A(b,c!1).B(x!1) 10\n 2 A_b_c_1_B_x_1 0\n 3 $S() 2*k1\nend species\n"
      "begin reactions\n 1 1 2 k1\n 2 2,2 1 k2\n 3 3 1 f\nend reactions\n"
      "begin groups\n 1 Total 1,2*2\nend groups\n");
  Writing text = write_text(*model);
  // The valid id stays, the other gets a number.
  EXPECT_TRUE(contains(text.text, "species A_b_c_1_B_x_1_2 = 10  // A(b,c!1).B(x!1)\n"))
      << text.text;
  EXPECT_TRUE(contains(text.text, "species A_b_c_1_B_x_1 = 0\n"));
  EXPECT_TRUE(contains(text.text, "end_2 = 2  // end\n"));
  EXPECT_TRUE(contains(text.text, "Total := "));
  Writing sbml = write_sbml(*model);
  EXPECT_TRUE(contains(sbml.text, "name=\"A(b,c!1).B(x!1)\"")) << sbml.text;
  SharedModel again = through_text(model);
  SharedModel plain = net_model(
      "begin parameters\n 1 k1 0.5\n 2 k2 k1/3\nend parameters\n"
      "begin functions\n 1 f() 0.1*Total/(1 + time)\nend functions\n"
      "begin species\n 1 A_b_c_1_B_x_1_2 10\n 2 A_b_c_1_B_x_1 0\n 3 $S 2*k1\nend species\n"
      "begin reactions\n 1 1 2 k1\n 2 2,2 1 k2\n 3 3 1 f\nend reactions\n"
      "begin groups\n 1 Total 1,2*2\nend groups\n");
  EXPECT_EQ(first_difference(plain, again, 10, 1e-10), "");
  EXPECT_EQ(first_difference(plain, through_sbml(model), 10, 1e-10), "");
  // Twice the same.
  EXPECT_EQ(write_text(*model).text, text.text);
}

TEST(RoundTrip, NetworksFromText) {
  for (const char* text :
       {"E = 0.01; S = 1; C = 0; P = 0; E + S <-> C; k1, k_1\nC -> E + P; k2\nk1 = 1; k_1 = kk/2; "
        "k2 "
        "= 0.5; kk = 2",
        "A = 3; B = 0; M = 2; X = 1.5; 2 A => B; 0.5*k*A^2\nB -> A; Vm*B*M/(Km + B)\n$X -> A; "
        "0.1*X\nM -> ; M*f(M)\n-> M; g\nk = 0.3; Vm = 2*k; Km = 0.7; g := 0.2 + 0.1*sin(time)\n"
        "function f(x)\n x*if_(x)\nend\nfunction if_(x)\n piecewise(0.1, x < 0.5, 0.2)\nend\n"}) {
    SharedModel model = text_model(text);
    EXPECT_EQ(first_difference(model, through_net(model), 10, 1e-8), "") << text;
  }
  for (const char* name : {"lotka", "robertson", "water-stiff"}) {
    SCOPED_TRACE(name);
    SharedModel model = text_model(std::string(find_library_model(name)->text));
    EXPECT_EQ(first_difference(model, through_net(model), model->end_time, 1e-4), "");
  }
}

TEST(RoundTrip, WhatANetworkCannotSayIsNamed) {
  SharedModel model = text_model(
      "compartment c = 2; species A in c = 1; A -> ; k/(1 + A)\nk = 1; x = 1; x' = -x\n"
      "at (A < 0.5): A = 1\n0.5 B -> A; floor(B)*B\nB = 1");
  try {
    through_net(model);
    FAIL();
  } catch (const InputError& error) {
    for (const char* part :
         {"events", "rate rule of x", "compartment c", "rate of _J0", "stoichiometry of B in _J1"})
      EXPECT_TRUE(contains(error.what(), part)) << part << "\n" << error.what();
  }
}

TEST(RoundTrip, LocalParametersBecomeGlobal) {
  SharedModel model = std::make_shared<const Model>([] {
    Model m;
    m.species.push_back({"A", -1, 1, false, false, false, false, -1, {}, {}});
    m.parameters.push_back({"R.k", 0.5, true, {}, {}});
    m.parameters.push_back({"R_k", 7, true, {}, {}});
    Reaction r;
    r.id = "R";
    r.reactants.push_back({0, 1, -1, {}});
    r.rate = m.expressions.apply(Op::mul, m.expressions.symbol({SymbolKind::parameter, 0}),
                                 m.expressions.symbol({SymbolKind::species, 0}));
    m.reactions.push_back(r);
    return m;
  }());
  for (const SharedModel& again : {through_text(model), through_sbml(model)}) {
    ASSERT_EQ(again->find("R_k_2").kind, SymbolKind::parameter);
    EXPECT_EQ(again->parameters[0].value, 0.5);
    EXPECT_EQ(again->parameters[1].value, 7);
  }
}

}  // namespace
}  // namespace stiffit::internal
