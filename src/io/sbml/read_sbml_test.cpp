// What each level of SBML becomes in the model form.
// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/read_sbml.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffit::internal {
namespace {

Model read(const std::string& text) {
  auto source = std::make_shared<const Source>("m.xml", text);
  Diagnostics diagnostics(source);
  auto model = read_sbml(source, diagnostics);
  EXPECT_TRUE(model) << render(diagnostics);
  return model ? std::move(*model) : Model();
}

std::string sbml(int level, int version, const std::string& inside) {
  std::string place = "http://www.sbml.org/sbml/level" + std::to_string(level);
  if (level == 2 && version > 1) place += "/version" + std::to_string(version);
  if (level == 3) place += "/version" + std::to_string(version) + "/core";
  return "<?xml version=\"1.0\"?>\n<sbml xmlns=\"" + place + "\" level=\"" + std::to_string(level) +
         "\" version=\"" + std::to_string(version) + "\"><model name=\"m\">" + inside +
         "</model></sbml>";
}

std::string math(const std::string& inside) {
  return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" + inside + "</math>";
}

TEST(ReadSbml, LevelOne) {
  Model m = read(sbml(
      1, 2,
      "<listOfCompartments><compartment name=\"c\"/></listOfCompartments><listOfSpecies>"
      "<species name=\"A\" compartment=\"c\" initialAmount=\"3\"/><species name=\"B\" "
      "compartment=\"c\" initialAmount=\"0\" boundaryCondition=\"true\"/></listOfSpecies>"
      "<listOfParameters><parameter name=\"k\" value=\"2\"/><parameter name=\"x\"/>"
      "</listOfParameters><listOfRules><parameterRule name=\"x\" formula=\"k*A\" type=\"rate\"/>"
      "<speciesConcentrationRule species=\"B\" formula=\"sqr(k)\"/></listOfRules>"
      "<listOfReactions><reaction name=\"r\"><listOfReactants><speciesReference species=\"A\" "
      "stoichiometry=\"3\" denominator=\"2\"/></listOfReactants><kineticLaw formula=\"k*A\">"
      "<listOfParameters><parameter name=\"k\" value=\"7\"/></listOfParameters></kineticLaw>"
      "</reaction></listOfReactions>"));
  ASSERT_EQ(m.compartments.size(), 1u);
  EXPECT_EQ(m.compartments[0].size, 1);
  ASSERT_EQ(m.species.size(), 2u);
  EXPECT_TRUE(m.species[0].initial_is_amount);
  EXPECT_FALSE(m.species[0].in_amount);
  EXPECT_EQ(m.species[0].initial, 3);
  ASSERT_EQ(m.rules.size(), 2u);
  EXPECT_EQ(m.rules[0].kind, RuleKind::rate);
  EXPECT_EQ(m.rules[1].kind, RuleKind::assignment);
  EXPECT_EQ(m.rules[1].target, m.find("B"));
  ASSERT_EQ(m.reactions.size(), 1u);
  EXPECT_EQ(m.reactions[0].reactants[0].stoichiometry, 1.5);
  EXPECT_TRUE(m.reactions[0].reversible);
  // The law's own k hides the model's.
  const ExprNode& product = m.expressions[m.reactions[0].rate];
  ASSERT_EQ(product.op, Op::mul);
  EXPECT_EQ(m.expressions[product.a].ref, m.find("r.k"));
  EXPECT_EQ(m.parameters[m.find("r.k").index].value, 7);
}

TEST(ReadSbml, LevelOneConstantsAreToldByTheRules) {
  Model m = read(sbml(1, 2,
                      "<listOfCompartments><compartment name=\"c\"/></listOfCompartments>"
                      "<listOfParameters><parameter name=\"set\"/><parameter name=\"solved\"/>"
                      "<parameter name=\"k\" value=\"1\"/></listOfParameters><listOfRules>"
                      "<parameterRule name=\"set\" formula=\"2\"/>"
                      "<algebraicRule formula=\"solved - 3\"/></listOfRules>"));
  EXPECT_FALSE(m.parameters[0].constant);
  EXPECT_FALSE(m.parameters[1].constant);
  EXPECT_TRUE(m.parameters[2].constant);
  EXPECT_TRUE(m.compartments[0].constant);
}

TEST(ReadSbml, QuantitiesOfLevelThree) {
  Model m = read(sbml(
      3, 1,
      "<listOfCompartments><compartment id=\"c\" constant=\"false\" spatialDimensions=\"2.5\"/>"
      "<compartment id=\"point\" constant=\"true\" spatialDimensions=\"0\"/></listOfCompartments>"
      "<listOfSpecies><species id=\"A\" compartment=\"c\" initialConcentration=\"2\" "
      "hasOnlySubstanceUnits=\"true\" boundaryCondition=\"false\" constant=\"false\" "
      "conversionFactor=\"f\"/><species id=\"B\" compartment=\"point\" initialAmount=\"1\" "
      "hasOnlySubstanceUnits=\"false\" boundaryCondition=\"true\" constant=\"true\"/>"
      "</listOfSpecies><listOfParameters><parameter id=\"f\" value=\"4\" constant=\"true\"/>"
      "<parameter id=\"u\" constant=\"true\"/></listOfParameters>"));
  EXPECT_TRUE(std::isnan(m.compartments[0].size));
  EXPECT_EQ(m.compartments[0].dimensions, 2.5);
  EXPECT_FALSE(m.compartments[0].constant);
  EXPECT_TRUE(m.species[0].in_amount);
  EXPECT_FALSE(m.species[0].initial_is_amount);
  EXPECT_EQ(m.species[0].conversion_factor, m.find("f").index);
  EXPECT_TRUE(m.species[1].in_amount) << "a point has no concentrations";
  EXPECT_TRUE(m.species[1].boundary);
  EXPECT_TRUE(m.species[1].constant);
  EXPECT_TRUE(std::isnan(m.parameters[1].value));
}

const std::string two_species =
    "<listOfCompartments><compartment id=\"c\" size=\"1\" constant=\"true\"/></listOfCompartments>"
    "<listOfSpecies><species id=\"A\" compartment=\"c\" initialAmount=\"1\" "
    "hasOnlySubstanceUnits=\"false\" boundaryCondition=\"false\" constant=\"false\"/><species "
    "id=\"B\" compartment=\"c\" initialAmount=\"0\" hasOnlySubstanceUnits=\"false\" "
    "boundaryCondition=\"false\" constant=\"false\"/></listOfSpecies>";

TEST(ReadSbml, StoichiometriesThatAreVariables) {
  Model three = read(sbml(
      3, 1,
      two_species +
          "<listOfReactions><reaction id=\"r\" reversible=\"false\" fast=\"true\">"
          "<listOfReactants><speciesReference id=\"n\" species=\"A\" stoichiometry=\"2\" "
          "constant=\"false\"/></listOfReactants><listOfProducts><speciesReference species=\"B\" "
          "constant=\"true\"/></listOfProducts><listOfModifiers><modifierSpeciesReference "
          "species=\"B\"/></listOfModifiers></reaction></listOfReactions>"));
  EXPECT_EQ(three.reactions[0].reactants[0].parameter, three.find("n").index);
  EXPECT_EQ(three.parameters[three.find("n").index].value, 2);
  EXPECT_TRUE(std::isnan(three.reactions[0].products[0].stoichiometry)) << "none is given";
  EXPECT_EQ(three.reactions[0].modifiers, std::vector<std::int32_t>{1});
  EXPECT_TRUE(three.reactions[0].fast);
  EXPECT_EQ(three.reactions[0].rate, no_expr);

  Model two = read(sbml(2, 3,
                        "<listOfCompartments><compartment id=\"c\" size=\"1\"/>"
                        "</listOfCompartments><listOfSpecies><species id=\"A\" compartment=\"c\" "
                        "initialAmount=\"1\"/></listOfSpecies><listOfReactions><reaction id=\"r\">"
                        "<listOfReactants><speciesReference species=\"A\"><stoichiometryMath>" +
                            math("<apply><times/><cn>2</cn><ci>A</ci></apply>") +
                            "</stoichiometryMath></speciesReference></listOfReactants>"
                            "<listOfProducts><speciesReference species=\"A\"/></listOfProducts>"
                            "</reaction></listOfReactions>"));
  Ref variable = two.find("r.stoichiometry.A");
  ASSERT_EQ(variable.kind, SymbolKind::parameter);
  EXPECT_EQ(two.reactions[0].reactants[0].parameter, variable.index);
  ASSERT_EQ(two.rules.size(), 1u);
  EXPECT_EQ(two.rules[0].target, variable);
  EXPECT_EQ(two.reactions[0].products[0].stoichiometry, 1);
}

std::string event(const std::string& attributes, const std::string& trigger_attributes) {
  return "<listOfParameters><parameter id=\"x\" value=\"0\" constant=\"false\"/>"
         "</listOfParameters><listOfEvents><event id=\"e\"" +
         attributes + "><trigger" + trigger_attributes + ">" +
         math(
             "<apply><gt/><csymbol encoding=\"text\" "
             "definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t</csymbol><cn>1</cn>"
             "</apply>") +
         "</trigger><delay>" + math("<cn>2</cn>") +
         "</delay><listOfEventAssignments><eventAssignment variable=\"x\">" + math("<cn>3</cn>") +
         "</eventAssignment></listOfEventAssignments></event></listOfEvents>";
}

TEST(ReadSbml, EventsOfEachLevel) {
  Model two = read(sbml(2, 4, event(" useValuesFromTriggerTime=\"false\"", "")));
  ASSERT_EQ(two.events.size(), 1u);
  EXPECT_TRUE(two.events[0].initial_value);
  EXPECT_TRUE(two.events[0].persistent);
  EXPECT_FALSE(two.events[0].values_at_trigger);
  EXPECT_TRUE(read(sbml(2, 1, event("", ""))).events[0].values_at_trigger);
  Model three = read(sbml(
      3, 1,
      event(" useValuesFromTriggerTime=\"true\"", " initialValue=\"false\" persistent=\"false\"")));
  EXPECT_FALSE(three.events[0].initial_value);
  EXPECT_FALSE(three.events[0].persistent);
  EXPECT_TRUE(three.events[0].values_at_trigger);
  EXPECT_NE(three.events[0].delay, no_expr);
  EXPECT_EQ(three.events[0].priority, no_expr);
  ASSERT_EQ(three.events[0].assignments.size(), 1u);
  EXPECT_EQ(three.events[0].assignments[0].target, three.find("x"));
}

TEST(ReadSbml, MathematicsMayBeMissingInTheLastVersion) {
  Model m = read(sbml(
      3, 2,
      "<listOfFunctionDefinitions><functionDefinition id=\"f\"/></listOfFunctionDefinitions>"
      "<listOfParameters><parameter id=\"x\" value=\"1\" constant=\"false\"/></listOfParameters>"
      "<listOfInitialAssignments><initialAssignment symbol=\"x\"/></listOfInitialAssignments>"
      "<listOfRules><rateRule variable=\"x\"/></listOfRules><listOfReactions><reaction id=\"r\" "
      "reversible=\"false\"><kineticLaw/></reaction></listOfReactions><listOfEvents><event "
      "id=\"e\" useValuesFromTriggerTime=\"true\"><trigger initialValue=\"true\" "
      "persistent=\"true\"/><listOfEventAssignments><eventAssignment variable=\"x\"/>"
      "</listOfEventAssignments></event></listOfEvents>"));
  EXPECT_EQ(m.functions[0].body, no_expr);
  EXPECT_TRUE(m.initial_assignments.empty());
  EXPECT_TRUE(m.rules.empty());
  EXPECT_EQ(m.reactions[0].rate, no_expr);
  EXPECT_EQ(m.events[0].trigger, no_expr);
  EXPECT_TRUE(m.events[0].assignments.empty());
}

TEST(ReadSbml, SpansPointAtTheTag) {
  std::string text = sbml(3, 2,
                          "\n<listOfParameters>\n  <parameter id=\"x\" constant=\"true\"/>"
                          "\n</listOfParameters>\n");
  Model m = read(text);
  Span span = m.parameters[0].span;
  EXPECT_EQ(text.substr(span.begin, span.end - span.begin),
            "<parameter id=\"x\" constant=\"true\"/>");
}

TEST(ReadSbml, NotesAndAnnotationsDoNotMatter) {
  Model m = read(sbml(3, 2,
                      "<notes><p xmlns=\"http://www.w3.org/1999/xhtml\">a <b>b</b></p></notes>"
                      "<annotation><x:y xmlns:x=\"z\"><notes/></x:y></annotation>"
                      "<listOfParameters><parameter id=\"x\" value=\"2\" constant=\"true\"/>"
                      "</listOfParameters>"));
  EXPECT_EQ(m.parameters.at(0).value, 2);
  EXPECT_EQ(m.title, "m");
}

TEST(ReadSbml, Recognised) {
  EXPECT_TRUE(looks_like_sbml("\xEF\xBB\xBF<?xml version='1.0'?><!-- x --> <s:sbml a='b'/>"));
  EXPECT_TRUE(looks_like_sbml("<sbml>"));
  EXPECT_FALSE(looks_like_sbml("<?xml version='1.0'?><sedML/>"));
  EXPECT_FALSE(looks_like_sbml("A -> B; k"));
}

}  // namespace
}  // namespace stiffit::internal
