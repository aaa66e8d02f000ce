// What is not defined at the start: NaN where it matters to nothing, the limit where a law has one,
// and otherwise a refusal that names the chain and the way out.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "program_run.h"

namespace stiffit::internal {
namespace {

using Texts = std::vector<std::string>;

std::string sbml(const std::string& lists, const std::string& level = "3") {
  const std::string core = "http://www.sbml.org/sbml/level3/version1/core";
  const std::string two = "http://www.sbml.org/sbml/level2/version4";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sbml xmlns=\"" +
         (level == "3" ? core : two) + "\" level=\"" + level + "\" version=\"" +
         (level == "3" ? "1" : "4") + "\"><model id=\"m\">\n" + lists + "</model></sbml>\n";
}

std::string math(const std::string& inside) {
  return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" + inside + "</math>";
}
std::string ci(const std::string& name) { return "<ci>" + name + "</ci>"; }
std::string cn(const std::string& number) { return "<cn>" + number + "</cn>"; }
std::string op(const std::string& name, const std::string& operands) {
  return "<apply><" + name + "/>" + operands + "</apply>";
}
const std::string now =
    "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t"
    "</csymbol>";
std::string list(const std::string& name, const std::string& items) {
  return "<listOf" + name + ">" + items + "</listOf" + name + ">\n";
}
std::string parameter(const std::string& id, const std::string& value = {}) {
  return "<parameter id=\"" + id + "\" constant=\"false\"" +
         (value.empty() ? "" : " value=\"" + value + "\"") + "/>\n";
}
std::string rate_rule(const std::string& id, const std::string& of) {
  return "<rateRule variable=\"" + id + "\">" + math(of) + "</rateRule>\n";
}
std::string rule(const std::string& id, const std::string& of) {
  return "<assignmentRule variable=\"" + id + "\">" + math(of) + "</assignmentRule>\n";
}
std::string event(const std::string& at, const std::string& id, const std::string& value) {
  return "<event useValuesFromTriggerTime=\"true\"><trigger initialValue=\"true\" "
         "persistent=\"true\">" +
         math(op("geq", now + cn(at))) +
         "</trigger><listOfEventAssignments><eventAssignment "
         "variable=\"" +
         id + "\">" + math(value) + "</eventAssignment></listOfEventAssignments></event>\n";
}

class Undefined : public ::testing::Test {
 protected:
  // x' = -x from 1, with the rest of the model given.
  std::string decay(const std::string& parameters, const std::string& rules = {},
                    const std::string& rest = {}) {
    return sbml(list("Parameters", parameter("x", "1") + parameters) +
                list("Rules", rate_rule("x", op("minus", ci("x"))) + rules) + rest);
  }
  // Rows of the columns asked for, at 0 and the times given.
  std::vector<std::vector<double>> run(const std::string& model, const std::string& columns,
                                       const std::string& options = "--times 0,1,2") {
    s.write("m.xml", model);
    last = s.stiffit("simulate m.xml --rtol 1e-9 --show " + columns + " " + options);
    EXPECT_EQ(last.exit_code, 0) << last.messages;
    return rows_of(last.out);
  }
  void expect_refused(const std::string& model, const Texts& words) {
    s.write("m.xml", model);
    last = s.stiffit("simulate m.xml");
    EXPECT_EQ(last.exit_code, 1) << last.messages;
    const ProgramRun check = s.stiffit("check m.xml");
    EXPECT_EQ(check.exit_code, 1);
    for (const std::string& word : words) {
      EXPECT_NE(last.messages.find(word), std::string::npos) << word << "\n" << last.messages;
      EXPECT_NE(check.out.find(word), std::string::npos) << word << "\n" << check.out;
    }
  }
  // The same warning from both, and one only.
  void expect_warned(const Texts& words) {
    const ProgramRun check = s.stiffit("check m.xml");
    EXPECT_EQ(check.exit_code, 0) << check.out;
    for (const std::string* text : {static_cast<const std::string*>(&last.messages), &check.out}) {
      const std::size_t first = text->find("warning:");
      ASSERT_NE(first, std::string::npos) << *text;
      EXPECT_EQ(text->find("warning:", first + 1), std::string::npos) << *text;
      for (const std::string& word : words)
        EXPECT_NE(text->find(word), std::string::npos) << word << "\n" << *text;
    }
  }

  Scratch s;
  ProgramRun last;
};

TEST_F(Undefined, WhatMattersToNothingIsNanInItsColumn) {
  const auto rows = run(
      decay(parameter("p") + parameter("q"), rule("q", op("times", ci("p") + cn("2")))), "x,p,q");
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& row : rows) {
    EXPECT_NEAR(row[1], std::exp(-row[0]), 1e-7);
    EXPECT_TRUE(std::isnan(row[2]));
    EXPECT_TRUE(std::isnan(row[3]));
  }
  expect_warned({"'p', 'q'", "nan", "'p' has no value"});
}

TEST_F(Undefined, ZeroOverZeroAtTheStartIsNanInItsColumnOnly) {
  // q = y/(y + 0*x) with y' = 1 from 0: 0/0 at the start, 1 afterwards.
  const auto rows = run(decay(parameter("y", "0") + parameter("q"),
                              rate_rule("y", cn("1")) + rule("q", op("divide", ci("y") + ci("y")))),
                        "x,q");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(std::isnan(rows[0][2]));
  EXPECT_EQ(rows[1][2], 1);
  expect_warned({"'q' has no value at time 0", "division by zero"});
}

TEST_F(Undefined, ValuesThatOnlyAnEventGivesAreNanUntilThen) {
  // p is set at 1; until then the law does not look at it.
  const std::string law = "<piecewise><piece>" + op("times", ci("p") + ci("x")) +
                          op("geq", now + cn("1")) + "</piece><otherwise>" + cn("0") +
                          "</otherwise></piecewise>";
  const auto rows = run(decay(parameter("p") + parameter("y", "0"), rate_rule("y", law),
                              list("Events", event("1", "p", cn("3")))),
                        "x,y,p", "--times 0,0.5,1,2");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(std::isnan(rows[0][3]) && std::isnan(rows[1][3]));
  EXPECT_EQ(rows[3][3], 3);
  EXPECT_EQ(rows[1][2], 0);
  EXPECT_NEAR(rows[3][2], 3 * (std::exp(-1) - std::exp(-2)), 1e-7);
  expect_warned({"'p' has no value at time 0", "until an event sets it"});
}

TEST_F(Undefined, AnIntegratedVariableMayBeginWithAnEvent) {
  const auto rows = run(decay(parameter("y"), rate_rule("y", op("times", cn("-2") + ci("y"))),
                              list("Events", event("1", "y", cn("5")))),
                        "x,y", "--times 0,1.5,2");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(std::isnan(rows[0][2]));
  EXPECT_NEAR(rows[2][2], 5 * std::exp(-2), 1e-6);
}

TEST_F(Undefined, WhatAnEventSetsToNothingIsNanFromThen) {
  const auto rows = run(decay(parameter("p") + parameter("y", "7"), "",
                              list("Events", event("1", "y", op("times", cn("2") + ci("p"))) +
                                                 event("1.5", "p", cn("3")) +
                                                 event("3", "y", op("times", cn("2") + ci("p"))))),
                        "x,y,p", "--times 0,0.5,1.25,2,4");
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1][2], 7);
  EXPECT_TRUE(std::isnan(rows[2][2]) && std::isnan(rows[2][3]));
  EXPECT_TRUE(std::isnan(rows[3][2]));
  EXPECT_EQ(rows[3][3], 3);
  EXPECT_EQ(rows[4][2], 6);
  for (const auto& row : rows) EXPECT_NEAR(row[1], std::exp(-row[0]), 1e-7);
}

TEST_F(Undefined, WhatIsNeededTooEarlyStopsTheRun) {
  const std::string law = "<piecewise><piece>" + op("times", ci("p") + ci("x")) +
                          op("geq", now + cn("1")) + "</piece><otherwise>" + cn("0") +
                          "</otherwise></piecewise>";
  s.write("m.xml", decay(parameter("p") + parameter("y", "0"), rate_rule("y", law),
                         list("Events", event("2", "p", cn("3")))));
  EXPECT_EQ(s.stiffit("simulate m.xml --end 3").exit_code, 3);
}

TEST_F(Undefined, AMissingValueThatIsIntegratedIsRefusedWithItsChain) {
  expect_refused(decay(parameter("p") + parameter("v") + parameter("w") + parameter("y", "0"),
                       rate_rule("y", op("plus", ci("w") + ci("x"))) +
                           rule("w", op("times", ci("v") + cn("2"))) +
                           rule("v", op("plus", ci("p") + cn("1")))),
                 {"the rate of 'y' is not finite at time 0", "through 'w', 'v'", "'p' has no value",
                  "--set p="});
  EXPECT_EQ(s.stiffit("simulate m.xml --set p=1").exit_code, 0);
}

TEST_F(Undefined, SpeciesWithoutInitialValueAndCompartmentsWithoutSize) {
  auto reaction = [](const std::string& species, const std::string& compartment) {
    return sbml(
        list("Compartments", "<compartment id=\"c\" spatialDimensions=\"3\" constant=\"true\"" +
                                 compartment + "/>") +
        list("Species",
             "<species id=\"S\" compartment=\"c\" hasOnlySubstanceUnits=\"false\" "
             "boundaryCondition=\"false\" constant=\"false\"" +
                 species + "/>") +
        list("Reactions",
             "<reaction id=\"J\" reversible=\"false\" fast=\"false\"><listOfReactants>"
             "<speciesReference species=\"S\" stoichiometry=\"1\" constant=\"true\"/>"
             "</listOfReactants><kineticLaw>" +
                 math(op("times", cn("2") + ci("S"))) + "</kineticLaw></reaction>"));
  };
  expect_refused(reaction("", " size=\"2\""), {"'S' has no initial value", "--set S="});
  EXPECT_NEAR(rows_of(s.stiffit("simulate m.xml --set S=3 --times 1 --rtol 1e-9").out)[0][1],
              3 * std::exp(-1), 1e-7);
  expect_refused(reaction(" initialConcentration=\"1\"", ""),
                 {"compartment 'c' has no size", "--set c=", "--assume size=1"});
  EXPECT_NEAR(rows_of(s.stiffit("simulate m.xml --assume size=4 --times 1 --rtol 1e-9").out)[0][1],
              std::exp(-0.5), 1e-7);
  EXPECT_EQ(s.stiffit("simulate m.xml --assume size=1").exit_code, 0);
  for (const char* wrong : {"size=0", "size=x", "volume=1", "size"})
    EXPECT_EQ(s.stiffit("simulate m.xml --assume " + std::string(wrong)).exit_code, 2) << wrong;
  // A compartment that has a size keeps it.
  s.write("m.xml", reaction(" initialConcentration=\"1\"", " size=\"2\""));
  EXPECT_NEAR(rows_of(s.stiffit("simulate m.xml --assume size=4 --times 1 --rtol 1e-9").out)[0][1],
              std::exp(-1), 1e-7);
}

// Laws that are 0/0 at the start, with the solution known.
struct Limit {
  const char* name;
  const char* text;  // of the model
  double (*y)(double t);
};

class LimitAtStart : public ::testing::TestWithParam<Limit> {};

TEST_P(LimitAtStart, IsTheLimitOfTheLaw) {
  Scratch s;
  s.write("m.rxn", GetParam().text);
  for (const char* method : {"automatic", "rodas5p", "bdf", "dopri5", "adams"}) {
    const ProgramRun run = s.stiffit(
        "simulate m.rxn --times 0,0.5,1,2 --show y --rtol 1e-9 --method " + std::string(method));
    EXPECT_EQ(run.exit_code, 0) << method << run.messages;
    const auto rows = rows_of(run.out);
    ASSERT_EQ(rows.size(), 4u) << method;
    for (const auto& row : rows) {
      const double truth = GetParam().y(row[0]);
      EXPECT_NEAR(row[1], truth, 2e-6 * (1 + std::fabs(truth))) << method << " at " << row[0];
    }
  }
  EXPECT_EQ(s.stiffit("check m.rxn").exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Laws, LimitAtStart,
    ::testing::Values(
        // x = 3t, z = t: x/(x + z) is 3/4 at all times but the first.
        Limit{"RatioOfStates", "x = 0; z = 0; y = 0; x' = 3; z' = 1; y' = x/(x + z)",
              [](double time) { return 0.75 * time; }},
        // The same in units that make the numbers tiny, and long after zero.
        Limit{"OtherUnits",
              "#: start 0\nx = 0; z = 0; y = 0; x' = 3e-18; z' = 1e-18; y' = x/(x + z)",
              [](double time) { return 0.75 * time; }},
        Limit{"DifferencesOfStates", "x = 1; z = 5; y = 0; x' = 2; z' = 4; y' = (x - 1)/(z - 5)",
              [](double time) { return 0.5 * time; }},
        Limit{"SineOverTime", "y = 0; y' = 1 - (sin(time) - time)/time^3*6*0 - (time/time)",
              [](double) { return 0.0; }},
        Limit{"SquareOverItself", "x = 0; y = 0; x' = 2; y' = x^2/x",
              [](double time) { return time * time; }},
        Limit{"RootOverItself", "x = 0; y = 0; x' = 1; y' = x^1.5/x",
              [](double time) { return 2.0 / 3 * std::pow(time, 1.5); }},
        Limit{"TimesLogarithm", "x = 0; y = 0; x' = 1; y' = x*ln(x)",
              [](double time) {
                return time > 0 ? time * time / 2 * std::log(time) - time * time / 4 : 0.0;
              }},
        // The law feeds back on what it is made of: z' = 2 - x/(x + z) with x = t has z = s t
        // where s = 2 - 1/(1 + s), s = (1 + sqrt(5))/2.
        Limit{"Implicit", "x = 0; z = 0; x' = 1; z' = 2 - x/(x + z); y := z",
              [](double time) { return (1 + std::sqrt(5.0)) / 2 * time; }}),
    [](const auto& limit) { return std::string(limit.param.name); });

TEST_F(Undefined, ALawWithoutALimitIsRefused) {
  s.write("m.rxn", "x = 0; y = 0; x' = 0; y' = x/x");
  last = s.stiffit("simulate m.rxn");
  EXPECT_EQ(last.exit_code, 1);
  EXPECT_NE(last.messages.find("division by zero"), std::string::npos) << last.messages;
  s.write("m.rxn", "x = 0; y = 0; x' = 1; y' = x/x^2");
  EXPECT_EQ(s.stiffit("simulate m.rxn").exit_code, 1);
}

TEST_F(Undefined, CopasisDerivativeIsTheRateOfChange) {
  const std::string function = list(
      "FunctionDefinitions",
      "<functionDefinition id=\"slope\"><annotation><symbols "
      "xmlns=\"http://sbml.org/annotations/symbols\" "
      "definition=\"http://en.wikipedia.org/wiki/Derivative\"/></annotation>" +
          math("<lambda><bvar><ci>a</ci></bvar><notanumber/></lambda>") + "</functionDefinition>");
  const std::string model =
      function + list("Parameters", parameter("x", "1") + parameter("v") + parameter("y", "0")) +
      list("Rules", rate_rule("x", op("times", cn("-2") + ci("x"))) +
                        rule("v", "<apply><ci>slope</ci><ci>x</ci></apply>") +
                        rate_rule("y", "<apply><ci>slope</ci><ci>x</ci></apply>"));
  for (const char* level : {"2", "3"}) {
    const auto rows = run(sbml(model, level), "x,v,y", "--times 0,1");
    ASSERT_EQ(rows.size(), 2u);
    for (const auto& row : rows) {
      EXPECT_NEAR(row[2], -2 * std::exp(-2 * row[0]), 1e-7);
      EXPECT_NEAR(row[3], std::exp(-2 * row[0]) - 1, 1e-7);
    }
    EXPECT_EQ(s.stiffit("check m.xml").exit_code, 0);
  }
}

}  // namespace
}  // namespace stiffit::internal
