// Models that somebody is still writing, and what can be shown of them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "stiffit/stiffit.h"

namespace {

TEST(Reading, FindingsHaveBothEndsInCharacters) {
  const auto wrong = stiffit::read({"model", "# µµ\nS -> P; /* µ */ k1*Q\nS = 1; P = 0; k1 = 2\n"});
  EXPECT_FALSE(wrong.model);
  ASSERT_FALSE(wrong.findings.empty());
  const stiffit::Finding& f = wrong.findings[0];
  EXPECT_EQ(f.severity, "error");
  EXPECT_EQ(f.line, 2);
  EXPECT_EQ(f.end_line, 2);
  EXPECT_EQ(f.column, 20);
  EXPECT_EQ(f.end_column, 21);
  const auto right = stiffit::read({"model", "S -> P; k*S\nS = 1; P = 0; k = 2\n"});
  ASSERT_TRUE(right.model);
  EXPECT_TRUE(right.findings.empty());
  EXPECT_NEAR(right.model->simulate({.end = 1}).column("S").back(), std::exp(-2), 1e-5);
}

TEST(Reading, TablesAreThoseThatAreGiven) {
  const std::string text = "-> P; u\nP = 0\nu := table(\"in.csv\", a)\n";
  EXPECT_FALSE(stiffit::read({"model", text}).model);
  const auto reading = stiffit::read({"model", text, {{"in.csv", "time,a\n0,1\n10,1\n"}}});
  ASSERT_TRUE(reading.model);
  EXPECT_NEAR(reading.model->simulate({.end = 2}).column("P").back(), 2, 1e-6);
}

TEST(Reading, TextsOfErrorsAreTakenApart) {
  const auto found = stiffit::findings_in(
      "error: there is no 'Q'\n  model:2:12\n  2 | S -> P; k1*Q\n    |            ^ did you mean "
      "'P'?\nwarning: something else\n  a hint\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].message, "there is no 'Q'");
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(found[0].column, 12);
  EXPECT_EQ(found[0].hint, "did you mean 'P'?");
  EXPECT_EQ(found[1].severity, "warning");
  EXPECT_EQ(found[1].hint, "a hint");
}

TEST(Reading, AModelIsDescribed) {
  const auto d = stiffit::describe(stiffit::Model::from_text(
      "E + S <-> C; k1, k_1\nC -> E + P; kcat*C\nE = 1; S = x*5; C = 0; P = 0\n"
      "k1 = 2; k_1 = 0.5; kcat = 3; x = 2; y := 2*x\n"));
  EXPECT_EQ(d.language, "text");
  ASSERT_EQ(d.species.size(), 4u);
  EXPECT_EQ(d.species[1].name, "S");
  EXPECT_EQ(d.species[1].initial, 10);
  ASSERT_EQ(d.reactions.size(), 2u);
  EXPECT_EQ(d.reactions[0].reactants.size(), 2u);
  EXPECT_TRUE(d.reactions[0].reversible);
  EXPECT_EQ(d.moieties.size(), 2u);
  for (const auto& p : d.parameters) EXPECT_EQ(p.settable, p.name != "y") << p.name;
  const auto sbml = stiffit::Model::load("escep").convert("sbml").text;
  EXPECT_EQ(stiffit::model_language("a.xml", sbml), "sbml");
  const auto imported = stiffit::describe(stiffit::Model::from_text(sbml, "a.xml"));
  EXPECT_EQ(imported.language, "sbml");
  EXPECT_NO_THROW(stiffit::Model::from_text(imported.text));
}

TEST(Reading, CanBeStopped) {
  std::string text = "S0 = 1\n";
  for (int i = 0; i < 3000; ++i)
    text += "S" + std::to_string(i) + " -> S" + std::to_string(i + 1) + "; 2\n";
  const auto model = stiffit::Model::from_text(text);
  std::atomic<bool> stop{true};
  stiffit::RunOptions run;
  run.interrupt = &stop;
  EXPECT_THROW(stiffit::describe(model, run), stiffit::Interrupted);
  EXPECT_THROW(stiffit::read({"model", text}, run), stiffit::Interrupted);
}

TEST(Reading, SpectraFollowTheTimeCourse) {
  const auto model =
      stiffit::Model::from_text("A -> B; k*A\nB -> A; m*B\nk = 2; m = 1; A = 1; B = 0\n");
  const auto spectra = model.spectra({.end = 1, .points = 4});
  ASSERT_EQ(spectra.size(), 5u);
  for (const auto& s : spectra) {
    ASSERT_EQ(s.eigenvalues.size(), 2u);
    EXPECT_NEAR(std::min(s.eigenvalues[0].real(), s.eigenvalues[1].real()), -3, 1e-9);
    EXPECT_NEAR(std::max(s.eigenvalues[0].real(), s.eigenvalues[1].real()), 0, 1e-9);
  }
  EXPECT_TRUE(model.spectra({.end = 1}, 1).empty());
}

TEST(Reading, AnswersThatAreTooLargeAreRefused) {
  const auto model = stiffit::Model::load("escep");
  EXPECT_THROW(model.simulate({.points = 1000, .most_values = 100}), stiffit::TooLarge);
}

// Each table has names that can be set, and what is set comes back as words.
TEST(Options, AreListedAndSetByName) {
  stiffit::SimulateOptions o;
  stiffit::set_option(o, "max-steps", {"7"});
  stiffit::set_option(o, "max_order", {"3"});
  stiffit::set_option(o, "set", {"k=1", "m=2"});
  EXPECT_EQ(o.max_steps, 7);
  EXPECT_EQ(o.max_order, 3);
  EXPECT_EQ(o.set.size(), 2u);
  EXPECT_EQ(stiffit::given_options(o).size(), 3u);
  EXPECT_THROW(stiffit::set_option(o, "pionts", {"7"}), stiffit::InputError);
  o.rtol = -1;
  EXPECT_THROW(stiffit::validate(o), stiffit::InputError);
  EXPECT_GT(stiffit::option_list<stiffit::EvaluateOptions>().size(), 10u);
}

}  // namespace
