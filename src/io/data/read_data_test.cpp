// SPDX-License-Identifier: Apache-2.0
#include "io/data/read_data.h"

#include <gtest/gtest.h>

#include "io/text/read_text.h"

namespace stiffit::internal {
namespace {

const char* const enzyme =
    "species S = 1, E = 0.01, C = 0, P = 0\n"
    "E + S <-> C; k1, k_1\n"
    "C -> E + P; k2\n"
    "k1 = 1; k_1 = 1; k2 = 0.5; unused = 3\n"
    "total := S + C + P\n";

std::shared_ptr<const Model> model_of(const std::string& text) {
  auto source = std::make_shared<Source>("m.rxn", text);
  Diagnostics diagnostics(source);
  auto model = read_text(source, diagnostics);
  EXPECT_TRUE(model) << render(diagnostics);
  return std::make_shared<const Model>(std::move(*model));
}

DataProblem read(const std::vector<DataFile>& files, const std::string& estimate,
                 const std::vector<std::string>& observes = {}, const std::string& text = enzyme) {
  DataRequest request{files, {}, observes};
  if (!estimate.empty()) request.estimates.push_back(estimate);
  return read_data(model_of(text), request);
}

FitProblem good(const std::vector<DataFile>& files, const std::string& estimate,
                const std::vector<std::string>& observes = {}, const std::string& text = enzyme) {
  DataProblem result = read(files, estimate, observes, text);
  EXPECT_EQ(result.findings, "");
  EXPECT_TRUE(result.problem);
  return result.problem ? *result.problem : FitProblem{};
}

const DataFile curve{"d/curve.csv", "time,P\n0,0\n10,0.02\n20,\n40,0.09\n"};

TEST(ReadData, OneCurve) {
  FitProblem p = good({curve}, "k1=2:0.1:10,k2");
  ASSERT_EQ(p.parameters.size(), 2u);
  EXPECT_EQ(p.parameters[0].id, "k1");
  EXPECT_EQ(p.parameters[0].nominal, 2);
  EXPECT_EQ(p.parameters[0].lower, 0.1);
  EXPECT_EQ(p.parameters[0].upper, 10);
  EXPECT_EQ(p.parameters[0].scale, Scale::log);
  EXPECT_EQ(p.parameters[1].nominal, 0.5);
  EXPECT_EQ(p.parameters[1].lower, 0.5 / 1e3);
  EXPECT_EQ(p.parameters[1].upper, 0.5 * 1e3);
  EXPECT_EQ(p.model->parameters[p.model->find("k1").index].value, 2);
  ASSERT_EQ(p.measurements.size(), 3u);  // one cell is empty
  EXPECT_EQ(p.measurements[2].time, 40);
  EXPECT_EQ(p.measurements[2].value, 0.09);
  EXPECT_EQ(p.measurements[2].place.line, 5);
  EXPECT_EQ(p.measurements[2].place.column, "P");
  EXPECT_EQ(p.measurements[2].row, 2);
  ASSERT_EQ(p.experiments.size(), 1u);
  EXPECT_EQ(p.experiments[0].id, "curve");
  EXPECT_TRUE(p.unknown_noise);
  ASSERT_EQ(p.observables.size(), 1u);
  const Observable& formula = p.model->observables[p.observables[0].formula];
  EXPECT_EQ(p.model->expressions[formula.value].ref, p.model->find("P"));
  const Observable& noise = p.model->observables[p.observables[0].noise];
  EXPECT_EQ(p.model->expressions[noise.value].value, 1);
}

TEST(ReadData, SeveralExperimentsWithTheirOwnStartValues) {
  FitProblem p = good({{"a.csv", "# E = 0,02\n# S(0) = 5\n# done in May\ntime;P\n0;0\n1;0,5\n"},
                       {"b.csv", "# E = ?\n# instrument = Cary 60\ntime,P\n0,0\n1,0.5\n2,0.7\n"}},
                      "k2,E@b=0.05:0.01:0.1");
  ASSERT_EQ(p.experiments.size(), 2u);
  auto& a = p.experiments[0].periods.at(0).assignments;
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(a[0].target, p.model->find("E"));
  EXPECT_EQ(p.model->expressions[a[0].value].value, 0.02);
  EXPECT_EQ(a[1].target, p.model->find("S"));
  EXPECT_EQ(a[1].place.line, 2);
  ASSERT_EQ(p.parameters.size(), 2u);
  EXPECT_EQ(p.parameters[1].id, "E@b");
  EXPECT_EQ(p.parameters[1].upper, 0.1);
  auto& b = p.experiments[1].periods.at(0).assignments;
  ASSERT_EQ(b.size(), 1u);
  EXPECT_EQ(p.model->expressions[b[0].value].ref, p.model->find("E@b"));
  EXPECT_EQ(p.measurements[3].experiment, 1);
}

TEST(ReadData, TheBoundsOfAllQuestionMarksAtOnce) {
  FitProblem p = good({{"a.csv", "# E = ?\ntime,P\n0,0\n1,1\n2,2\n"},
                       {"b.csv", "# E = ?\ntime,P\n0,0\n1,1\n2,2\n"}},
                      "k2,E=0.05:0.01:0.1");
  ASSERT_EQ(p.parameters.size(), 3u);
  EXPECT_EQ(p.parameters[1].id, "E@a");
  EXPECT_EQ(p.parameters[2].id, "E@b");
  EXPECT_EQ(p.parameters[2].lower, 0.01);
}

TEST(ReadData, ScalesAndOffsetsAreNewParameters) {
  FitProblem p = good({{"c.csv", "time,A340,half\n0,0.1,0\n10,0.2,1\n20,0.25,2\n"}},
                      "k2,eps=6.2,off=0", {"A340 = eps*(P + 2*C) + off", "half = A340/2"});
  ASSERT_EQ(p.parameters.size(), 3u);
  EXPECT_EQ(p.parameters[1].id, "eps");
  EXPECT_EQ(p.parameters[1].scale, Scale::log);
  EXPECT_EQ(p.parameters[2].lower, -20);  // ten times the largest datum
  EXPECT_EQ(p.parameters[2].upper, 20);
  EXPECT_EQ(p.parameters[2].scale, Scale::lin);
  EXPECT_EQ(p.model->find("eps").kind, SymbolKind::parameter);
  EXPECT_EQ(p.observables.size(), 2u);
  EXPECT_EQ(p.observables[0].id, "A340");
}

TEST(ReadData, InitialValuesAreUnknowns) {
  FitProblem p = good({curve}, "S=2,k2");
  EXPECT_EQ(p.parameters[0].id, "S(0)");
  EXPECT_EQ(p.parameters[0].nominal, 2);
  ASSERT_EQ(p.model->initial_assignments.size(), 1u);
  EXPECT_EQ(p.model->initial_assignments[0].target, p.model->find("S"));
  EXPECT_EQ(p.model->expressions[p.model->initial_assignments[0].value].ref, p.model->find("S(0)"));
  // The product is 0 at the start: bounds from the data, not below 0.
  p = good({curve}, "P(0)");
  EXPECT_EQ(p.parameters[0].id, "P(0)");
  EXPECT_EQ(p.parameters[0].lower, 0);
  EXPECT_DOUBLE_EQ(p.parameters[0].upper, 0.9);
}

TEST(ReadData, ErrorsPerMeasurement) {
  FitProblem p =
      good({{"c.csv", "time,P,sd(P),S,sd(S)\n0,0,0.1,1,0.2\n1,1,0.3,,\n2,2,0.1,0.5,0.2\n"}}, "k2");
  EXPECT_FALSE(p.unknown_noise);
  ASSERT_EQ(p.measurements.size(), 5u);
  ASSERT_EQ(p.measurements[2].placeholders.size(), 1u);
  EXPECT_EQ(p.measurements[2].placeholders[0].number, 0.3);
  ASSERT_EQ(p.observables[0].placeholders.size(), 1u);
  const Observable& noise = p.model->observables[p.observables[0].noise];
  EXPECT_EQ(p.model->expressions[noise.value].ref, p.model->find(p.observables[0].placeholders[0]));
}

TEST(ReadData, ManyStartValuesOneEndPoint) {
  // Functional II: rows with equal start values are one experiment.
  FitProblem p = good({{"end.csv",
                        "time,S(0),E(0),P\n10,1,0.1,0.3\n10,2,0.1,0.5\n20,2,0.1,0.7\n"
                        "10,4,?,0.6\n20,4,?,0.9\n"}},
                      "k2");
  ASSERT_EQ(p.experiments.size(), 3u);
  EXPECT_EQ(p.experiments[1].id, "end-2");
  EXPECT_EQ(p.measurements[2].experiment, 1);
  EXPECT_EQ(p.experiments[1].periods[0].assignments.size(), 2u);
  ASSERT_EQ(p.parameters.size(), 2u);
  EXPECT_EQ(p.parameters[1].id, "E@end-3");
}

TEST(ReadData, LabelledExperiments) {
  FitProblem p = good({{"all.csv",
                        "time,experiment,replicate,S(0),P\n0,low,1,1,0\n1,low,1,,0.1\n"
                        "0,low,2,1,0\n1,low,2,,0.1\n0,high,1,9,0\n1,high,1,9,0.5\n"}},
                      "k2,k1");
  ASSERT_EQ(p.experiments.size(), 2u);
  EXPECT_EQ(p.experiments[0].id, "low");
  EXPECT_EQ(p.measurements[2].replicate, "2");
  EXPECT_EQ(p.measurements[4].experiment, 1);
}

TEST(ReadData, ConcentrationsAmountsVariablesAndRates) {
  const char* text =
      "compartment c = 2\nspecies A in c = 1, B in c = 0\nJ: A -> B; k*A*c\nk = 1\nf := A/(A+B)\n";
  FitProblem p =
      good({{"c.csv", "time,[A],amount(A),f,J\n0,1,2,1,2\n1,0.3,0.7,0.3,0.7\n"}}, "k", {}, text);
  EXPECT_EQ(p.observables.size(), 4u);
  const Observable& amount = p.model->observables[p.observables[1].formula];
  EXPECT_EQ(p.model->expressions[amount.value].op, Op::mul);
}

TEST(ReadData, FunctionsOfTheModelInFormulas) {
  std::string text = std::string("function hill(x, K)\n  x/(K + x)\nend\n") + enzyme;
  FitProblem p = good({{"c.csv", "time,y\n0,0\n1,1\n2,1\n"}}, "k2,K=1", {"y = hill(P, K)"}, text);
  EXPECT_EQ(p.parameters.size(), 2u);
}

TEST(ReadData, Warnings) {
  DataProblem result = read({{"c.csv", "time,P\n0,1\n1,1\n2,1\n"}}, "k1,k_1,k2", {"A = 2*S"});
  EXPECT_TRUE(result.problem);
  EXPECT_NE(result.findings.find("all values of 'P' are 1"), std::string::npos) << result.findings;
  EXPECT_NE(result.findings.find("as many data as estimated parameters"), std::string::npos);
  EXPECT_NE(result.findings.find("no table has measurements of 'A'"), std::string::npos);
}

// Each mistake and what is said about it; all of one call are said at once.
void expect_findings(const std::vector<DataFile>& files, const std::string& estimate,
                     const std::vector<std::string>& observes,
                     const std::vector<std::string>& wanted) {
  DataProblem result = read(files, estimate, observes);
  EXPECT_FALSE(result.problem);
  for (const std::string& part : wanted)
    EXPECT_NE(result.findings.find(part), std::string::npos) << part << "\nin\n" << result.findings;
}

TEST(ReadDataErrors, OptionsAllAtOnce) {
  expect_findings(
      {curve}, "k11=1,k1=5:10:1,k2=3:0.1:1,k_1=1:-1:2:log,S=x,total,C:1,E=1:2:3:sqrt,k1,nosuch(0)",
      {"A = 2*Q", "P = 2*S", "B = 3 +", "sin(3)", "D = hill(P)"},
      {"nothing called 'k11'", "did you mean 'k1'?",
       "bounds of 'k1' are the wrong way round: 10..1",
       "the start of 'k2', 3, lies outside of its bounds 0.1..1",
       "a log scale needs bounds above 0, these are -1..2", "'x' is not a number",
       "'total' cannot be set", "bounds come in twos", "unknown scale 'sqrt'",
       "'k1' is named twice", "nothing called 'nosuch'", "unknown name 'Q'",
       "something called 'P' already", "expected an expression", "unknown function 'hill'",
       "--observe:1:7"});
  EXPECT_TRUE(read({curve}, "k11", {}).only_options_wrong);
  EXPECT_FALSE(read({{"c.csv", "time,Q\n0,1\n"}}, "k11", {}).only_options_wrong);
}

TEST(ReadDataErrors, TablesAllAtOnce) {
  expect_findings(
      {{"a.csv",
        "# EE = 3\n# total = 3\n# k2 = x1\n# S = 1\n# S = 2\n"
        "time,PP,P,P,sd(Q),k1,k1(0)\n0,0,x,0,1,1,1\n"}},
      "k1", {},
      {"nothing called 'EE'", "'total' cannot be set", "a rule computes it", "'x1' is not a number",
       "'S' is set twice", "also on line 4", "unknown column 'PP'", "did you mean 'P'?",
       "a second column 'P'", "errors of 'Q', which is not a column",
       "'k1' is a constant of the model", "'x' is not a number", "a.csv:7:5"});
  expect_findings({{"a.csv", "time,P\n-1,0\n5,1\n3,1\nnan,1\n,1\n"}}, "k1", {},
                  {"time -1 is before the start", "time goes back from 5 to 3",
                   "'nan' is not a finite number", "a number is missing here"});
  expect_findings({{"a.csv", "t,P\n0,1\n1,2\n0.5,2\n1,2\n1,2\n"}}, "k1", {},
                  {"the first column is called 'time', not 't'", "this row repeats line"});
  expect_findings({{"a.csv", "time,P,sd(P),S\n0,1,,1\n1,1,0,1\n2,1,-1,1\n"}}, "k1", {},
                  {"the error of this value is missing", "an error must be above 0",
                   "there is no column 'sd(S)'"});
  expect_findings({{"a.csv", "time,experiment,S(0),P\n0,x,1,1\n1,x,2,1\n1,,2,1\n"}}, "k1", {},
                  {"experiment 'x' has another start value of 'S' here than on line 2",
                   "does not name its experiment"});
  expect_findings({curve, curve}, "k1", {}, {"this file is given twice"});
  expect_findings({{"a.csv", "time,P\n"}}, "k1", {}, {"no measurements"});
  expect_findings({{"a.csv", "time,experiment\n0,a\n"}}, "k1", {}, {"no column of measurements"});
}

TEST(ReadDataErrors, WhatTheDataCannotSay) {
  expect_findings({curve}, "k1,k_1,k2,E", {}, {"too few data: 3 data, 4 estimated parameters"});
  expect_findings({curve}, "unused", {}, {"nothing that is measured depends on 'unused'"});
  expect_findings({curve}, "eps=1", {"A = eps*P"}, {"nothing that is measured depends on 'eps'"});
  expect_findings({{"a.csv", "# S = 3\ntime,P\n0,0\n1,1\n"}}, "S", {},
                  {"every experiment sets 'S', nothing is left to estimate"});
  expect_findings({{"a.csv", "# unused = ?\ntime,P\n0,0\n1,1\n"}}, "k1", {},
                  {"nothing that is measured depends on 'unused@a'", "a.csv:1:12"});
  expect_findings({curve}, "", {}, {"nothing is unknown"});
  expect_findings({curve}, "E@x=3", {}, {"no experiment has a parameter to estimate 'E@x'"});
  expect_findings({curve}, "eps,k2", {"A = eps*P"}, {"'eps' has no value to start from"});
}

}  // namespace
}  // namespace stiffit::internal
