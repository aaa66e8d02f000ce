// SPDX-License-Identifier: Apache-2.0
#include "io/latex/mathml.h"

#include <gtest/gtest.h>

#include "io/text/read_text.h"

namespace stiffit::internal {
namespace {

std::vector<TypesetEquation> equations(const std::string& text) {
  auto source = std::make_shared<Source>("m", text);
  Diagnostics diagnostics(source);
  auto model = read_text(source, diagnostics);
  EXPECT_TRUE(model) << render(diagnostics);
  return model ? typeset_equations(*model) : std::vector<TypesetEquation>{};
}

std::string mathml_of(const std::string& text, const std::string& name) {
  for (const TypesetEquation& e : equations(text))
    if (e.name == name) return e.mathml;
  return {};
}

// Every element that is opened is closed in its order, and nothing stands outside of one.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size();) {
    if (xml[i] != '<') {
      if (open.empty()) return false;
      const std::string& within = open.back();
      if (within != "mi" && within != "mn" && within != "mo" && within != "mtext") return false;
      i = xml.find('<', i);
      if (i == std::string::npos) return false;
      continue;
    }
    const std::size_t end = xml.find('>', i);
    if (end == std::string::npos) return false;
    std::string tag = xml.substr(i + 1, end - i - 1);
    i = end + 1;
    if (tag.ends_with('/')) continue;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty();
}

TEST(Mathml, FractionsPowersAndSubscripts) {
  const std::string text =
      "J: S -> P; Vmax*S^h/(K_m + S^h)\nS = 1; P = 0; Vmax = 1; h = 2; K_m = 0.5\n";
  EXPECT_EQ(
      mathml_of(text, "J"),
      "<math display=\"block\"><mrow><msub><mi>v</mi><mi>J</mi></msub><mo>=</mo><mrow><mfrac>"
      "<mrow><mi>Vmax</mi><mspace width=\"0.17em\"/><msup><mrow><mi>S</mi></mrow><mrow><mi>h"
      "</mi></mrow></msup></mrow><mrow><msub><mi>K</mi><mi>m</mi></msub><mo>+</mo><msup><mrow>"
      "<mi>S</mi></mrow><mrow><mi>h</mi></mrow></msup></mrow></mfrac></mrow></mrow></math>");
}

// A number with a power of ten is a product, and e with an exponent a power.
TEST(Mathml, WhatBindsLessThanItLooks) {
  const std::string power = "<msup><mn>10</mn><mrow><mn>5</mn></mrow></msup>";
  const std::string squared = "</mrow><mrow><mn>2</mn></mrow></msup>";
  const std::string in_parentheses = "<mrow><mo>(</mo>" + power + "<mo>)</mo></mrow>";
  const std::string rate = mathml_of("x' = 1e5^2 + k*1e5 + exp(x)^2\nx = 1; k = 1\n", "x");
  for (const std::string& part :
       {"<msup><mrow>" + in_parentheses + squared, "<mi>k</mi><mo>·</mo>" + power,
        "<mo>(</mo><msup><mi>e</mi><mrow><mi>x</mi></mrow></msup><mo>)</mo></mrow>" + squared})
    EXPECT_NE(rate.find(part), std::string::npos) << part << "\n" << rate;
}

TEST(Mathml, NoTwoNamesLookTheSame) {
  const std::string text = "J: S <-> P; k1, k_1\nS = 1; P = 0; k1 = 1; k_1 = 2\n";
  const std::string rate = mathml_of(text, "J");
  EXPECT_NE(rate.find("<msub><mi>k</mi><mn>1</mn></msub>"), std::string::npos);
  EXPECT_NE(rate.find("<mi>k_1</mi>"), std::string::npos) << rate;
}

TEST(Mathml, EveryOperationIsWellFormed) {
  const std::string text =
      "x' = -x + piecewise(1, time < 2, 2, x >= 3 && y != 1, 0) - sqrt(abs(y)) + exp(-x/2)\n"
      "y' = f(x, y)^(-2) + 1e-20*ln(y) - (x - (y - 1)) + min(x, y, 2) + floor(x)\n"
      "function f(a, b)\n  a*b + sin(a)\nend\n"
      "z := x*(y + 1)*-3\nx = 1; y = 2\n";
  const auto all = equations(text);
  ASSERT_GE(all.size(), 4u);
  for (const TypesetEquation& e : all) EXPECT_TRUE(well_formed(e.mathml)) << e.mathml;
}

TEST(Mathml, LongExpressionsAreNotShown) {
  std::string sum = "x";
  for (int i = 0; i < 5000; ++i) sum += " + x";
  const std::string shown = mathml_of("x' = " + sum + "\nx = 1\n", "x");
  EXPECT_LT(shown.size(), 1000u);
  EXPECT_TRUE(well_formed(shown));
}

}  // namespace
}  // namespace stiffit::internal
