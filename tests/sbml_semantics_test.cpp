// What SBML means: small models of our own whose solution is known.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "sbml_small_model.h"

namespace stiffit::internal {
namespace {

constexpr double tolerance = 1e-6;

std::string species(const std::string& id, const std::string& more) {
  return "<species id=\"" + id + "\" compartment=\"c\" constant=\"false\" " +
         (more.find("hasOnly") == std::string::npos ? "hasOnlySubstanceUnits=\"false\" " : "") +
         (more.find("boundary") == std::string::npos ? "boundaryCondition=\"false\" " : "") + more +
         "/>";
}

std::string compartment(const std::string& size, const std::string& constant = "true") {
  return "<listOfCompartments><compartment id=\"c\" size=\"" + size +
         "\" spatialDimensions=\"3\" constant=\"" + constant + "\"/></listOfCompartments>";
}

// S -> nothing with the given law.
std::string decay(const std::string& law, const std::string& stoichiometry = "1") {
  return "<listOfReactions><reaction id=\"r\" reversible=\"false\" fast=\"false\"><listOfReactants>"
         "<speciesReference species=\"S\" stoichiometry=\"" +
         stoichiometry + "\" constant=\"true\"/></listOfReactants><kineticLaw>" + mathml(law) +
         "</kineticLaw></reaction></listOfReactions>";
}

const std::string parameters =
    "<listOfParameters><parameter id=\"k\" value=\"0.5\" constant=\"true\"/><parameter id=\"f\" "
    "value=\"3\" constant=\"true\"/><parameter id=\"x\" value=\"1\" constant=\"false\"/>"
    "</listOfParameters>";

TEST(SbmlSemantics, ConcentrationInASizedCompartment) {
  // The law is an amount per time: V c' = -k c, so c = c0 exp(-k t/V).
  std::string text = sbml_text(
      3, 1,
      compartment("4") + "<listOfSpecies>" + species("S", "initialAmount=\"8\"") +
          "</listOfSpecies>" + parameters + decay("<apply><times/><ci>k</ci><ci>S</ci></apply>"));
  std::vector<double> v = simulate_sbml(text, {"S", "[S]", "amount(S)", "r"}, 2);
  const double c = 2 * std::exp(-0.5 * 2 / 4);
  EXPECT_NEAR(v[0], c, tolerance);
  EXPECT_NEAR(v[1], c, tolerance);
  EXPECT_NEAR(v[2], 4 * c, tolerance);
  EXPECT_NEAR(v[3], 0.5 * c, tolerance);
}

TEST(SbmlSemantics, OnlySubstanceUnits) {
  std::string text = sbml_text(
      3, 1,
      compartment("4") + "<listOfSpecies>" +
          species("S", "initialConcentration=\"2\" hasOnlySubstanceUnits=\"true\"") +
          "</listOfSpecies>" + parameters + decay("<apply><times/><ci>k</ci><ci>S</ci></apply>"));
  std::vector<double> v = simulate_sbml(text, {"S", "[S]"}, 2);
  EXPECT_NEAR(v[0], 8 * std::exp(-1), tolerance);
  EXPECT_NEAR(v[1], 2 * std::exp(-1), tolerance);
}

TEST(SbmlSemantics, ConversionFactors) {
  std::string text = sbml_text(3, 1,
                               compartment("1") + "<listOfSpecies>" +
                                   species("S", "initialAmount=\"8\" conversionFactor=\"f\"") +
                                   "</listOfSpecies>" + parameters + decay("<ci>k</ci>", "2"));
  EXPECT_NEAR(simulate_sbml(text, {"S"}, 2)[0], 8 - 2 * 0.5 * 3 * 2, tolerance);
}

TEST(SbmlSemantics, BoundarySpeciesStay) {
  std::string text = sbml_text(3, 1,
                               compartment("1") + "<listOfSpecies>" +
                                   species("S", "initialAmount=\"8\" boundaryCondition=\"true\"") +
                                   "</listOfSpecies>" + parameters + decay("<ci>k</ci>"));
  EXPECT_EQ(simulate_sbml(text, {"S"}, 2)[0], 8);
}

TEST(SbmlSemantics, GrowingCompartmentsDilute) {
  std::string text = sbml_text(3, 1,
                               compartment("2", "false") + "<listOfSpecies>" +
                                   species("S", "initialAmount=\"8\"") +
                                   "</listOfSpecies><listOfRules><rateRule variable=\"c\">" +
                                   mathml("<cn>1</cn>") + "</rateRule></listOfRules>");
  std::vector<double> v = simulate_sbml(text, {"[S]", "amount(S)", "c"}, 2);
  EXPECT_NEAR(v[0], 2, tolerance);
  EXPECT_NEAR(v[1], 8, tolerance);
  EXPECT_NEAR(v[2], 4, tolerance);
}

TEST(SbmlSemantics, LocalParametersHideGlobalOnes) {
  std::string law =
      "<listOfLocalParameters><localParameter id=\"k\" value=\"2\"/>"
      "</listOfLocalParameters>";
  std::string reactions = decay("<ci>k</ci>");
  reactions.insert(reactions.find("</kineticLaw>"), law);
  std::string text =
      sbml_text(3, 1,
                compartment("1") + "<listOfSpecies>" + species("S", "initialAmount=\"8\"") +
                    "</listOfSpecies>" + parameters + reactions);
  std::vector<double> v = simulate_sbml(text, {"S", "k", "r.k"}, 1);
  EXPECT_NEAR(v[0], 6, tolerance);
  EXPECT_EQ(v[1], 0.5);
  EXPECT_EQ(v[2], 2);
}

TEST(SbmlSemantics, InitialAssignmentsInAnyOrderAndRulesOfAllKinds) {
  std::string text = sbml_text(
      3, 2,
      "<listOfParameters><parameter id=\"a\" constant=\"true\"/><parameter id=\"b\" "
      "constant=\"false\"/><parameter id=\"d\" constant=\"false\"/><parameter id=\"s\" "
      "constant=\"true\"/></listOfParameters><listOfInitialAssignments><initialAssignment "
      "symbol=\"a\">" +
          mathml("<apply><times/><cn>2</cn><ci>b</ci></apply>") +
          "</initialAssignment><initialAssignment symbol=\"b\">" + mathml("<cn>3</cn>") +
          "</initialAssignment><initialAssignment symbol=\"s\">" +
          mathml("<apply><csymbol encoding=\"text\" "
                 "definitionURL=\"http://www.sbml.org/sbml/symbols/rateOf\">r</csymbol>"
                 "<ci>d</ci></apply>") +
          "</initialAssignment></listOfInitialAssignments><listOfRules><rateRule variable=\"b\">" +
          mathml("<ci>b</ci>") + "</rateRule><assignmentRule variable=\"d\">" +
          mathml("<apply><plus/><ci>a</ci><ci>b</ci></apply>") + "</assignmentRule></listOfRules>");
  std::vector<double> v = simulate_sbml(text, {"a", "b", "d", "s"}, 1);
  EXPECT_NEAR(v[0], 6, tolerance);
  EXPECT_NEAR(v[1], 3 * std::exp(1), tolerance);
  EXPECT_NEAR(v[2], 6 + 3 * std::exp(1), tolerance);
  EXPECT_NEAR(v[3], 3, tolerance) << "the slope of d at the start";
}

TEST(SbmlSemantics, StoichiometryWithAName) {
  std::string reactions = decay("<ci>k</ci>");
  reactions.replace(reactions.find("constant=\"true\""), 15, "id=\"n\" constant=\"false\"");
  std::string text = sbml_text(
      3, 1,
      compartment("1") + "<listOfSpecies>" + species("S", "initialAmount=\"8\"") +
          "</listOfSpecies>" + parameters + "<listOfRules><assignmentRule variable=\"n\">" +
          mathml("<apply><times/><cn>2</cn><csymbol encoding=\"text\" "
                 "definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t</csymbol>"
                 "</apply>") +
          "</assignmentRule></listOfRules>" + reactions);
  std::vector<double> v = simulate_sbml(text, {"S", "n"}, 2);
  EXPECT_NEAR(v[0], 8 - 0.5 * 4, tolerance);
  EXPECT_NEAR(v[1], 4, tolerance);
}

TEST(SbmlSemantics, LevelOneSpeciesAreConcentrationsInFormulas) {
  std::string text = sbml_text(
      1, 2,
      "<listOfCompartments><compartment name=\"c\" volume=\"4\"/></listOfCompartments>"
      "<listOfSpecies><species name=\"S\" compartment=\"c\" initialAmount=\"8\"/></listOfSpecies>"
      "<listOfReactions><reaction name=\"r\"><listOfReactants><speciesReference species=\"S\"/>"
      "</listOfReactants><kineticLaw formula=\"k*S\"><listOfParameters><parameter name=\"k\" "
      "value=\"0.5\"/></listOfParameters></kineticLaw></reaction></listOfReactions>");
  EXPECT_NEAR(simulate_sbml(text, {"amount(S)"}, 2)[0], 8 * std::exp(-0.5 * 2 / 4), tolerance);
}

TEST(SbmlSemantics, AnythingMayBeCalledTime) {
  std::string text = sbml_text(3, 1,
                               "<listOfParameters><parameter id=\"time\" value=\"10\" "
                               "constant=\"true\"/></listOfParameters>");
  EXPECT_EQ(simulate_sbml(text, {"time"}, 2)[0], 10);
}

TEST(SbmlSemantics, SubmodelsAreFlattened) {
  std::string text =
      sbml_text(3, 1,
                "<comp:listOfSubmodels><comp:submodel comp:id=\"A\" comp:modelRef=\"m\"/>"
                "<comp:submodel comp:id=\"B\" comp:modelRef=\"m\"/></comp:listOfSubmodels>");
  text.insert(text.find(" level="),
              " xmlns:comp=\"http://www.sbml.org/sbml/level3/version1/comp/version1\" "
              "comp:required=\"true\"");
  text.insert(text.find("</sbml>"),
              "<comp:listOfModelDefinitions><comp:modelDefinition id=\"m\"><listOfParameters>"
              "<parameter id=\"p\" value=\"1\" constant=\"false\"/></listOfParameters>"
              "<listOfRules><rateRule variable=\"p\">" +
                  mathml("<cn>2</cn>") +
                  "</rateRule></listOfRules></comp:modelDefinition>"
                  "</comp:listOfModelDefinitions>");
  std::vector<double> v = simulate_sbml(text, {"A__p", "B__p"}, 2);
  EXPECT_NEAR(v[0], 5, tolerance);
  EXPECT_NEAR(v[1], 5, tolerance);
}

TEST(SbmlSemantics, ARateThatNeedsItselfIsAnError) {
  std::string text =
      sbml_text(3, 2,
                "<listOfParameters><parameter id=\"p\" value=\"1\" constant=\"false\"/>"
                "</listOfParameters><listOfRules><rateRule variable=\"p\">" +
                    mathml("<apply><csymbol encoding=\"text\" "
                           "definitionURL=\"http://www.sbml.org/sbml/symbols/rateOf\">r</csymbol>"
                           "<ci>p</ci></apply>") +
                    "</rateRule></listOfRules>");
  EXPECT_THROW(simulate_sbml(text, {"p"}, 1), InputError);
}

}  // namespace
}  // namespace stiffit::internal
