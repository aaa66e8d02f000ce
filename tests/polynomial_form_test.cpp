// Polynomial and quadratic forms: their equations against derivatives along the solution.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/reduce/polynomial_model.h"
#include "base/diagnostic.h"
#include "compiled_model.h"

namespace stiffit::internal {
namespace {

struct Point {
  double time = 0;
  std::vector<double> states;
};

double value_at(const System& system, NodeId node, const Point& at) {
  return system.graph.value(node, [&](Leaf kind, int index) {
    const auto i = static_cast<std::size_t>(index);
    return kind == Leaf::time    ? at.time
           : kind == Leaf::state ? at.states[i]
                                 : system.parameters[i].value;
  });
}

// d/dt of an expression along the solution, by derivatives of the graph.
double along_solution(System& system, NodeId node, const Point& at) {
  double sum = value_at(system, system.graph.time_derivative(node), at);
  for (auto [state, partial] : system.graph.gradient(node, Leaf::state))
    sum += value_at(system, partial, at) *
           value_at(system, system.rhs[static_cast<std::size_t>(state)], at);
  return sum;
}

void expect_true_equations(System& system, const PolynomialForm& form, const Point& at) {
  std::vector<double> values;
  for (const PolynomialVariable& v : form.variables)
    values.push_back(value_at(system, v.definition, at));
  for (std::size_t i = 0; i < form.variables.size(); ++i) {
    double sum = 0, size = 0;
    for (auto& [m, c] : form.variables[i].derivative) {
      double term = value_at(system, c, at);
      for (auto [variable, power] : m)
        term *= std::pow(values[static_cast<std::size_t>(variable)], power);
      sum += term;
      size += std::fabs(term);
    }
    const double expected = along_solution(system, form.variables[i].definition, at);
    EXPECT_NEAR(sum, expected, 1e-11 * (size + std::fabs(expected))) << "variable " << i;
  }
}

void expect_both_forms(ResolvedSystem resolved, const Point& at) {
  System& system = resolved.system;
  const PolynomialForm polynomial = polynomial_form(system);
  expect_true_equations(system, polynomial, at);
  const PolynomialForm quadratic = quadratic_form(system.graph, polynomial);
  EXPECT_LE(quadratic.largest_degree(), 2);
  expect_true_equations(system, quadratic, at);
  expect_true_equations(system, held_products(system.graph, quadratic, 3), at);
}

TEST(PolynomialForm, OfTheExampleWithSineAndLogarithmsHasSevenVariables) {
  ResolvedSystem resolved = resolve_text("example", R"(
species x1, x2
x1' = x1*sin(ln(x2)) + x1^2*ln(x2); x2' = x2*ln(x1)
x1 = exp(1); x2 = 1
)");
  const PolynomialForm polynomial = polynomial_form(resolved.system);
  EXPECT_EQ(polynomial.variables.size(), 6u);
  const PolynomialForm quadratic = quadratic_form(resolved.system.graph, polynomial);
  ASSERT_EQ(quadratic.variables.size(), 7u);
  EXPECT_EQ(quadratic.largest_degree(), 2);
  PolynomialModel made = polynomial_model(Model{}, resolved, quadratic);
  std::vector<double> start = made.initial;
  EXPECT_DOUBLE_EQ(start[0], std::exp(1.0));
  EXPECT_EQ(start[1], 1);
  std::sort(start.begin() + 2, start.end());
  EXPECT_EQ(std::vector<double>(start.begin() + 2, start.end()),
            (std::vector<double>{0, 0, 0, 1, 1}));
  expect_true_equations(resolved.system, quadratic, {0, {1.7, 0.6}});
}

TEST(PolynomialForm, KnowsEveryFunction) {
  ResolvedSystem resolved = resolve_text("functions", R"(
species x, y
x' = exp(-x*y) + sqrt(x + y) - log10(x) + tan(x/2) + x^1.7 - 1/sqrt(x) + (x + 1)^2.5
y' = sinh(x) + cosh(y) - tanh(x*y) + asin(x/3) + acos(y/3) + atan(x) + asinh(y) + acosh(x + 2) + atanh(y/4) + x^y + 2^x + sec(x/2) + cot(y) + 1/(1 + x^2)/(y + x) + a^n
x = 1; y = 1; a = 2; n = 1.5
)");
  expect_true_equations(resolved.system, polynomial_form(resolved.system), {0, {0.8, 0.7}});
}

TEST(PolynomialForm, QuadraticOfSomeFunctionsIsTrue) {
  for (const char* rate : {"exp(-x*y) - tanh(x)", "x^1.7 - 1/sqrt(y)", "asin(x/3) + y^3", "x^y",
                           "1/(1 + x^4)/(y + x)", "sin(x)*cos(y^2)"})
    expect_both_forms(resolve_text("functions", "species x, y; x = 1; y = 1\nx' = " +
                                                    std::string(rate) + "\ny' = x - y*x^2\n"),
                      {0, {0.8, 0.7}});
}

TEST(PolynomialForm, MakesTimeAVariableOnlyWhereItMustBe) {
  ResolvedSystem plain = resolve_text("plain", "species x; x' = exp(-3*time) - x; x = 1");
  EXPECT_EQ(polynomial_form(plain.system).variables.size(), 2u);
  ResolvedSystem clock = resolve_text("clock", "species x; x' = sin(2*time)/(time + 1) - x; x = 1");
  expect_true_equations(clock.system, polynomial_form(clock.system), {0.4, {0.3}});
  expect_both_forms(resolve_text("clock", "species x; x' = x^3*time^2 - x; x = 1"), {0.4, {0.3}});
}

TEST(PolynomialForm, OfReactionsWithCompartmentsIsTrue) {
  expect_both_forms(resolve_text("cells", R"(
compartment c = 2, d = 0.5
species A in c, B in d
r1: A -> B; k*A/(K + A)*c
r2: 2 B -> A; d*V*B^2/(1 + B^3)
A = 3; B = 1; k = 0.7; K = 0.4; V = 2
)"),
                    {0, {2.2, 0.9}});
}

// x/(K + x) is 1 - K/(K + x): a cascade of saturated reactions needs few products.
TEST(PolynomialForm, FractionsReduceAgainstTheirDenominators) {
  ResolvedSystem resolved = resolve_text("cascade", R"(
species C, M
C' = v - d*C - e*M*C/(K + C); M' = V*C/(L + C)*(1 - M)/(k1 + 1 - M) - U*M/(k2 + M)
C = 0.1; M = 0.2; v = 0.3; d = 0.1; e = 0.25; K = 0.2; L = 0.5; V = 3; U = 1.5; k1 = 0.05; k2 = 0.04
)");
  const PolynomialForm polynomial = polynomial_form(resolved.system);
  ASSERT_EQ(polynomial.variables.size(), 6u);
  EXPECT_EQ(polynomial.fractions.size(), 4u);
  for (std::size_t i = 0; i < 2; ++i)
    for (auto& [m, c] : polynomial.variables[i].derivative) EXPECT_LE(degree(m), 2);
  const Point at{0, {0.4, 0.3}};
  expect_both_forms(resolved, at);
  // What fractions are held by is zero along the solution.
  for (const PolynomialVariable& v : polynomial.variables) {
    double sum = 0;
    for (auto& [m, c] : v.relation) {
      double term = value_at(resolved.system, c, at);
      for (auto [variable, power] : m)
        term *= std::pow(
            value_at(resolved.system,
                     polynomial.variables[static_cast<std::size_t>(variable)].definition, at),
            power);
      sum += term;
    }
    EXPECT_NEAR(sum, 0, 1e-12);
  }
}

TEST(PolynomialForm, TheLogarithmicWayIsTrueToo) {
  for (const char* rate : {"x*y/(1 + x^3) - y^4", "exp(-x*y)*x/(2 + y)/(1 + x)", "x^2*y^3 - sin(x)",
                           "1/(x*y + x^2)"}) {
    ResolvedSystem resolved = resolve_text(
        "rates", "species x, y; x = 1; y = 1\nx' = " + std::string(rate) + "\ny' = x - y*x^2\n");
    System& system = resolved.system;
    const auto form = logarithmic_form(system.graph, polynomial_form(system), 1000);
    ASSERT_TRUE(form);
    EXPECT_LE(form->largest_degree(), 2);
    expect_true_equations(system, *form, {0, {0.8, 0.7}});
    expect_true_equations(system, held_products(system.graph, *form, 3), {0, {0.8, 0.7}});
    EXPECT_FALSE(logarithmic_form(system.graph, polynomial_form(system), 3));
  }
}

// Products of many factors, of which the greedy choice would try too many.
TEST(PolynomialForm, OfManyFactorsEnds) {
  std::string text;
  for (int i = 0; i < 6; ++i) {
    const std::string x = "x" + std::to_string(i);
    text += "species " + x + " = 1; " + x + "' = -" + x;
    for (int j = 0; j < 6; ++j)
      text += " + 0.1*(x" + std::to_string(j) + "/(" + std::to_string(i + j + 1) + " + x" +
              std::to_string(j) + "))^" + std::to_string(2 + (i + j) % 3);
    text += "\n";
  }
  ResolvedSystem resolved = resolve_text("many", text);
  const PolynomialForm form =
      quadratic_form(resolved.system.graph, polynomial_form(resolved.system));
  EXPECT_LE(form.largest_degree(), 2);
  expect_true_equations(resolved.system, form, {0, {0.8, 0.7, 1.1, 0.3, 0.5, 1.3}});
}

TEST(PolynomialForm, LongProductsOfSumsAreNamed) {
  ResolvedSystem resolved = resolve_text("long", R"(
species a, b, c, d, e, f
a' = (a+b+c+d+e+f)*(a-b+c*d-e*f+1)*(a*b+c*d+e*f+f*a)*(1+a+b*c+d+e+f) - a
b' = -b; c' = a - c; d' = -d; e' = b - e; f' = -f*a
a = 0.1; b = 0.2; c = 0.3; d = 0.4; e = 0.5; f = 0.6
)");
  const PolynomialForm form = polynomial_form(resolved.system);
  EXPECT_GT(form.variables.size(), 6u);
  expect_true_equations(resolved.system, form, {0, {0.3, 0.1, 0.25, 0.4, 0.15, 0.35}});
}

std::string complaint_about(const std::string& text) {
  ResolvedSystem resolved = resolve_text("bad", text);
  try {
    const PolynomialForm form =
        quadratic_form(resolved.system.graph, polynomial_form(resolved.system));
    polynomial_model(Model{}, resolved, form);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PolynomialForm, SaysWhatItCannotDo) {
  EXPECT_NE(complaint_about("species x; x' = piecewise(1, x > 2, 0) - x; x = 1").find("conditions"),
            std::string::npos);
  EXPECT_NE(complaint_about("species x; x' = 1 - x; x = 1; at time > 3: x = 2").find("events"),
            std::string::npos);
  // 1/x, needed for the derivative of x^1.7, does not exist at the start.
  EXPECT_NE(complaint_about("species x; x' = 1 - x^1.7; x = 0").find("at the start"),
            std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
