// SPDX-License-Identifier: Apache-2.0
#include "symbolic/checks/check_units.h"

#include <gtest/gtest.h>

#include "io/sbml/read_sbml.h"
#include "io/text/read_text.h"

namespace stiffit::internal {
namespace {

const std::string units =
    "unit mM = 1e-3 mole/litre, mmol = 1e-3 mole, per_s = 1/second, M = mole/litre\n"
    "unit time_unit = second, substance = 1e-3 mole, volume = litre\n"
    "compartment c = 1; species A in c = 1, B in c = 1; k = 1; k has per_s\n";

std::string findings(const std::string& text) {
  auto source = std::make_shared<const Source>("m.rxn", text);
  Diagnostics reading(source);
  auto model = read_text(source, reading);
  EXPECT_TRUE(model.has_value()) << render(reading);
  if (!model) return "no model";
  Diagnostics found(source);
  check_units(*model, found);
  return render(found);
}

void expect_finding(const std::string& text, const std::string& part) {
  std::string found = findings(units + text);
  EXPECT_NE(found.find(part), std::string::npos) << text << "\n" << found;
}

TEST(CheckUnits, WhatAgreesIsSilent) {
  EXPECT_EQ(findings(units + "A -> B; k*A*c\nx := A + B + 2; x has mM\ny := exp(A/B)\n"
                             "z' = x*k; z = 1; z has mM\nw := A^2/(A + 3)\n"
                             "at 3 second after (time > 2): k = 2 per_s\n"
                             "s := sqrt(A*B); s has mM\nA = 2 mM"),
            "");
}

TEST(CheckUnits, UndeclaredUnitsFitEverywhere) {
  EXPECT_EQ(findings("A -> B; k*A*B^2\nA = 1; B = 2; k = 3; x := A + k*time; y := exp(x)\n"
                     "at k after (A > B): k = 2"),
            "");
  EXPECT_EQ(findings(units + "q = 2; A -> B; q*A; x := A + q; y := exp(q*A); z := q*A + k"), "");
}

TEST(CheckUnits, EveryKindOfMistake) {
  expect_finding("x := A + k", "a sum of different units: 'A' in mM (0.001 mole/litre), 'k' in");
  expect_finding("x := 1 + A - 2 M", "a sum of different units");
  expect_finding("x := piecewise(1, A > k, 2)", "a comparison of different units");
  expect_finding("x := A; x has M", "the rule of 'x' is in mM (0.001 mole/litre), not in M");
  expect_finding("x' = A; x = 1; x has mM", "the rate of 'x' is in mM");
  expect_finding("A -> B; k*A*1 mM", "the rate of reaction '_J0' is in");
  expect_finding("J: A -> B; k*A", "not in 0.001 mole/second");
  expect_finding("E: at 3 mM after (time > 1): k = 2", "the delay of event 'E' is in mM");
  expect_finding("at (time > 1): k = 2 mM", "the new value of 'k' is in mM");
  expect_finding("x := exp(A)", "exp of what has a dimension: 'A' is in mM");
  expect_finding("x := 2^A", "the exponent 'A' is in mM");
  expect_finding("x := delay(A, k)", "the delay 'k' is in per_s");
  expect_finding("function f(a, b)\n a + b\nend\nx := f(A, k)", "a sum of different units");
  expect_finding("p = 1; p has mMM", "unknown unit 'mMM'");
}

TEST(CheckUnits, PlacesAreInTheText) {
  std::string found = findings("unit mM = 1e-3 mole/litre\na = 1 mM; b = 1 second\nx := a + b");
  EXPECT_NE(found.find("m.rxn:3:6\n  3 | x := a + b\n    |      ^^^^^"), std::string::npos)
      << found;
}

TEST(CheckUnits, UnitsOfSbml) {
  auto read = [](const std::string& k_unit) {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sbml "
        "xmlns=\"http://www.sbml.org/sbml/level2/version4\" level=\"2\" version=\"4\"><model>\n"
        "<listOfUnitDefinitions><unitDefinition id=\"per_min\"><listOfUnits><unit kind=\"second\" "
        "multiplier=\"60\" exponent=\"-1\"/></listOfUnits></unitDefinition><unitDefinition "
        "id=\"per_s\"><listOfUnits><unit kind=\"second\" exponent=\"-1\"/></listOfUnits>"
        "</unitDefinition></listOfUnitDefinitions>\n"
        "<listOfCompartments><compartment id=\"c\" size=\"1\"/></listOfCompartments>\n"
        "<listOfSpecies><species id=\"S\" compartment=\"c\" initialAmount=\"1\"/></listOfSpecies>\n"
        "<listOfParameters><parameter id=\"k\" value=\"1\" units=\"" +
        k_unit +
        "\"/></listOfParameters>\n<listOfReactions><reaction id=\"r\"><listOfReactants>"
        "<speciesReference species=\"S\"/></listOfReactants>\n<kineticLaw>"
        "<math xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><times/><ci>k</ci><ci>c</ci>"
        "<ci>S</ci></apply></math></kineticLaw></reaction></listOfReactions></model></sbml>\n";
    auto source = std::make_shared<const Source>("m.xml", text);
    Diagnostics diagnostics(source);
    auto model = read_sbml(source, diagnostics);
    EXPECT_TRUE(model.has_value()) << render(diagnostics);
    if (model) check_units(*model, diagnostics);
    return render(diagnostics);
  };
  EXPECT_EQ(read("per_s"), "");
  std::string found = read("per_min");
  EXPECT_NE(found.find("the rate of reaction 'r' is in"), std::string::npos) << found;
  EXPECT_NE(found.find("m.xml:8:1"), std::string::npos) << found;
}

TEST(CheckUnits, NumbersOfLevelThreeMayHaveUnits) {
  auto read = [](const std::string& unit) {
    const std::string core = "http://www.sbml.org/sbml/level3/version2/core";
    auto source = std::make_shared<const Source>(
        "m.xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sbml xmlns=\"" + core + "\" xmlns:sbml=\"" +
            core +
            "\" level=\"3\" version=\"2\"><model>\n<listOfParameters><parameter id=\"a\" "
            "units=\"metre\" constant=\"false\"/><parameter id=\"b\" value=\"1\" "
            "units=\"metre\" constant=\"true\"/></listOfParameters><listOfRules>\n"
            "<assignmentRule variable=\"a\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\">"
            "<apply><plus/><ci>b</ci><cn sbml:units=\"" +
            unit + "\">2</cn></apply></math></assignmentRule></listOfRules></model></sbml>\n");
    Diagnostics diagnostics(source);
    auto model = read_sbml(source, diagnostics);
    EXPECT_TRUE(model.has_value()) << render(diagnostics);
    if (model) check_units(*model, diagnostics);
    return render(diagnostics);
  };
  EXPECT_EQ(read("metre"), "");
  const std::string found = read("second");
  EXPECT_NE(found.find("a sum of different units: 'b' in metre, '2' in second"), std::string::npos)
      << found;
  EXPECT_NE(found.find("m.xml:4:1"), std::string::npos) << found;
}

}  // namespace
}  // namespace stiffit::internal
