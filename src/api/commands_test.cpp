// What the commands of the program show comes through the public headers: here against closed
// forms, or by another way.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stiffit/stiffit.h"

namespace {

const char* const decay = "A -> ; k*A\nk = 2; A = 1\n";

bool holds(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(Commands, ErrorsSpellOptionsAsTheCallerDoes) {
  stiffit::ScanOptions options;
  try {
    stiffit::validate(options);
    FAIL() << "a scan over nothing";
  } catch (const stiffit::OptionError& error) {
    EXPECT_FALSE(holds(error.what(), "--")) << error.what();
    EXPECT_TRUE(holds(error.spelled("--"), "--vary")) << error.spelled("--");
    EXPECT_EQ(error.spelled(""), error.what());
  }
  EXPECT_EQ(stiffit::InputError("plain\n").spelled("--"), "plain\n");
  for (const auto& option : stiffit::option_list<stiffit::EvaluateOptions>("--"))
    EXPECT_TRUE(option.name != "sample" || holds(option.help, "--check")) << option.help;
  for (const auto& option : stiffit::option_list<stiffit::EvaluateOptions>())
    EXPECT_FALSE(holds(option.help, "--")) << option.help;
}

TEST(Commands, ATimeCourseIsVerifiedAndAWrongOneIsNot) {
  const auto model = stiffit::Model::from_text(decay);
  const stiffit::SimulateOptions options{.end = 3, .points = 6, .keep = false};
  auto course = model.simulate(options);
  ASSERT_TRUE(course.done());
  EXPECT_EQ(course.rows_asked, 7u);
  const auto verified = model.verify(options, course);
  EXPECT_TRUE(verified.agrees());
  EXPECT_NE(verified.method, course.method);
  ASSERT_EQ(verified.differences.size(), 1u);
  EXPECT_LT(verified.worst, 1e-4);
  course.values[3] *= 1.1;
  const auto wrong = model.verify(options, course);
  EXPECT_TRUE(wrong.done());
  EXPECT_FALSE(wrong.agrees());
  ASSERT_EQ(wrong.wrong.size(), 1u);
  EXPECT_NEAR(wrong.differences[0].largest, 0.1 * std::exp(-2 * course.times[3]), 1e-5);
  EXPECT_EQ(wrong.differences[0].time, course.times[3]);
}

TEST(Commands, WhatStaysCompiledGivesTheSameNumbers) {
  const auto model = stiffit::Model::from_text(decay);
  for (const auto& set : {std::map<std::string, double>{}, {{"k", 0.5}, {"A", 3}}}) {
    const auto kept = model.simulate({.end = 2, .points = 4, .set = set});
    const auto once = model.simulate({.end = 2, .points = 4, .set = set, .keep = false});
    EXPECT_EQ(kept.values, once.values);
  }
}

TEST(Commands, APageHoldsCurvesModelAndProvenance) {
  const auto model = stiffit::Model::from_text(decay);
  const stiffit::SimulateOptions options{.end = 3, .points = 6, .sensitivities = {"k"}};
  const auto course = model.simulate(options);
  EXPECT_EQ(course.derivative_columns, std::vector<std::string>{"d(A)/d(k)"});
  const std::string page =
      model.page(options, course, {"decay", "the,table", "the numbers", {}, {{"seed", "17"}}});
  for (const char* words : {"Time course of decay", "<svg", "d(A)/d(k)", "the numbers", "17"})
    EXPECT_TRUE(holds(page, words)) << words;
}

TEST(Commands, LimitsOfStabilityAreTheTextbooks) {
  const auto euler = stiffit::stability_limits("euler");
  EXPECT_NEAR(euler.real, 2, 1e-3);
  EXPECT_NEAR(euler.imaginary, 0, 1e-2);
  const auto classical = stiffit::stability_limits("rk4");
  EXPECT_NEAR(classical.real, 2.7853, 1e-3);
  EXPECT_NEAR(classical.imaginary, 2 * std::sqrt(2.0), 1e-3);
}

TEST(Commands, StepsOfComparedMethodsTimesWhatTheyMet) {
  const auto model = stiffit::Model::from_text(decay);
  const auto plain = model.compare({.methods = {"dopri5"}, .errors = {1e-3}, .end = 3});
  EXPECT_TRUE(plain.steps.empty());
  const auto found =
      model.compare({.methods = {"dopri5"}, .errors = {1e-3, 1e-5}, .end = 3, .steps = true});
  EXPECT_EQ(found.methods, std::vector<std::string>{"dopri5"});
  ASSERT_EQ(found.steps.size(), 1u);
  EXPECT_EQ(found.steps[0].error, 1e-3);
  ASSERT_FALSE(found.steps[0].eigenvalues.empty());
  for (const auto& z : found.steps[0].eigenvalues) {
    EXPECT_LT(z.real(), 0);
    EXPECT_GE(z.real(), -2 * 3);  // no step is longer than the time span
    EXPECT_NEAR(z.imag(), 0, 1e-12);
  }
}

TEST(Commands, AScanNamesItsPlacesAndTellsItsStages) {
  const auto model = stiffit::Model::from_text(decay);
  std::vector<stiffit::Progress> told;
  const auto scan =
      model.scan({.vary = {{"A", {1, 2}}, {"k", {0.5, 1, 2}}},
                  .end = 1,
                  .run = {.threads = 1, .stage = [&](const auto& p) { told.push_back(p); }}});
  EXPECT_EQ(scan.reached, 6u);
  EXPECT_EQ(scan.place(4), "A = 2, k = 1");
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().last, 6);
  EXPECT_EQ(told.back().at, 6);
  EXPECT_EQ(told.back().things, "runs");
}

TEST(Commands, AModelIsSummarizedInWords) {
  const auto model =
      stiffit::Model::from_text("species A = 3, B = 0\nk = 2; m := 2*k\nJ: A -> B; k*A\n", "small");
  const auto s = stiffit::summarize(model);
  ASSERT_EQ(s.species.size(), 2u);
  EXPECT_EQ(s.species[0].start, "= 3");
  EXPECT_EQ(s.species[0].kind, "concentration");
  ASSERT_EQ(s.parameters.size(), 2u);
  EXPECT_EQ(s.parameters[0].start, "= 2");
  EXPECT_EQ(s.parameters[1].start, ":= 2*k");
  ASSERT_EQ(s.reactions.size(), 1u);
  EXPECT_EQ(s.reactions[0].text, "A -> B");
  EXPECT_EQ(s.reactions[0].rate, "k*A");
  ASSERT_TRUE(s.equations.has_value());
  EXPECT_EQ(s.equations->conserved, std::vector<std::string>{"A + B = constant"});
  EXPECT_EQ(s.equations->size, static_cast<int>(s.equations->rows.size()));
}

TEST(Commands, AReducedModelIsWrittenInOtherLanguages) {
  const auto model = stiffit::Model::load("escep");
  const auto reduced = model.reduce({.fast = {"C"}});
  EXPECT_EQ(reduced.convert("text").text, reduced.text);
  const auto sbml = stiffit::Model::from_text(reduced.convert("sbml").text, "reduced.xml");
  const auto a = sbml.simulate({.end = 100}).or_throw();
  const auto b = reduced.model.simulate({.end = 100}).or_throw();
  EXPECT_NEAR(a.column("P").back(), b.column("P").back(), 1e-5 * b.column("P").back());
  EXPECT_EQ(stiffit::language_to_write("", "x.XML"), "sbml");
  EXPECT_EQ(stiffit::language_to_write("c", ""), "c");
  EXPECT_THROW(stiffit::language_to_write("", "x.zzz"), stiffit::OptionError);
}

TEST(Commands, SuitesAreAskedForByRanges) {
  EXPECT_EQ(stiffit::case_ranges("1-20,35"), (stiffit::CaseRanges{{1, 20}, {35, 35}}));
  EXPECT_THROW(stiffit::case_ranges("1-x"), stiffit::InputError);
  EXPECT_THROW(stiffit::conform_sbml("/nowhere/at/all"), stiffit::InputError);
  EXPECT_THROW(stiffit::conform_petab("/nowhere/at/all"), stiffit::InputError);
}

TEST(Commands, EachRoleHasOneMethod) {
  std::set<std::string> roles;
  for (const auto& method : stiffit::methods())
    EXPECT_TRUE(method.role.empty() || roles.insert(method.role).second) << method.role;
  EXPECT_EQ(roles.size(), 6u);
}

TEST(Commands, TextsOfResultsAreThoseOfTheProgram) {
  const auto model = stiffit::Model::from_text(decay);
  const auto ensemble =
      model.ensemble({.sample = {{"k", "uniform(1,2)"}}, .samples = 20, .end = 1, .points = 2});
  EXPECT_EQ(std::count(ensemble.text.begin(), ensemble.text.end(), '\n'), 1 + 3);
  EXPECT_TRUE(ensemble.json.starts_with("{"));
  EXPECT_FALSE(ensemble.worker);
  const auto problem = stiffit::Problem::from_data(
      model, {{"curve.csv", "time,A\n0,1\n0.5,0.4\n1,0.13\n2,0.02\n"}}, {"k=1:0.1:10"});
  const auto fit = problem.fit();
  EXPECT_TRUE(holds(fit.text, "k"));
  EXPECT_EQ(fit.starts_asked, 1u);
  EXPECT_FALSE(stiffit::is_petab("escep.rxn"));
  EXPECT_TRUE(stiffit::is_petab("problem.yaml"));
  const auto at = problem.evaluate({.at = "k=2", .simulations = true});
  EXPECT_EQ(at.n_data, 4);
  EXPECT_EQ(std::count(at.simulations.begin(), at.simulations.end(), '\n'), 1 + 4);
}

}  // namespace
