// Analyses of a model through the public headers, against closed forms or by another way.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "stiffit/stiffit.h"

namespace {

const char* const escep =
    "species S = 1, E = 0.01, C = 0, P = 0\nE + S <-> C; k1, k_1\nC -> E + P; k2\n"
    "k1 = 1; k_1 = 1; k2 = 0.5\n";

std::string complaint(const auto& run) {
  try {
    run();
  } catch (const stiffit::InputError& error) {
    return error.what();
  }
  return "nothing is wrong";
}

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(Analyses, EveryRunOfAScanIsItsOwnTimeCourse) {
  const auto model = stiffit::Model::from_text("A -> ; k*A\nk = 1; A = 1\n");
  double told = 0;
  const auto scan = model.scan({.vary = {{"A", {1, 3}}, {"k", stiffit::grid(0.5, 2, 3, true)}},
                                .end = 2,
                                .points = 4,
                                .rtol = 1e-9,
                                .run = {.progress = [&](double share) { told = share; }}});
  EXPECT_EQ(scan.runs(), 6u);
  EXPECT_EQ(scan.columns, std::vector<std::string>{"A"});
  ASSERT_EQ(scan.values.size(), 6u * 5u);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(scan.failures.empty());
  for (std::size_t run = 0; run < 6; ++run) {
    const auto point = scan.point(run);
    for (std::size_t r = 0; r < 5; ++r)
      EXPECT_NEAR(scan.values[run * 5 + r], point[0] * std::exp(-point[1] * scan.times[r]), 1e-7);
  }
  EXPECT_NEAR(scan.point(1)[1], 1, 1e-12);  // the last axis moves fastest
}

TEST(Analyses, AScanSaysWhichRunsFailed) {
  const auto model = stiffit::Model::from_text("X = 1\nX' = k*X^2\nk = 0\n");
  const auto scan = model.scan({.vary = {{"k", {0, 1}}}, .end = 2});
  ASSERT_EQ(scan.failures.size(), 1u);
  EXPECT_EQ(scan.failures[0].run, 1u);
  EXPECT_TRUE(says(scan.failures[0].reason, "X")) << scan.failures[0].reason;
  EXPECT_EQ(scan.values[1], 1);
  EXPECT_TRUE(std::isnan(scan.values.back()));
  const std::string unknown = complaint([&] { model.scan({.vary = {{"kk", {1}}}}); });
  EXPECT_TRUE(says(unknown, "did you mean 'k'")) << unknown;
  EXPECT_FALSE(says(unknown, "--")) << unknown;
  EXPECT_TRUE(says(complaint([&] { model.scan({}); }), "vary"));
  EXPECT_TRUE(says(complaint([&] { model.scan({.vary = {{"k", {1}}, {"k", {2}}}}); }), "twice"));
  EXPECT_TRUE(says(complaint([&] { model.scan({.vary = {{"k", {NAN}}}}); }), "finite"));
  EXPECT_TRUE(says(complaint([] { stiffit::grid(2, 1, 3); }), "ascend"));
}

TEST(Analyses, ComparisonReachesTheErrorsAskedFor) {
  const auto model = stiffit::Model::load("escep");
  const auto found = model.compare({.methods = {"rodas5p", "bdf", "euler"},
                                    .errors = {1e-2, 1e-4},
                                    .end = 20,
                                    .points = 10,
                                    .max_steps = 100});
  ASSERT_EQ(found.status, "done") << found.explanation;
  ASSERT_EQ(found.table.size(), 6u);
  EXPECT_EQ(found.table[0].method, "rodas5p");
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(found.table[i].best) << found.table[i].reason;
    EXPECT_LE(found.table[i].best->achieved, found.table[i].error);
    EXPECT_GT(found.table[i].best->steps, 0);
  }
  EXPECT_FALSE(found.table[5].best);  // Euler's steps would have to be thousands
  EXPECT_FALSE(found.table[5].reason.empty());
  EXPECT_LT(found.reference_agreement, 1e-6);
  ASSERT_EQ(found.curves.size(), 3u);
  EXPECT_FALSE(found.curves[1].second.empty());
  EXPECT_TRUE(says(complaint([&] { model.compare({.methods = {"rodas5"}}); }), "rodas5p"));
  EXPECT_TRUE(says(complaint([&] { model.compare({.errors = {0}}); }), "errors"));
}

TEST(Analyses, MichaelisAndMentenComeOutOfAnEnzymeReaction) {
  const auto model = stiffit::Model::from_text(escep);
  const auto reduced = model.reduce({.fast = {"C"}, .end = 1000});
  ASSERT_TRUE(reduced.done()) << reduced.explanation;
  ASSERT_FALSE(reduced.rows.empty());
  EXPECT_EQ(reduced.rows[0].name, "C");
  EXPECT_EQ(reduced.rows[0].how, "solved");
  // C = E0 S/(KM + S), KM = (k_1 + k2)/k1, at every time of its own run.
  const auto course = reduced.model.simulate({.end = 1000, .points = 20}).or_throw();
  const auto s = course.column("S"), c = course.column("C");
  for (std::size_t i = 0; i < s.size(); ++i) EXPECT_NEAR(c[i], 0.01 * s[i] / (1.5 + s[i]), 1e-9);
  EXPECT_GT(reduced.worst, 1e-4);  // the initial layer of C is gone
  EXPECT_NO_THROW(stiffit::Model::from_written(reduced.model.written()));
  EXPECT_FALSE(model.reduce().fastest.empty());  // proposes C by itself
  const std::string both = complaint([&] { model.reduce({.fast = {"C"}, .polynomial = true}); });
  EXPECT_TRUE(says(both, "polynomial stands alone")) << both;
}

TEST(Analyses, ThePolynomialFormHasTheSameCurves) {
  const auto model =
      stiffit::Model::from_text("S -> P; vmax*S/(km + S)\nvmax = 0.5; km = 0.25; S = 1; P = 0\n");
  const auto made = model.reduce({.polynomial = true, .end = 10});
  ASSERT_TRUE(made.done()) << made.explanation;
  EXPECT_EQ(made.degree, 2);
  EXPECT_GT(made.variables.size(), 2u);
  EXPECT_LT(made.worst, 1e-6);
}

TEST(Analyses, EquationsAndConservedSums) {
  const auto equations =
      stiffit::Model::from_text("J: A -> B; k*A\nk = 2; A = 1; B = 0\n").equations();
  ASSERT_EQ(equations.rows.size(), 2u);
  EXPECT_EQ(equations.rows[0].state, "A");
  EXPECT_EQ(equations.rows[1].derivative, "k*A");
  ASSERT_EQ(equations.conserved.size(), 1u);
  EXPECT_TRUE(says(equations.conserved[0], "A + B")) << equations.conserved[0];
  EXPECT_EQ(equations.jacobian_nonzeros, 2);
}

TEST(Analyses, ConvertedModelsMeanTheSame) {
  const auto model = stiffit::Model::from_text(escep);
  const auto plain = model.simulate({.end = 100});
  for (const char* to : {"text", "antimony", "sbml"}) {
    const auto again = stiffit::Model::from_text(model.convert(to).text, "again");
    EXPECT_NEAR(again.simulate({.end = 100}).column("P").back(), plain.column("P").back(), 1e-6)
        << to;
  }
  EXPECT_TRUE(says(model.convert("c").text, "double"));
  EXPECT_TRUE(says(model.convert("latex").text, "\\frac"));
  const std::string unknown = complaint([&] { model.convert("latx"); });
  EXPECT_TRUE(says(unknown, "did you mean 'latex'")) << unknown;
  EXPECT_FALSE(says(unknown, "--")) << unknown;
}

TEST(Analyses, FindingsHaveTheirPlace) {
  EXPECT_TRUE(stiffit::check("oregonator").empty());
  const auto findings = stiffit::check_text(
      "A -> B; k1*A\nB -> C; k2*Bb\nk1 = 1; k2 = 1; A = 1; B = 0; C = 0\n", "m.rxn");
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].severity, "error");
  EXPECT_EQ(findings[0].file, "m.rxn");
  EXPECT_EQ(findings[0].line, 2);
  EXPECT_TRUE(says(findings[0].text, "^")) << findings[0].text;
  const auto start = stiffit::check_text("A -> B; k/(A - 1)\nk = 1; A = 1; B = 0\n");
  ASSERT_EQ(start.size(), 1u);
  EXPECT_TRUE(says(start[0].message, "not finite")) << start[0].message;
  EXPECT_TRUE(says(complaint([] { stiffit::check("nowhere.rxn"); }), "nowhere.rxn"));
}

TEST(Analyses, TimeCoursesSayWhatToKnowAboutThem) {
  const auto used =
      stiffit::Model::from_text("A -> ; k*sqrt(A)\nk = 1; A = 1\n").simulate({.end = 3});
  ASSERT_EQ(used.messages.size(), 1u);
  EXPECT_EQ(used.messages[0].kind, "note");
  EXPECT_TRUE(says(used.messages[0].text, "A is used up")) << used.messages[0].text;
  const auto blown = stiffit::Model::from_text("X = 1\nX' = X^2\n").simulate({.end = 2});
  ASSERT_FALSE(blown.messages.empty());
  EXPECT_EQ(blown.messages.back().kind, "error");
  EXPECT_EQ(blown.messages.back().text, blown.explanation);
  // Steps beyond what the method bears: 5*0.5 = 2.5 > 2.
  const auto unstable = stiffit::Model::from_text("A -> ; k*A\nk = 5; A = 1\n")
                            .simulate({.end = 200, .method = "euler", .step = 0.5});
  EXPECT_FALSE(unstable.messages.empty());
}

}  // namespace
