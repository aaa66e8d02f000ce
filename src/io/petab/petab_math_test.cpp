// SPDX-License-Identifier: Apache-2.0
#include "io/petab/petab_math.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/petab/petab_for_test.h"

namespace stiffit::internal {
namespace {

struct Formula {
  double value = not_set;
  std::string findings;
};

// With a = 2, b = 3, x = 0.5.
Formula formula(const std::string& text, PetabVersion version = PetabVersion::v2) {
  Model model;
  const std::map<std::string, double> values{{"a", 2}, {"b", 3}, {"x", 0.5}};
  for (const auto& [name, value] : values) {
    Parameter p;
    p.id = name;
    model.parameters.push_back(p);
  }
  PetabFile file("f", text);
  MathNames names;
  names.find = [&](std::string_view name) { return model.find(name); };
  names.all = [&] { return model.all_ids(); };
  Cell cell{text, {0, static_cast<std::uint32_t>(text.size())}};
  ExprId id = read_petab_math(cell, version, names, file, model.expressions);
  Formula result;
  result.findings = render(file.diagnostics());
  if (id != no_expr) result.value = value_of(model, id, values);
  return result;
}

TEST(PetabMath, OperatorsBindAsInTheStandard) {
  EXPECT_EQ(formula("1 + 2 * 3").value, 7);
  EXPECT_EQ(formula("-a^2").value, -4);
  EXPECT_EQ(formula("2^3^2").value, 512);
  EXPECT_EQ(formula("2^-1").value, 0.5);
  EXPECT_EQ(formula("8 / 4 / 2").value, 1);
  EXPECT_EQ(formula("8 - 4 - 2").value, 2);
  EXPECT_EQ(formula("+a - -b").value, 5);
  EXPECT_EQ(formula("(a + b) * 2").value, 10);
  EXPECT_EQ(formula("a + 1 > b - 1").value, 1);
  // && and || bind alike, from the left: (1 || 0) && 0.
  EXPECT_EQ(formula("true || false && false").value, 0);
  // Comparisons from the left, too: (3 > 2) > 1 is 1 > 1.
  EXPECT_EQ(formula("b > a > 1").value, 0);
  EXPECT_EQ(formula("!(a == b)").value, 1);
  EXPECT_EQ(formula("a != b").value, 1);
  EXPECT_EQ(formula("1 + true").value, 2);
  EXPECT_EQ(formula("1 && true").value, 1);
}

TEST(PetabMath, Numbers) {
  EXPECT_EQ(formula("1.5e-3").value, 1.5e-3);
  EXPECT_EQ(formula("1e+3").value, 1e3);
  EXPECT_EQ(formula(".5").value, 0.5);
  EXPECT_TRUE(std::isinf(formula("inf").value));
  EXPECT_EQ(formula("-inf").value, -std::numeric_limits<double>::infinity());
}

TEST(PetabMath, Functions) {
  EXPECT_DOUBLE_EQ(formula("pow(a, b)").value, 8);
  EXPECT_DOUBLE_EQ(formula("log(x)").value, std::log(0.5));
  EXPECT_DOUBLE_EQ(formula("log(8, a)").value, 3);
  EXPECT_DOUBLE_EQ(formula("log2(8)").value, 3);
  EXPECT_DOUBLE_EQ(formula("log10(1000)").value, 3);
  EXPECT_DOUBLE_EQ(formula("ln(exp(x))").value, 0.5);
  EXPECT_DOUBLE_EQ(formula("sqrt(16)").value, 4);
  EXPECT_DOUBLE_EQ(formula("min(a, b) + max(a, b) * 10").value, 32);
  EXPECT_DOUBLE_EQ(formula("abs(-a) * sign(-x)").value, -2);
  EXPECT_DOUBLE_EQ(formula("arcsin(x)").value, std::asin(0.5));
  EXPECT_DOUBLE_EQ(formula("arccos(x)").value, std::acos(0.5));
  EXPECT_DOUBLE_EQ(formula("arctan(x)").value, std::atan(0.5));
  EXPECT_DOUBLE_EQ(formula("arcsinh(x)").value, std::asinh(0.5));
  EXPECT_DOUBLE_EQ(formula("arccosh(a)").value, std::acosh(2));
  EXPECT_DOUBLE_EQ(formula("arctanh(x)").value, std::atanh(0.5));
  EXPECT_DOUBLE_EQ(formula("cot(x)").value, 1 / std::tan(0.5));
  EXPECT_DOUBLE_EQ(formula("sec(x) * cos(x)").value, 1);
  EXPECT_DOUBLE_EQ(formula("csch(x) * sinh(x)").value, 1);
  EXPECT_DOUBLE_EQ(formula("tanh(x)").value, std::tanh(0.5));
  EXPECT_DOUBLE_EQ(formula("piecewise(1, a > b, 2, a < b, 3)").value, 2);
  EXPECT_DOUBLE_EQ(formula("piecewise(1, a > b, 3)").value, 3);
}

TEST(PetabMath, VersionOneIsWider) {
  EXPECT_EQ(formula("a**b", PetabVersion::v1).value, 8);
  EXPECT_EQ(formula("floor(2.5)", PetabVersion::v1).value, 2);
  EXPECT_DOUBLE_EQ(formula("log(x)", PetabVersion::v1).value, std::log(0.5));
  EXPECT_TRUE(std::isnan(formula("a**b").value));
  EXPECT_TRUE(std::isnan(formula("floor(2.5)").value));
}

TEST(PetabMath, SaysWhatIsWrong) {
  auto first = [](const std::string& text) {
    std::string findings = formula(text).findings;
    return findings.substr(0, findings.find('\n'));
  };
  EXPECT_EQ(first("a b"), "error: expected an operator in the formula, found 'b'");
  EXPECT_EQ(first("2a"), "error: expected an operator in the formula, found 'a'");
  EXPECT_EQ(first("a +"), "error: the formula ends where a value is expected");
  EXPECT_EQ(first("(a"), "error: this '(' is never closed");
  EXPECT_EQ(first("a = b"), "error: expected an operator in the formula, found '='");
  EXPECT_EQ(first("y"), "error: nothing is called 'y'");
  EXPECT_EQ(first("foo(a)"), "error: there is no function 'foo' in PEtab");
  EXPECT_EQ(first("exp(a, b)"), "error: 'exp' takes 1 argument, not 2");
  EXPECT_EQ(first("piecewise(1, a, 2, b)"), "error: the last value of 'piecewise' is missing");
  EXPECT_EQ(first("pi"), "error: nothing is called 'pi'");
  EXPECT_EQ(first(std::string(5000, '(')), "error: this formula is nested too deeply");
  EXPECT_EQ(first(std::string(5000, '-')), "error: this formula is nested too deeply");
}

TEST(PetabMath, NamesOfAFormula) {
  EXPECT_EQ(names_in_math("exp(a) * b_1 + 1e5 + log (c2)"),
            (std::vector<std::string>{"a", "b_1", "c2"}));
  EXPECT_TRUE(is_reserved_in_petab("Time"));
  EXPECT_TRUE(is_reserved_in_petab("arcsin"));
  EXPECT_FALSE(is_reserved_in_petab("k1"));
}

}  // namespace
}  // namespace stiffit::internal
