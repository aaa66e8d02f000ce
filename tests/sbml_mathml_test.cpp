// Every operator of SBML's MathML, by value.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sbml_small_model.h"

namespace stiffit::internal {
namespace {

struct Formula {
  std::string math;
  double value;
};

std::string applied(const std::string& op, const std::string& operands) {
  return "<apply><" + op + "/>" + operands + "</apply>";
}

// All formulas as rules of one model, at t = 2 with x = 3.
void expect_values(int level, int version, const std::vector<Formula>& formulas) {
  std::string parameters = "<parameter id=\"x\" value=\"3\" constant=\"true\"/>", rules;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    names.push_back("p" + std::to_string(i));
    parameters += "<parameter id=\"" + names[i] + "\" constant=\"false\"/>";
    rules += "<assignmentRule variable=\"" + names[i] + "\">" + mathml(formulas[i].math) +
             "</assignmentRule>";
  }
  std::string functions = "<listOfFunctionDefinitions><functionDefinition id=\"f\">" +
                          mathml("<lambda><bvar><ci>a</ci></bvar><bvar><ci>x</ci></bvar>" +
                                 applied("minus", "<ci>a</ci><ci>x</ci>") + "</lambda>") +
                          "</functionDefinition></listOfFunctionDefinitions>";
  std::vector<double> values =
      simulate_sbml(sbml_text(level, version,
                              functions + "<listOfParameters>" + parameters +
                                  "</listOfParameters><listOfRules>" + rules + "</listOfRules>"),
                    names, 2);
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    const double expected = formulas[i].value;
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(values[i])) << formulas[i].math << " is " << values[i];
    else
      EXPECT_DOUBLE_EQ(values[i], expected) << formulas[i].math;
  }
}

const std::string x = "<ci> x </ci>";
const std::string half = "<cn>0.5</cn>", two = "<cn type=\"integer\">2</cn>", yes = "<true/>",
                  no = "<false/>";
const std::string time_symbol =
    "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t"
    "</csymbol>";

TEST(SbmlMathml, NumbersAndConstants) {
  expect_values(3, 1,
                {{"<cn>-2.5</cn>", -2.5},
                 {"<cn type=\"e-notation\">1.5<sep/>-3</cn>", 1.5e-3},
                 {"<cn type=\"rational\">3<sep/>4</cn>", 0.75},
                 {"<pi/>", std::numbers::pi},
                 {"<exponentiale/>", std::numbers::e},
                 {"<infinity/>", INFINITY},
                 {"<notanumber/>", NAN},
                 {yes, 1},
                 {no, 0},
                 {time_symbol, 2},
                 {"<csymbol encoding=\"text\" "
                  "definitionURL=\"http://www.sbml.org/sbml/symbols/avogadro\">N</csymbol>",
                  6.02214179e23}});
}

TEST(SbmlMathml, ArithmeticWithAnyNumberOfOperands) {
  expect_values(3, 2,
                {{applied("plus", ""), 0},
                 {applied("plus", x), 3},
                 {applied("plus", x + two + half), 5.5},
                 {applied("times", ""), 1},
                 {applied("times", x + two + half), 3},
                 {applied("minus", x), -3},
                 {applied("minus", two + x), -1},
                 {applied("divide", x + two), 1.5},
                 {applied("power", x + two), 9},
                 {applied("root", "<cn>16</cn>"), 4},
                 {applied("root", "<degree><cn type=\"integer\">4</cn></degree><cn>16</cn>"), 2},
                 {applied("root", "<degree><cn type=\"integer\">3</cn></degree><cn>-8</cn>"), -2},
                 {applied("log", "<cn>1000</cn>"), 3},
                 {applied("log", "<logbase><cn>2</cn></logbase><cn>8</cn>"), 3},
                 {applied("ln", x), std::log(3.0)},
                 {applied("exp", half), std::exp(0.5)},
                 {applied("abs", applied("minus", x)), 3},
                 {applied("floor", half), 0},
                 {applied("ceiling", half), 1},
                 {applied("factorial", "<cn>5</cn>"), 120},
                 {"<apply><ci>f</ci>" + two + half + "</apply>", 1.5}});
}

TEST(SbmlMathml, TrigonometryAndItsInverses) {
  const double v = 0.5;
  expect_values(
      3, 2,
      {{applied("sin", half), std::sin(v)},         {applied("cos", half), std::cos(v)},
       {applied("tan", half), std::tan(v)},         {applied("sec", half), 1 / std::cos(v)},
       {applied("csc", half), 1 / std::sin(v)},     {applied("cot", half), 1 / std::tan(v)},
       {applied("sinh", half), std::sinh(v)},       {applied("cosh", half), std::cosh(v)},
       {applied("tanh", half), std::tanh(v)},       {applied("sech", half), 1 / std::cosh(v)},
       {applied("csch", half), 1 / std::sinh(v)},   {applied("coth", half), 1 / std::tanh(v)},
       {applied("arcsin", half), std::asin(v)},     {applied("arccos", half), std::acos(v)},
       {applied("arctan", half), std::atan(v)},     {applied("arcsec", x), std::acos(1 / 3.0)},
       {applied("arccsc", x), std::asin(1 / 3.0)},  {applied("arccot", x), std::atan(1 / 3.0)},
       {applied("arcsinh", half), std::asinh(v)},   {applied("arccosh", x), std::acosh(3.0)},
       {applied("arctanh", half), std::atanh(v)},   {applied("arcsech", half), std::acosh(2.0)},
       {applied("arccsch", half), std::asinh(2.0)}, {applied("arccoth", x), std::atanh(1 / 3.0)}});
}

TEST(SbmlMathml, LogicAndChainsOfRelations) {
  expect_values(3, 2,
                {{applied("and", ""), 1},
                 {applied("or", ""), 0},
                 {applied("xor", ""), 0},
                 {applied("and", yes + yes + no), 0},
                 {applied("or", no + no + yes), 1},
                 {applied("xor", yes + yes + yes), 1},
                 {applied("not", no), 1},
                 {applied("implies", yes + no), 0},
                 {applied("implies", no + no), 1},
                 {applied("lt", half + two + x), 1},
                 {applied("lt", half + x + two), 0},
                 {applied("leq", two + two + x), 1},
                 {applied("gt", x + two + two), 0},
                 {applied("geq", x + two + two), 1},
                 {applied("eq", two + two + two), 1},
                 {applied("neq", two + x), 1},
                 // truth and numbers may stand for each other
                 {applied("plus", applied("lt", half + two) + x), 4},
                 {applied("and", x + two), 1}});
}

TEST(SbmlMathml, PiecesOfAnyNumber) {
  auto piece = [](const std::string& value, const std::string& condition) {
    return "<piece>" + value + condition + "</piece>";
  };
  expect_values(3, 2,
                {{"<piecewise>" + piece(half, applied("gt", two + x)) +
                      piece(two, applied("eq", x + "<cn>3</cn>")) + "<otherwise>" + x +
                      "</otherwise></piecewise>",
                  2},
                 {"<piecewise>" + piece(half, no) + "</piecewise>", NAN},
                 {"<piecewise><otherwise>" + x + "</otherwise></piecewise>", 3}});
}

TEST(SbmlMathml, NewInLevelThreeVersionTwo) {
  expect_values(3, 2,
                {{applied("min", x + two + half), 0.5},
                 {applied("max", half + x + two), 3},
                 {applied("quotient", "<cn>-7</cn>" + two), -3},
                 {applied("rem", "<cn>-7</cn>" + two), -1}});
}

TEST(SbmlMathml, LevelTwoHasItsOwnFunctions) {
  expect_values(2, 1,
                {{applied("log", "<cn>100</cn>"), 2},
                 {"<apply><ci>f</ci>" + x + two + "</apply>", 1},
                 {time_symbol, 2}});
}

}  // namespace
}  // namespace stiffit::internal
