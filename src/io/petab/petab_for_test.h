// PEtab problems from strings, for tests: files by name, and what expressions are worth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

#include "io/petab/read_petab.h"

namespace stiffit::internal {

constexpr double infinity = std::numeric_limits<double>::infinity();

using TestFiles = std::map<std::string, std::string>;

inline PetabReading read_files(const TestFiles& files, const std::string& yaml = "p.yaml") {
  return read_petab(yaml, [&](const std::string& path) {
    auto found = files.find(path);
    if (found == files.end()) throw InputError("error: cannot read '" + path + "': no such file\n");
    return found->second;
  });
}

// Commas of a test's table become tabs.
inline std::string table(std::string text) {
  for (char& c : text)
    if (c == ',') c = '\t';
  return text;
}

// Conversion A <-> B in a text model, version 1.
inline TestFiles conversion_v1() {
  return {
      {"p.yaml",
       "format_version: 1\nparameter_file: p.tsv\nproblems:\n- condition_files: [c.tsv]\n"
       "  measurement_files: [m.tsv]\n  observable_files: [o.tsv]\n  sbml_files: [model.ant]\n"},
      {"model.ant",
       "compartment cell = 2\nspecies A in cell, B in cell\nA = a0; B = 1\n"
       "R1: A -> B; cell*k1*A\nR2: B -> A; cell*k2*B\na0 = 1; k1 = 0.5; k2 = 0.25\n"
       "total := A + B\n"},
      {"p.tsv", table("parameterId,parameterScale,lowerBound,upperBound,nominalValue,estimate\n"
                      "k1,log10,1e-3,1e3,0.8,1\nk2,lin,0,10,0.6,0\n")},
      {"c.tsv", "conditionId\nc0\n"},
      {"o.tsv", table("observableId,observableFormula,noiseFormula\nobs,A,0.5\n")},
      {"m.tsv", table("observableId,simulationConditionId,time,measurement\n"
                      "obs,c0,0,0.7\nobs,c0,10,0.1\n")}};
}

// The same in version 2, with an experiment.
inline TestFiles conversion_v2() {
  TestFiles files = conversion_v1();
  files["p.yaml"] =
      "format_version: 2.0.0\nparameter_files: [p.tsv]\nmodel_files:\n  conversion:\n"
      "    location: model.ant\n    language: antimony\ncondition_files: [c.tsv]\n"
      "experiment_files: [e.tsv]\nmeasurement_files: [m.tsv]\nobservable_files: [o.tsv]\n";
  files["p.tsv"] = table(
      "parameterId,lowerBound,upperBound,nominalValue,estimate\nk1,1e-3,1e3,0.8,true\n"
      "k2,0,10,0.6,false\n");
  files["c.tsv"] = table("conditionId,targetId,targetValue\nc0,A,3\n");
  files["e.tsv"] = table("experimentId,time,conditionId\ne0,0,c0\n");
  files["m.tsv"] =
      table("observableId,experimentId,time,measurement\nobs,e0,0,0.7\nobs,e0,10,0.1\n");
  return files;
}

// The value of an expression where names have the values given; NaN for other names.
inline double value_of(const Model& model, ExprId id, const std::map<std::string, double>& names) {
  const ExprNode& node = model.expressions[id];
  if (node.op == Op::number) return node.value;
  if (node.op == Op::symbol) {
    if (node.ref.kind == SymbolKind::observable)
      return value_of(model, model.observables[node.ref.index].value, names);
    auto found = names.find(model.id_of(node.ref));
    return found == names.end() ? not_set : found->second;
  }
  auto operand = [&](ExprId x) { return x == no_expr ? 0.0 : value_of(model, x, names); };
  return evaluate(node.op, operand(node.a), operand(node.b), operand(node.c));
}

// A problem that must be right.
inline FitProblem good(const TestFiles& files) {
  PetabReading reading = read_files(files);
  EXPECT_TRUE(reading.problem.has_value()) << reading.text();
  return reading.problem ? std::move(*reading.problem) : FitProblem{};
}

// The assignment of a period to that target, or nullptr.
inline const ConditionAssignment* change_of(const FitProblem& p, const Period& period,
                                            const std::string& target) {
  for (const ConditionAssignment& a : period.assignments)
    if (p.model->id_of(a.target) == target) return &a;
  return nullptr;
}

inline double change_value(const FitProblem& p, const Period& period, const std::string& target,
                           const std::map<std::string, double>& names = {}) {
  const ConditionAssignment* change = change_of(p, period, target);
  return change ? value_of(*p.model, change->value, names) : not_set;
}

inline ExprId formula_of(const FitProblem& p, int observable) {
  return p.model->observables[observable].value;
}

}  // namespace stiffit::internal
