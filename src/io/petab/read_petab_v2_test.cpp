// Every feature of PEtab version 2 in a small problem of its own.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/petab/petab_for_test.h"

namespace stiffit::internal {
namespace {

TEST(PetabV2, TheSimplestProblem) {
  FitProblem p = good(conversion_v2());
  EXPECT_TRUE(p.warnings.empty());
  // The scale is ours to choose: logarithmic where the bounds are positive.
  EXPECT_EQ(p.parameters[0].scale, Scale::log10);
  EXPECT_TRUE(p.parameters[0].estimated);
  EXPECT_FALSE(p.parameters[1].estimated);
  ASSERT_EQ(p.experiments.size(), 1u);
  EXPECT_EQ(p.experiments[0].id, "e0");
  EXPECT_EQ(p.experiments[0].periods[0].name, "c0");
  EXPECT_EQ(change_value(p, p.experiments[0].periods[0], "A"), 3);
  EXPECT_EQ(p.measurements.size(), 2u);
}

TEST(PetabV2, WithoutExperimentsTheModelIsAsItIs) {
  TestFiles files = conversion_v2();
  files["p.yaml"] =
      "format_version: 2.0.0\nparameter_files: [p.tsv]\nmodel_files:\n  conversion:\n"
      "    location: model.ant\n    language: antimony\ncondition_files: []\n"
      "measurement_files: [m.tsv]\nobservable_files: [o.tsv]\n";
  files["m.tsv"] = table("observableId,experimentId,time,measurement\nobs,,0,0.7\nobs,,inf,0.1\n");
  FitProblem p = good(files);
  ASSERT_EQ(p.experiments.size(), 1u);
  EXPECT_EQ(p.experiments[0].id, "");
  ASSERT_EQ(p.experiments[0].periods.size(), 1u);
  EXPECT_EQ(p.experiments[0].periods[0].start, 0);
  EXPECT_TRUE(p.experiments[0].periods[0].assignments.empty());
  EXPECT_EQ(p.measurements[1].time, infinity);
}

// The simulation goes on from the steady state, at the model's own time, and nothing is changed.
TEST(PetabV2, PreEquilibrationAloneMayBeMeasuredAfterwards) {
  TestFiles files = conversion_v2();
  files["e.tsv"] = table("experimentId,time,conditionId\ne0,-inf,c0\n");
  FitProblem p = good(files);
  ASSERT_EQ(p.experiments.size(), 1u);
  ASSERT_EQ(p.experiments[0].periods.size(), 2u);
  EXPECT_EQ(p.experiments[0].periods[0].start, -infinity);
  EXPECT_EQ(p.experiments[0].periods[1].start, 0);
  EXPECT_TRUE(p.experiments[0].periods[1].assignments.empty());
  files["m.tsv"] = table("observableId,experimentId,time,measurement\nobs,e0,inf,0.7\n");
  EXPECT_EQ(good(files).experiments[0].periods.size(), 1u);
}

TEST(PetabV2, ManyPeriodsWithSeveralConditions) {
  TestFiles files = conversion_v2();
  files["c.tsv"] =
      table(
          "conditionId,targetId,targetValue\npre,a0,k1 + 1\nc1,B,2\nc1,cell,cell*2\nc2,A,-1e-3\n") +
      "c0\tA\tpiecewise(A + 5, A > B, 2*time)\n";
  files["e.tsv"] = table(
      "experimentId,time,conditionId\ne0,20,c2\ne0,10,c0\ne0,10,c1\ne0,-inf,pre\ne0,5,\n"
      "e1,-3,\n");
  files["m.tsv"] = table(
      "observableId,experimentId,time,measurement\nobs,e0,5,0.7\nobs,e0,inf,0.1\nobs,e1,-3,1\n");
  FitProblem p = good(files);
  EXPECT_TRUE(p.warnings.empty()) << p.warnings.front();
  ASSERT_EQ(p.experiments.size(), 2u);
  const auto& periods = p.experiments[0].periods;
  ASSERT_EQ(periods.size(), 4u);
  EXPECT_EQ(periods[0].start, -infinity);
  EXPECT_EQ(change_value(p, periods[0], "a0", {{"k1", 3}}), 4);
  EXPECT_EQ(periods[1].start, 5);
  EXPECT_TRUE(periods[1].assignments.empty());
  EXPECT_EQ(periods[2].start, 10);
  EXPECT_EQ(periods[2].name, "c0;c1");
  EXPECT_EQ(periods[2].assignments.size(), 3u);
  std::map<std::string, double> values{{"A", 3}, {"B", 1}, {"cell", 7}, {"time", 10}};
  EXPECT_EQ(change_value(p, periods[2], "A", values), 8);
  EXPECT_EQ(change_value(p, periods[2], "cell", values), 14);
  values["B"] = 4;
  EXPECT_EQ(change_value(p, periods[2], "A", values), 20);
  EXPECT_EQ(change_value(p, periods[3], "A"), -1e-3);
  EXPECT_EQ(p.experiments[1].periods[0].start, -3);
}

TEST(PetabV2, DeclaredPlaceholders) {
  TestFiles files = conversion_v2();
  files["o.tsv"] = table(
      "observableId,observableFormula,noiseFormula,noiseDistribution,observablePlaceholders,"
      "noisePlaceholders\n"
      "obs,scale*A + off,sd + rel*obs,log-normal,off;scale,sd;rel\n"
      "o2,scale*B,1,log-laplace,scale,\no3,B,1,laplace,,\n");
  files["p.tsv"] += table("s,0,10,2,true\n");
  files["m.tsv"] = table(
      "observableId,experimentId,time,measurement,observableParameters,noiseParameters\n"
      "obs,e0,0,0.7,0.5;s,1;2\no2,e0,10,0.1,s,\no3,e0,10,-1,,\n");
  FitProblem p = good(files);
  const ProblemObservable& o = p.observables[0];
  ASSERT_EQ(o.placeholders.size(), 4u);
  EXPECT_EQ(o.placeholders[0], "off");
  EXPECT_EQ(o.transformation, Transformation::log);
  EXPECT_EQ(o.noise_kind, NoiseKind::normal);
  EXPECT_EQ(p.observables[1].transformation, Transformation::log);
  EXPECT_EQ(p.observables[1].noise_kind, NoiseKind::laplace);
  EXPECT_EQ(p.observables[2].transformation, Transformation::none);
  EXPECT_EQ(p.observables[2].noise_kind, NoiseKind::laplace);
  std::map<std::string, double> values{{"scale", 2}, {"off", 1}, {"A", 3}, {"sd", 10}, {"rel", 5}};
  EXPECT_EQ(value_of(*p.model, formula_of(p, o.formula), values), 7);
  EXPECT_EQ(value_of(*p.model, formula_of(p, o.noise), values), 45);
  // The placeholder of the same name in another observable is another one.
  ASSERT_EQ(p.observables[1].placeholders.size(), 1u);
  EXPECT_NE(p.observables[1].placeholders[0], "scale");
  EXPECT_EQ(p.measurements[0].placeholders[0].number, 0.5);
  EXPECT_EQ(p.measurements[0].placeholders[1].parameter, 2);
  EXPECT_EQ(p.measurements[1].placeholders[0].parameter, 2);
}

TEST(PetabV2, PriorsAreCutByTheBounds) {
  TestFiles files = conversion_v2();
  files["p.tsv"] = table(
      "parameterId,lowerBound,upperBound,nominalValue,estimate,priorDistribution,priorParameters\n"
      "a1,0,10,5,true,uniform,2;8\na2,-inf,inf,5,true,normal,4;2\na3,0,inf,5,true,log-normal,5;2\n"
      "a4,0,10,5,true,cauchy,3;5\na5,0,10,5,true,chisquare,4\na6,0,10,5,true,exponential,3\n"
      "a7,0,10,5,true,gamma,3;5\na8,0,10,5,true,laplace,3;5\na9,0,10,5,true,log-laplace,3;5\n"
      "a10,1,10,5,true,log-uniform,3;5\na11,0,10,5,true,rayleigh,3\nk1,0,10,5,true,,\n"
      "k2,,,5,false,,\n");
  FitProblem p = good(files);
  const PriorKind kinds[] = {PriorKind::uniform,     PriorKind::normal,      PriorKind::log_normal,
                             PriorKind::cauchy,      PriorKind::chi_squared, PriorKind::exponential,
                             PriorKind::gamma,       PriorKind::laplace,     PriorKind::log_laplace,
                             PriorKind::log_uniform, PriorKind::rayleigh,    PriorKind::uniform,
                             PriorKind::none};
  for (std::size_t i = 0; i < p.parameters.size(); ++i) {
    EXPECT_EQ(p.parameters[i].prior.kind, kinds[i]) << i;
    EXPECT_EQ(p.parameters[i].prior.low, p.parameters[i].lower);
    EXPECT_EQ(p.parameters[i].prior.high, p.parameters[i].upper);
    EXPECT_FALSE(p.parameters[i].prior.on_scale);
  }
  EXPECT_EQ(p.parameters[4].prior.a, 4);
  EXPECT_EQ(p.parameters[6].prior.b, 5);
  EXPECT_EQ(p.parameters[11].prior.a, 0);  // where some have a prior, the others are uniform
  EXPECT_EQ(p.parameters[11].prior.b, 10);
  EXPECT_EQ(p.parameters[9].scale, Scale::log10);
  EXPECT_EQ(p.parameters[1].scale, Scale::lin);
}

TEST(PetabV2, MappingGivesNames) {
  TestFiles files = conversion_v2();
  files["model.xml"] = R"(<?xml version="1.0" encoding="UTF-8"?>
<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1">
<model id="m"><listOfCompartments><compartment id="c" size="1" constant="true"/>
</listOfCompartments><listOfSpecies><species id="A" compartment="c" initialConcentration="1"
 hasOnlySubstanceUnits="false" boundaryCondition="false" constant="false"/></listOfSpecies>
<listOfReactions><reaction id="R" reversible="false" fast="false"><listOfReactants>
<speciesReference species="A" stoichiometry="1" constant="true"/></listOfReactants><kineticLaw>
<math xmlns="http://www.w3.org/1998/Math/MathML"><apply><times/><ci>k</ci><ci>A</ci></apply></math>
<listOfLocalParameters><localParameter id="k" value="2"/></listOfLocalParameters></kineticLaw>
</reaction></listOfReactions></model></sbml>)";
  files["p.yaml"] =
      "format_version: 2.0.0\nparameter_files: [p.tsv]\nmodel_files:\n  conversion:\n"
      "    location: model.xml\n    language: sbml\ncondition_files: [c.tsv]\n"
      "experiment_files: [e.tsv]\nmeasurement_files: [m.tsv]\nobservable_files: [o.tsv]\n"
      "mapping_files: [map.tsv]\n";
  files["map.tsv"] = table("petabEntityId,modelEntityId,name\nk_R,R.k,rate\nc0,,the condition\n");
  files["p.tsv"] =
      table("parameterId,lowerBound,upperBound,nominalValue,estimate\nk_R,1e-3,1e3,0.8,true\n");
  FitProblem p = good(files);
  EXPECT_TRUE(p.warnings.empty());
  Ref ref = p.model->find("k_R");
  ASSERT_EQ(ref.kind, SymbolKind::parameter);
  EXPECT_EQ(p.model->parameters[ref.index].value, 0.8);
  EXPECT_EQ(p.model->find("R.k").kind, SymbolKind::none);
}

TEST(PetabV2, SeveralModels) {
  TestFiles files = conversion_v2();
  files["p.yaml"] =
      "format_version: 2.0.0\nparameter_files: [p.tsv]\nmodel_files:\n"
      "  first: {location: model.ant, language: antimony}\n"
      "  second: {location: model2.ant, language: antimony}\n"
      "condition_files: [c.tsv]\nexperiment_files: [e.tsv]\nmeasurement_files: [m.tsv]\n"
      "observable_files: [o.tsv]\n";
  files["model2.ant"] = "X -> ; k1*X\nX = 3; k1 = 1\n";
  files["o.tsv"] = table("observableId,observableFormula,noiseFormula\nobs,A,0.5\nox,X,1\n");
  files["c.tsv"] = table("conditionId,targetId,targetValue\nc0,A,3\ncx,X,4\n");
  files["e.tsv"] = table("experimentId,time,conditionId\ne0,0,c0\nex,0,cx\n");
  files["m.tsv"] = table(
      "modelId,observableId,experimentId,time,measurement\nsecond,ox,ex,0,0.7\nfirst,obs,e0,1,2\n"
      "second,ox,,10,0.1\n");
  FitProblem p = good(files);
  EXPECT_TRUE(p.warnings.empty()) << p.warnings.front();
  ASSERT_EQ(p.parts.size(), 2u);
  const FitProblem& second = p.parts[1];
  EXPECT_EQ(second.id, "second");
  ASSERT_EQ(second.measurements.size(), 2u);
  EXPECT_EQ(second.measurements[0].row, 0);
  EXPECT_EQ(second.measurements[1].row, 2);
  EXPECT_EQ(p.parts[0].measurements[0].row, 1);
  EXPECT_EQ(second.observables.size(), 1u);
  EXPECT_EQ(second.parameters.size(), 2u);
  EXPECT_EQ(change_value(second, second.experiments[0].periods[0], "X"), 4);
}

TEST(PetabV2, Extensions) {
  TestFiles files = conversion_v2();
  std::string plain = files["p.yaml"];
  files["p.yaml"] = plain + "extensions:\n  colours: {version: 1.0.0, required: false}\n";
  FitProblem p = good(files);
  ASSERT_EQ(p.warnings.size(), 1u);
  EXPECT_NE(p.warnings[0].find("'colours'"), std::string::npos);
  files["p.yaml"] = plain + "extensions:\n  nets: {version: 1.0.0, required: true}\n";
  PetabReading reading = read_files(files);
  EXPECT_FALSE(reading.problem);
  EXPECT_NE(reading.text().find("the problem needs extension 'nets'"), std::string::npos);
}

TEST(PetabV2, GroupsOfABioNetGenNetwork) {
  TestFiles files = conversion_v2();
  files["p.yaml"] =
      "format_version: 2.0.0\nparameter_files: [p.tsv]\nmodel_files:\n"
      "  net: {location: m.net, language: bngl}\nmeasurement_files: [m.tsv]\n"
      "observable_files: [o.tsv]\nmapping_files: [map.tsv]\n";
  files["m.net"] =
      "begin parameters\n  1 k1 0.5\nend parameters\nbegin species\n  1 A(b,c) 10\n  2 B() 0\n"
      "end species\nbegin reactions\n  1 1 2 k1\nend reactions\nbegin groups\n"
      "  1 Total 1,2\nend groups\n";
  files["map.tsv"] = table("petabEntityId,modelEntityId\n") + "A_free\tA(b,c)\n";
  files["p.tsv"] =
      table("parameterId,lowerBound,upperBound,nominalValue,estimate\nk1,0,1,1,true\n");
  files["o.tsv"] =
      table("observableId,observableFormula,noiseFormula\nobs,2*Total,1\no2,A_free,1\n");
  files["m.tsv"] = table("observableId,time,measurement\nobs,0,0.7\no2,0,1\n");
  FitProblem p = good(files);
  EXPECT_EQ(p.model->find("A_free").kind, SymbolKind::species);
  EXPECT_EQ(p.model->observables[0].id, "Total");
  EXPECT_EQ(p.observables[0].formula, 1);
}

// Whatever the YAML file holds, there is a finding and no crash.
TEST(PetabV2, OddYamlIsRefused) {
  for (const char* text :
       {"", "1", "[]", "format_version:", "format_version: {}", "format_version: 2.0.0",
        "format_version: 1\nproblems: 3", "format_version: 1\nproblems: [1, [2]]",
        "format_version: 1\nparameter_file: {a: b}\nproblems:\n- sbml_files: {x: y}",
        "format_version: 2.0.0\nmodel_files: [a]\nparameter_files: [[p.tsv]]",
        "format_version: 2.0.0\nmodel_files: {a: b, [c]: d}\nextensions: x",
        "format_version: 2.0.0\nextensions: {a: b}", "? [a]\n: b", "&a [*a]", "\t", "---\n---\n"}) {
    TestFiles files = conversion_v2();
    files["p.yaml"] = text;
    PetabReading reading = read_files(files);
    EXPECT_FALSE(reading.problem) << text;
    EXPECT_TRUE(reading.has_errors()) << text;
  }
}

TEST(PetabV2, FilesLieBesideTheYamlFile) {
  TestFiles files;
  for (auto& [name, text] : conversion_v2()) files["some/folder/" + name] = text;
  PetabReading reading = read_files(files, "some/folder/p.yaml");
  EXPECT_TRUE(reading.problem) << reading.text();
}

}  // namespace
}  // namespace stiffit::internal
