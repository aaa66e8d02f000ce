// Each feature of SBML in a model of a few lines whose solution is known.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/diagnostic.h"
#include "sbml_small_model.h"

namespace stiffit::internal {
namespace {

constexpr double tolerance = 1e-6;

std::string num(double value) { return "<cn>" + std::to_string(value) + "</cn>"; }
std::string id(const std::string& name) { return "<ci>" + name + "</ci>"; }
std::string op(const std::string& name, const std::string& operands) {
  return "<apply><" + name + "/>" + operands + "</apply>";
}
std::string symbol(const std::string& name) {
  return "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/" + name +
         "\">" + name + "</csymbol>";
}
std::string call(const std::string& symbol_name, const std::string& operands) {
  return "<apply>" + symbol(symbol_name) + operands + "</apply>";
}
std::string after(double time) { return op("geq", symbol("time") + num(time)); }

std::string parameter(const std::string& name, double value) {
  return "<parameter id=\"" + name + "\" value=\"" + std::to_string(value) +
         "\" constant=\"false\"/>";
}
std::string parameters(const std::string& all) {
  return "<listOfParameters>" + all + "</listOfParameters>";
}
std::string rate_rule(const std::string& name, const std::string& math) {
  return "<rateRule variable=\"" + name + "\">" + mathml(math) + "</rateRule>";
}
std::string assignment_rule(const std::string& name, const std::string& math) {
  return "<assignmentRule variable=\"" + name + "\">" + mathml(math) + "</assignmentRule>";
}
std::string rules(const std::string& all) { return "<listOfRules>" + all + "</listOfRules>"; }
std::string initially(const std::string& name, const std::string& math) {
  return "<listOfInitialAssignments><initialAssignment symbol=\"" + name + "\">" + mathml(math) +
         "</initialAssignment></listOfInitialAssignments>";
}

struct EventText {
  std::string trigger, variable, value, delay = {}, priority = {};
  bool initial_value = true, persistent = true, from_trigger = true;
};
std::string truth(bool value) { return value ? "\"true\"" : "\"false\""; }
std::string events(const std::vector<EventText>& list) {
  std::string text = "<listOfEvents>";
  for (const EventText& e : list) {
    text += "<event useValuesFromTriggerTime=" + truth(e.from_trigger) +
            "><trigger initialValue=" + truth(e.initial_value) +
            " persistent=" + truth(e.persistent) + ">" + mathml(e.trigger) + "</trigger>";
    if (!e.priority.empty()) text += "<priority>" + mathml(e.priority) + "</priority>";
    if (!e.delay.empty()) text += "<delay>" + mathml(e.delay) + "</delay>";
    text += "<listOfEventAssignments><eventAssignment variable=\"" + e.variable + "\">" +
            mathml(e.value) + "</eventAssignment></listOfEventAssignments></event>";
  }
  return text + "</listOfEvents>";
}

std::string compartment(const std::string& attributes) {
  return "<listOfCompartments><compartment id=\"c\" constant=\"false\" " + attributes +
         "/></listOfCompartments>";
}
std::string species(const std::string& name, const std::string& more) {
  std::string text = "<species id=\"" + name + "\" compartment=\"c\" " + more;
  for (const char* flag : {"constant", "hasOnlySubstanceUnits", "boundaryCondition"})
    if (more.find(flag) == std::string::npos) text += " " + std::string(flag) + "=\"false\"";
  return text + "/>";
}
std::string species_list(const std::string& all) {
  return "<listOfSpecies>" + all + "</listOfSpecies>";
}
// S -> nothing; `law` is a kinetic law or empty.
std::string decay(const std::string& law, const std::string& reference = "constant=\"true\"",
                  const std::string& more = "") {
  return "<listOfReactions><reaction id=\"r\" reversible=\"false\"" + more +
         "><listOfReactants><speciesReference species=\"S\" stoichiometry=\"1\" " + reference +
         "/></listOfReactants>" + law + "</reaction></listOfReactions>";
}
std::string law(const std::string& math) { return "<kineticLaw>" + mathml(math) + "</kineticLaw>"; }

double value(const std::string& lists, const std::string& name, double time, int seed = 1) {
  return simulate_sbml(sbml_text(3, 2, lists), {name}, time, seed)[0];
}

// x = t, and y that the events set.
const std::string clock_and_y = parameters(parameter("x", 0) + parameter("y", 1)) +
                                rules(rate_rule("x", num(1)) + rate_rule("y", num(0)));

TEST(SbmlEvents, WaitAndTakeTheValuesOfTheTriggerOrOfTheMoment) {
  EventText event{op("gt", id("x") + num(1.5)), "y", op("times", num(10) + id("x")), num(1)};
  EXPECT_NEAR(value(clock_and_y + events({event}), "y", 2.4), 1, tolerance);
  EXPECT_NEAR(value(clock_and_y + events({event}), "y", 3), 15, tolerance);
  event.from_trigger = false;
  EXPECT_NEAR(value(clock_and_y + events({event}), "y", 3), 25, tolerance);
}

TEST(SbmlEvents, AreDroppedUnlessTheyPersist) {
  EventText event{op("and", op("gt", id("x") + num(1)) + op("lt", id("x") + num(1.5))), "y", num(5),
                  num(1)};
  EXPECT_NEAR(value(clock_and_y + events({event}), "y", 3), 5, tolerance);
  event.persistent = false;
  EXPECT_NEAR(value(clock_and_y + events({event}), "y", 3), 1, tolerance);
}

TEST(SbmlEvents, FireAtTheStartIfTheTriggerWasFalseBefore) {
  EventText event{op("geq", id("x") + num(0)), "y", num(5)};
  EXPECT_EQ(value(clock_and_y + events({event}), "y", 0), 1);
  event.initial_value = false;
  EXPECT_EQ(value(clock_and_y + events({event}), "y", 0), 5);
}

TEST(SbmlEvents, TheHigherPriorityComesFirst) {
  EventText sum{after(1), "y", op("plus", id("y") + num(1)), {}, num(1), true, true, false};
  EventText twice{after(1), "y", op("times", id("y") + num(2)), {}, num(2), true, true, false};
  EXPECT_NEAR(value(clock_and_y + events({sum, twice}), "y", 2), 3, tolerance);
  sum.priority = op("times", num(3) + id("x"));  // is computed at that moment
  EXPECT_NEAR(value(clock_and_y + events({sum, twice}), "y", 2), 4, tolerance);
}

TEST(SbmlEvents, ReevaluateTheOthersAfterEachOne) {
  const std::string lists = parameters(parameter("x", 0) + parameter("y", 1) + parameter("z", 0)) +
                            rules(rate_rule("x", num(1)));
  EventText first{after(1), "z", num(1), {}, num(2)};
  EventText second{op("and", after(1) + op("lt", id("z") + num(0.5))), "y", num(7), {}, num(1)};
  EXPECT_NEAR(value(lists + events({first, second}), "y", 2), 7, tolerance);
  second.persistent = false;
  EXPECT_NEAR(value(lists + events({first, second}), "y", 2), 1, tolerance);
  EventText third{op("gt", id("z") + num(0.5)), "y", num(9)};  // set off by the first
  EXPECT_NEAR(value(lists + events({first, third}), "y", 2), 9, tolerance);
}

TEST(SbmlEvents, EqualPrioritiesAreDrawnByTheSeed) {
  EventText one{after(1), "y", num(10), {}, num(1)}, other{after(1), "y", num(20), {}, num(1)};
  std::set<double> seen;
  for (int seed = 1; seed <= 20; ++seed) {
    const double got = value(clock_and_y + events({one, other}), "y", 2, seed);
    EXPECT_EQ(got, value(clock_and_y + events({one, other}), "y", 2, seed));
    seen.insert(got);
  }
  EXPECT_EQ(seen, (std::set<double>{10, 20}));
}

TEST(SbmlEvents, ChangeCompartmentsSpeciesAndStoichiometries) {
  const std::string cell = compartment("size=\"2\" spatialDimensions=\"3\"") +
                           species_list(species("S", "initialAmount=\"8\""));
  EXPECT_NEAR(value(cell + events({{after(1), "c", num(4)}}), "[S]", 0.5), 4, tolerance);
  EXPECT_NEAR(value(cell + events({{after(1), "c", num(4)}}), "[S]", 2), 2, tolerance);
  EXPECT_NEAR(value(cell + events({{after(1), "S", num(5)}}), "amount(S)", 2), 10, tolerance);
  const std::string reaction = decay(law(num(1)), "id=\"n\" constant=\"false\"");
  EXPECT_NEAR(value(cell + reaction + events({{after(1), "n", num(3)}}), "amount(S)", 2), 4,
              tolerance);
}

TEST(SbmlFeatures, CompartmentsWithoutExtent) {
  const std::string lists = compartment("spatialDimensions=\"0\"") +
                            species_list(species("S",
                                                 "initialAmount=\"8\" "
                                                 "hasOnlySubstanceUnits=\"true\"")) +
                            decay(law(op("times", num(0.5) + id("S"))));
  EXPECT_NEAR(value(lists, "S", 2), 8 * std::exp(-1), tolerance);
}

TEST(SbmlFeatures, ConstantSpeciesStay) {
  const std::string cell = compartment("size=\"2\" spatialDimensions=\"3\"");
  EXPECT_EQ(value(cell +
                      species_list(species("S",
                                           "initialAmount=\"8\" constant=\"true\" "
                                           "boundaryCondition=\"true\"")) +
                      decay(law(num(1))),
                  "amount(S)", 2),
            8);
}

TEST(SbmlFeatures, TheConversionFactorOfTheModelAndOfASpecies) {
  const std::string factors = parameters(
      "<parameter id=\"f\" value=\"3\" constant=\"true\"/><parameter id=\"g\" "
      "value=\"5\" constant=\"true\"/>");
  const std::string cell = compartment("size=\"1\" spatialDimensions=\"3\"");
  auto at_two = [&](const std::string& own) {
    std::string text = sbml_text(3, 2,
                                 cell + species_list(species("S", "initialAmount=\"100\"" + own)) +
                                     factors + decay(law(num(1))));
    text.insert(text.find("<model") + 6, " conversionFactor=\"f\"");
    return simulate_sbml(text, {"S"}, 2)[0];
  };
  EXPECT_NEAR(at_two(""), 94, tolerance);
  EXPECT_NEAR(at_two(" conversionFactor=\"g\""), 90, tolerance);
}

TEST(SbmlFeatures, RulesOnSpeciesCompartmentsAndStoichiometries) {
  const std::string cell = compartment("size=\"2\" spatialDimensions=\"3\"");
  const std::string still =
      species_list(species("S", "initialConcentration=\"4\" boundaryCondition=\"true\""));
  EXPECT_NEAR(value(cell + still + rules(assignment_rule("S", symbol("time"))), "amount(S)", 3), 6,
              tolerance);
  EXPECT_NEAR(value(cell + still + rules(rate_rule("S", num(1))), "[S]", 3), 7, tolerance);
  // The amount stays while the compartment follows its rule.
  EXPECT_NEAR(value(cell + still + rules(assignment_rule("c", op("plus", num(2) + symbol("time")))),
                    "[S]", 2),
              2, tolerance);
  const std::string moving = species_list(species("S", "initialAmount=\"50\""));
  const std::string reaction = decay(law(num(2)), "id=\"n\" constant=\"false\"");
  EXPECT_NEAR(value(cell + moving + rules(rate_rule("n", num(1))) + reaction, "amount(S)", 2),
              50 - 2 * (2 + 2), tolerance);
  EXPECT_NEAR(value(cell + moving + initially("n", num(4)) + reaction, "amount(S)", 2), 50 - 16,
              tolerance);
  // Its name in the mathematics is its value.
  EXPECT_NEAR(value(cell + moving + parameters(parameter("x", 0)) + initially("n", num(4)) +
                        rules(rate_rule("x", id("n"))) + reaction,
                    "x", 2),
              8, tolerance);
}

TEST(SbmlFeatures, StoichiometryMathOfLevelTwo) {
  std::string text = sbml_text(
      2, 4,
      "<listOfCompartments><compartment id=\"c\" "
      "size=\"1\"/></listOfCompartments><listOfSpecies><species "
      "id=\"S\" compartment=\"c\" initialAmount=\"50\"/></listOfSpecies><listOfReactions><reaction "
      "id=\"r\"><listOfReactants><speciesReference species=\"S\"><stoichiometryMath>" +
          mathml(op("times", num(2) + symbol("time"))) +
          "</stoichiometryMath></speciesReference></listOfReactants><kineticLaw>" + mathml(num(1)) +
          "</kineticLaw></reaction></listOfReactions>");
  EXPECT_NEAR(simulate_sbml(text, {"S"}, 3)[0], 50 - 9, tolerance);
}

TEST(SbmlFeatures, WhatHasNoMathematicsDoesNothing) {
  const std::string cell = compartment("size=\"1\" spatialDimensions=\"3\"") +
                           species_list(species("S", "initialAmount=\"8\"")) +
                           parameters(parameter("x", 3));
  EXPECT_EQ(value(cell + decay(""), "S", 2), 8);
  EXPECT_EQ(value(cell + decay("<kineticLaw/>"), "S", 2), 8);
  EXPECT_EQ(value(cell + rules("<rateRule variable=\"x\"/>"), "x", 2), 3);
  EXPECT_EQ(value(cell +
                      "<listOfEvents><event useValuesFromTriggerTime=\"true\"><trigger "
                      "initialValue=\"false\" persistent=\"true\"/><listOfEventAssignments>"
                      "<eventAssignment variable=\"x\">" +
                      mathml(num(9)) +
                      "</eventAssignment></listOfEventAssignments></event></listOfEvents>",
                  "x", 2),
            3);
}

TEST(SbmlFeatures, AlgebraicRules) {
  const std::string lists = parameters(parameter("x", 0) + parameter("y", 2));
  auto zero = [](const std::string& math) {
    return "<algebraicRule>" + mathml(math) + "</algebraicRule>";
  };
  // x + y = 3, solved by hand; x^3 + x = y, not.
  EXPECT_NEAR(value(lists + rules(rate_rule("y", op("minus", id("y"))) +
                                  zero(op("plus", id("x") + id("y") + num(-3)))),
                    "x", 1),
              3 - 2 * std::exp(-1), tolerance);
  const double x = value(
      lists +
          rules(rate_rule("y", op("minus", id("y"))) +
                zero(op("minus", op("plus", op("power", id("x") + num(3)) + id("x")) + id("y")))),
      "x", 1);
  EXPECT_NEAR(x * x * x + x, 2 * std::exp(-1), tolerance);
  // Nothing is left for it to determine.
  EXPECT_THROW(value(lists + rules(rate_rule("x", num(1)) + rate_rule("y", num(1)) +
                                   zero(op("minus", id("x") + id("y")))),
                     "x", 1),
               InputError);
}

TEST(SbmlFeatures, DelaysLookBackBeyondTheStart) {
  const std::string lists = parameters(parameter("x", 1) + parameter("y", 0));
  auto look = [](const std::string& lag) { return call("delay", id("x") + lag); };
  const std::string lagging =
      lists + rules(rate_rule("x", op("minus", look(num(1)))) + assignment_rule("y", look(num(2))));
  EXPECT_NEAR(value(lagging, "x", 1), 0, tolerance);
  EXPECT_NEAR(value(lagging, "x", 1.5), -0.375, tolerance);
  EXPECT_NEAR(value(lagging, "y", 1.5), 1, tolerance);
  EXPECT_NEAR(value(lagging, "y", 3.5), -0.375, tolerance);
  // How long ago may vary: x(t/2).
  EXPECT_NEAR(
      value(lists + rules(rate_rule("x", num(2)) +
                          assignment_rule("y", look(op("divide", symbol("time") + num(2))))),
            "y", 4),
      5, tolerance);
}

TEST(SbmlFeatures, FastReactionsAreAtEquilibrium) {
  std::string text = sbml_text(
      3, 1,
      compartment("size=\"1\" spatialDimensions=\"3\"") +
          species_list(species("A", "initialAmount=\"8\"") + species("B", "initialAmount=\"0\"")) +
          "<listOfReactions><reaction id=\"r\" reversible=\"true\" fast=\"true\"><listOfReactants>"
          "<speciesReference species=\"A\" stoichiometry=\"1\" constant=\"true\"/>"
          "</listOfReactants><listOfProducts><speciesReference species=\"B\" stoichiometry=\"1\" "
          "constant=\"true\"/></listOfProducts><kineticLaw>" +
          mathml(op("minus", id("A") + op("times", num(3) + id("B")))) +
          "</kineticLaw></reaction></listOfReactions>");
  const std::vector<double> got = simulate_sbml(text, {"A", "B"}, 1);
  EXPECT_NEAR(got[0], 6, tolerance);
  EXPECT_NEAR(got[1], 2, tolerance);
}

TEST(SbmlFeatures, TheRateOfAFunctionsArgument) {
  const std::string function =
      "<listOfFunctionDefinitions><functionDefinition id=\"speed\">" +
      mathml("<lambda><bvar>" + id("z") + "</bvar>" + call("rateOf", id("z")) + "</lambda>") +
      "</functionDefinition></listOfFunctionDefinitions>";
  const std::string of_x = "<apply>" + id("speed") + id("x") + "</apply>";
  const std::string lists =
      function + parameters(parameter("x", 3) + parameter("y", 0) + parameter("z", 0)) +
      initially("y", of_x) +
      rules(rate_rule("x", op("times", num(-0.5) + id("x"))) + assignment_rule("z", of_x));
  EXPECT_NEAR(value(lists, "y", 1), -1.5, tolerance);
  EXPECT_NEAR(value(lists, "z", 1), -1.5 * std::exp(-0.5), tolerance);
}

TEST(SbmlFeatures, SwitchesInRateLaws) {
  const std::string cell = compartment("size=\"1\" spatialDimensions=\"3\"") +
                           species_list(species("S", "initialAmount=\"4\""));
  EXPECT_NEAR(value(cell + decay(law(op("max", op("minus", id("S") + num(2)) + num(0)))), "S", 3),
              2 + 2 * std::exp(-3), tolerance);
  // 1 per time until S = 3, then 1/2: no step goes over the edge.
  EXPECT_NEAR(
      value(cell + decay(law("<piecewise><piece>" + num(1) + op("gt", id("S") + num(3)) +
                             "</piece><otherwise>" + num(0.5) + "</otherwise></piecewise>")),
            "S", 3),
      2, tolerance);
  EXPECT_NEAR(value(cell + decay(law(op("floor", id("S")))), "S", 1.0 / 3 + 0.25), 2.5, tolerance);
}

}  // namespace
}  // namespace stiffit::internal
