// Every feature of PEtab version 1 in a small problem of its own.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/petab/petab_for_test.h"

namespace stiffit::internal {
namespace {

TEST(PetabV1, TheSimplestProblem) {
  FitProblem p = good(conversion_v1());
  EXPECT_EQ(p.id, "p");
  EXPECT_TRUE(p.warnings.empty());
  ASSERT_EQ(p.parameters.size(), 2u);
  EXPECT_EQ(p.parameters[0].scale, Scale::log10);
  EXPECT_EQ(p.parameters[0].lower, 1e-3);
  EXPECT_EQ(p.parameters[0].upper, 1e3);
  EXPECT_EQ(p.parameters[0].nominal, 0.8);
  EXPECT_TRUE(p.parameters[0].estimated);
  EXPECT_FALSE(p.parameters[1].estimated);
  EXPECT_EQ(p.parameters[1].place.line, 3);
  ASSERT_EQ(p.measurements.size(), 2u);
  EXPECT_EQ(p.measurements[1].time, 10);
  EXPECT_EQ(p.measurements[1].value, 0.1);
  EXPECT_EQ(p.measurements[1].row, 1);
  EXPECT_EQ(p.measurements[1].place.file, "m.tsv");
  EXPECT_EQ(p.measurements[1].place.line, 3);
  ASSERT_EQ(p.experiments.size(), 1u);
  ASSERT_EQ(p.experiments[0].periods.size(), 1u);
  EXPECT_EQ(p.experiments[0].periods[0].start, 0);
  EXPECT_EQ(p.experiments[0].periods[0].name, "c0");
  // Nominal values are the model's.
  EXPECT_EQ(p.model->parameters[p.model->find("k1").index].value, 0.8);
  EXPECT_EQ(value_of(*p.model, formula_of(p, p.observables[0].formula), {{"A", 4}}), 4);
  EXPECT_EQ(value_of(*p.model, formula_of(p, p.observables[0].noise), {}), 0.5);
}

TEST(PetabV1, CrlfAndByteOrderMark) {
  TestFiles files = conversion_v1();
  for (auto& [name, text] : files) {
    std::string crlf;
    for (char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    text = name.ends_with(".tsv") ? "\xEF\xBB\xBF" + crlf : crlf;
  }
  EXPECT_EQ(good(files).measurements.size(), 2u);
}

TEST(PetabV1, ConditionsSetParametersSpeciesAndCompartments) {
  TestFiles files = conversion_v1();
  files["c.tsv"] =
      table("conditionId,conditionName,a0,B,cell\nc0,first one,0.7,k2,3\nc1,,,NaN,4\n");
  files["m.tsv"] += table("obs,c1,1,1\n");
  FitProblem p = good(files);
  ASSERT_EQ(p.experiments.size(), 2u);
  const Period& c0 = p.experiments[0].periods[0];
  EXPECT_EQ(change_value(p, c0, "a0"), 0.7);
  EXPECT_EQ(change_value(p, c0, "B", {{"k2", 9}}), 9);
  EXPECT_EQ(change_of(p, c0, "B")->target.kind, SymbolKind::species);
  EXPECT_EQ(change_value(p, c0, "cell"), 3);
  EXPECT_EQ(change_of(p, c0, "cell")->place.column, "cell");
  // Nothing said: as the model has it.
  const Period& c1 = p.experiments[1].periods[0];
  EXPECT_EQ(c1.assignments.size(), 1u);
  EXPECT_EQ(change_value(p, c1, "cell"), 4);
}

TEST(PetabV1, PreequilibrationKeepsStatesAndRestoresParameters) {
  TestFiles files = conversion_v1();
  files["c.tsv"] = table("conditionId,a0,B,cell\npre,5,2,3\nc0,,NaN,\nc1,7,1,\n");
  files["m.tsv"] = table(
      "observableId,preequilibrationConditionId,simulationConditionId,time,measurement\n"
      "obs,pre,c0,0,0.7\nobs,pre,c1,1,0.7\nobs,,c1,1,0.7\nobs,pre,c0,2,0.7\n");
  FitProblem p = good(files);
  ASSERT_EQ(p.experiments.size(), 3u);
  EXPECT_EQ(p.experiments[0].id, "pre+c0");
  EXPECT_EQ(p.measurements[3].experiment, 0);
  ASSERT_EQ(p.experiments[0].periods.size(), 2u);
  EXPECT_EQ(p.experiments[0].periods[0].start, -infinity);
  EXPECT_EQ(p.experiments[0].periods[0].name, "pre");
  EXPECT_EQ(p.experiments[0].periods[0].assignments.size(), 3u);
  const Period& after = p.experiments[0].periods[1];
  EXPECT_EQ(after.start, 0);
  EXPECT_EQ(after.assignments.size(), 1u);  // a0 is again what the model says
  EXPECT_EQ(change_value(p, after, "a0"), 1);
  EXPECT_EQ(change_value(p, p.experiments[1].periods[1], "B"), 1);
  ASSERT_EQ(p.experiments[2].periods.size(), 1u);
  EXPECT_EQ(p.experiments[2].id, "c1");
}

// What a rate rule or an event changes has a state, which it keeps.
TEST(PetabV1, PreequilibrationKeepsParametersWithAState) {
  TestFiles files = conversion_v1();
  files["model.ant"] += "x' = k1 - x; x = 3\n";
  files["c.tsv"] = table("conditionId,x\npre,5\nc0,\n");
  files["m.tsv"] = table(
      "observableId,preequilibrationConditionId,simulationConditionId,time,measurement\n"
      "obs,pre,c0,0,0.7\n");
  FitProblem p = good(files);
  EXPECT_EQ(change_value(p, p.experiments[0].periods[0], "x"), 5);
  EXPECT_TRUE(p.experiments[0].periods[1].assignments.empty());
}

TEST(PetabV1, SteadyStateAndReplicates) {
  TestFiles files = conversion_v1();
  files["m.tsv"] = table(
      "observableId,simulationConditionId,time,measurement,datasetId,replicateId\n"
      "obs,c0,inf,0.7,d1,r1\nobs,c0,inf,0.8,d1,r2\n");
  FitProblem p = good(files);
  EXPECT_EQ(p.measurements[0].time, infinity);
  EXPECT_EQ(p.measurements[1].value, 0.8);
  EXPECT_EQ(p.measurements[1].dataset, "d1");
  EXPECT_EQ(p.measurements[1].replicate, "r2");
  EXPECT_EQ(p.experiments.size(), 1u);
}

TEST(PetabV1, PlaceholdersFromMeasurements) {
  TestFiles files = conversion_v1();
  files["o.tsv"] = table(
      "observableId,observableFormula,noiseFormula\n"
      "obs,observableParameter1_obs*A + observableParameter2_obs,"
      "noiseParameter1_obs + observableParameter1_obs*A\nother,B,noiseParameter1_other\n");
  files["p.tsv"] += table("scale,lin,0,10,2,1\nsd,log,0.1,10,1,1\n");
  files["m.tsv"] = table(
      "observableId,simulationConditionId,time,measurement,observableParameters,noiseParameters\n"
      "obs,c0,0,0.7,scale;0.5,sd\nobs,c0,10,0.1,3;k1,0.25\nother,c0,1,1,,sd\n");
  FitProblem p = good(files);
  const ProblemObservable& o = p.observables[0];
  EXPECT_EQ(o.placeholders,
            (std::vector<std::string>{"observableParameter1_obs", "observableParameter2_obs",
                                      "noiseParameter1_obs"}));
  for (const std::string& name : o.placeholders)
    EXPECT_EQ(p.model->find(name).kind, SymbolKind::parameter);
  std::map<std::string, double> values{{"observableParameter1_obs", 2},
                                       {"observableParameter2_obs", 3},
                                       {"noiseParameter1_obs", 4},
                                       {"A", 10}};
  EXPECT_EQ(value_of(*p.model, formula_of(p, o.formula), values), 23);
  EXPECT_EQ(value_of(*p.model, formula_of(p, o.noise), values), 24);
  const Measurement& first = p.measurements[0];
  ASSERT_EQ(first.placeholders.size(), 3u);
  EXPECT_EQ(p.parameters[first.placeholders[0].parameter].id, "scale");
  EXPECT_EQ(first.placeholders[1].parameter, -1);
  EXPECT_EQ(first.placeholders[1].number, 0.5);
  EXPECT_EQ(p.parameters[first.placeholders[2].parameter].id, "sd");
  EXPECT_EQ(p.measurements[1].placeholders[1].parameter, 0);
  ASSERT_EQ(p.measurements[2].placeholders.size(), 1u);
  // Parameters of the problem that the model lacks are added to it.
  EXPECT_EQ(p.model->parameters[p.model->find("scale").index].value, 2);
}

TEST(PetabV1, TransformationsAndNoise) {
  TestFiles files = conversion_v1();
  files["o.tsv"] = table(
      "observableId,observableName,observableFormula,observableTransformation,noiseFormula,"
      "noiseDistribution\n"
      "obs,the first,A,log10,0.5*obs,laplace\no2,,B,log,1,normal\no3,,total,lin,1,\n");
  files["m.tsv"] += table("o2,c0,1,1\no3,c0,1,-1\n");
  FitProblem p = good(files);
  EXPECT_EQ(p.observables[0].name, "the first");
  EXPECT_EQ(p.observables[0].transformation, Transformation::log10);
  EXPECT_EQ(p.observables[0].noise_kind, NoiseKind::laplace);
  EXPECT_EQ(p.observables[1].transformation, Transformation::log);
  EXPECT_EQ(p.observables[2].transformation, Transformation::none);
  EXPECT_EQ(p.observables[2].noise_kind, NoiseKind::normal);
  EXPECT_EQ(value_of(*p.model, formula_of(p, p.observables[0].noise), {{"A", 4}}), 2);
}

TEST(PetabV1, OutputParametersThatConditionsSet) {
  TestFiles files = conversion_v1();
  files["o.tsv"] = table("observableId,observableFormula,noiseFormula\nobs,A + offset,0.5\n");
  files["c.tsv"] = table("conditionId,offset\nc0,offset_c0\nc1,2\n");
  files["p.tsv"] += table("offset_c0,lin,0,10,2,1\n");
  files["m.tsv"] += table("obs,c1,1,1\n");
  FitProblem p = good(files);
  EXPECT_EQ(p.model->find("offset").kind, SymbolKind::parameter);
  EXPECT_EQ(change_value(p, p.experiments[0].periods[0], "offset", {{"offset_c0", 5}}), 5);
}

TEST(PetabV1, Priors) {
  TestFiles files = conversion_v1();
  files["model.ant"] += "p1 = 1; p2 = 1; p3 = 1; p4 = 1; p5 = 1; p6 = 1; p7 = 1; p8 = 1\n";
  std::string tail = ",";
  files["p.tsv"] = table(
      "parameterId,parameterScale,lowerBound,upperBound,nominalValue,estimate,objectivePriorType,"
      "objectivePriorParameters,initializationPriorType,initializationPriorParameters\n"
      "p1,log10,0.01,100,1,1,uniform,1;2,parameterScaleUniform,-1;1\n"
      "p2,log10,0.01,100,1,1,normal,1;2,laplace,1;2\np3,lin,0,1,1,1,laplace,1;2,,\n"
      "p4,lin,0,1,1,1,logNormal,1;2,,\np5,lin,0,1,1,1,logLaplace,1;2,,\n"
      "p6,log10,0.01,100,1,1,parameterScaleUniform,,uniform,\n"
      "p7,log,0.01,100,1,1,parameterScaleNormal,-0.5;2,,\n"
      "p8,lin,0,1,1,1,parameterScaleLaplace,1;2,,\nk1,lin,0,1,1,1\n");
  FitProblem p = good(files);
  auto expect = [](const Prior& prior, PriorKind kind, bool on_scale, double a, double b) {
    EXPECT_EQ(prior.kind, kind);
    EXPECT_EQ(prior.on_scale, on_scale);
    EXPECT_DOUBLE_EQ(prior.a, a);
    EXPECT_DOUBLE_EQ(prior.b, b);
    EXPECT_EQ(prior.low, -infinity);
    EXPECT_EQ(prior.high, infinity);
  };
  expect(p.parameters[0].prior, PriorKind::uniform, false, 1, 2);
  expect(p.parameters[0].initialization, PriorKind::uniform, true, -1, 1);
  expect(p.parameters[1].prior, PriorKind::normal, false, 1, 2);
  expect(p.parameters[1].initialization, PriorKind::laplace, false, 1, 2);
  expect(p.parameters[2].prior, PriorKind::laplace, false, 1, 2);
  expect(p.parameters[3].prior, PriorKind::log_normal, false, 1, 2);
  expect(p.parameters[4].prior, PriorKind::log_laplace, false, 1, 2);
  expect(p.parameters[5].prior, PriorKind::uniform, true, -2, 2);
  expect(p.parameters[5].initialization, PriorKind::uniform, false, 0.01, 100);
  expect(p.parameters[6].prior, PriorKind::normal, true, -0.5, 2);
  expect(p.parameters[7].prior, PriorKind::laplace, true, 1, 2);
  EXPECT_EQ(p.parameters[8].prior.kind, PriorKind::none);
}

TEST(PetabV1, SeveralFilesOfAKind) {
  TestFiles files = conversion_v1();
  files["p.yaml"] =
      "format_version: 1\nparameter_file: [p.tsv, p2.tsv]\nproblems:\n"
      "- condition_files: [c.tsv, c2.tsv]\n  measurement_files: [m.tsv, m2.tsv]\n"
      "  observable_files: [o.tsv, o2.tsv]\n  sbml_files: [model.ant]\n"
      "  visualization_files: [not_there.tsv]\n";
  files["p2.tsv"] = table(
      "parameterScale,estimate,parameterId,nominalValue,lowerBound,upperBound\n"
      "lin,1,sd,1,0,5\n");
  files["c2.tsv"] = table("conditionId,a0\nc1,2\n");
  files["o2.tsv"] = table("observableId,observableFormula,noiseFormula\no2,B,sd\n");
  files["m2.tsv"] = table("time,measurement,observableId,simulationConditionId\n3,4,o2,c1\n");
  FitProblem p = good(files);
  EXPECT_EQ(p.parameters.size(), 3u);
  EXPECT_EQ(p.observables.size(), 2u);
  ASSERT_EQ(p.measurements.size(), 3u);
  EXPECT_EQ(p.measurements[2].place.file, "m2.tsv");
  EXPECT_EQ(p.measurements[2].row, 2);
  EXPECT_EQ(p.experiments[1].id, "c1");
}

// The standard joins several problems over one parameter table.
TEST(PetabV1, SeveralProblemsAreParts) {
  TestFiles files = conversion_v1();
  files["p.yaml"] +=
      "- condition_files: [c.tsv]\n  measurement_files: [m2.tsv]\n  observable_files: [o2.tsv]\n"
      "  sbml_files: [model2.ant]\n";
  files["p.tsv"] = table(
      "parameterId,parameterScale,lowerBound,upperBound,nominalValue,estimate,objectivePriorType,"
      "objectivePriorParameters\nk1,lin,0,1e3,0.8,1,normal,1;2\n");
  files["model2.ant"] = "X -> ; k1*X\nX = 3; k1 = 1\n";
  files["o2.tsv"] = table("observableId,observableFormula,noiseFormula\no2,X,1\n");
  files["m2.tsv"] = table("time,measurement,observableId,simulationConditionId\n3,4,o2,c0\n");
  FitProblem p = good(files);
  EXPECT_EQ(p.model, nullptr);
  ASSERT_EQ(p.parts.size(), 2u);
  EXPECT_EQ(p.parameters[0].prior.kind, PriorKind::normal);
  EXPECT_EQ(p.parts[0].parameters[0].prior.kind, PriorKind::none);
  EXPECT_EQ(p.parts[1].parameters.size(), 1u);
  EXPECT_EQ(p.parts[0].measurements.size(), 2u);
  ASSERT_EQ(p.parts[1].measurements.size(), 1u);
  EXPECT_EQ(p.parts[1].measurements[0].row, 2);
  EXPECT_NE(p.parts[1].model->find("X").kind, SymbolKind::none);
}

TEST(PetabV1, ATableParameterReplacesWhatTheModelComputes) {
  TestFiles files = conversion_v1();
  files["model.ant"] += "k3 = 2*k1\nB -> ; k3*B\n";
  ASSERT_FALSE(good(files).model->initial_assignments.empty());
  std::size_t before = good(files).model->initial_assignments.size();
  files["p.tsv"] += table("k3,lin,0,10,7,1\n");
  FitProblem p = good(files);
  EXPECT_EQ(p.model->initial_assignments.size(), before - 1);
  EXPECT_EQ(p.model->parameters[p.model->find("k3").index].value, 7);
}

TEST(PetabV1, ZeroOnALogarithmicScaleIsAllowed) {
  TestFiles files = conversion_v1();
  files["p.tsv"] = table(
      "parameterId,parameterScale,lowerBound,upperBound,nominalValue,estimate\n"
      "k1,log10,1e-3,1e3,0,1\nk2,log10,,,0,0\n");
  FitProblem p = good(files);
  EXPECT_EQ(p.parameters[0].nominal, 0);
  EXPECT_EQ(p.parameters[1].nominal, 0);
  ASSERT_EQ(p.warnings.size(), 1u);
  EXPECT_NE(p.warnings[0].find("zero on a logarithmic scale"), std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
