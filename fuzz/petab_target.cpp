// PEtab problems. The first byte says the version; then whole files follow, each after a line
// "==> NAME", with commas for tabs in tables, and replace those of a good problem. Every number
// that gets through can be used; the objective of a small problem is computed once.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <sstream>

#include "estimation/objective/problem_objective.h"
#include "io/petab/petab_for_test.h"
#include "target.h"

namespace stiffit::internal {
namespace {

const std::string_view words[] = {"==> p.tsv\n",
                                  "==> c.tsv\n",
                                  "==> e.tsv\n",
                                  "==> m.tsv\n",
                                  "==> o.tsv\n",
                                  "==> model.ant\n",
                                  ",",
                                  "\n",
                                  "k1",
                                  "k2",
                                  "obs",
                                  "c0",
                                  "e0",
                                  "A",
                                  "B",
                                  "a0",
                                  "cell",
                                  "time",
                                  "log10",
                                  "log",
                                  "lin",
                                  "normal",
                                  "laplace",
                                  "uniform",
                                  "log-normal",
                                  "parameterScaleNormal",
                                  "0;1",
                                  "nan",
                                  "inf",
                                  "-inf",
                                  "observableParameter1_obs",
                                  "noiseParameter1_obs",
                                  "preequilibrationConditionId",
                                  "observableParameters",
                                  "noiseParameters",
                                  "observableTransformation",
                                  "noiseDistribution",
                                  "objectivePriorType",
                                  "objectivePriorParameters",
                                  "priorDistribution",
                                  "priorParameters",
                                  "initializationPriorType",
                                  "targetId",
                                  "targetValue",
                                  "replicateId",
                                  "datasetId",
                                  "true",
                                  "false",
                                  "observablePlaceholders",
                                  "noisePlaceholders",
                                  "1",
                                  "0",
                                  "\""};

TestFiles files_of(std::string_view input) {
  TestFiles files = input.empty() || input[0] % 2 == 1 ? conversion_v1() : conversion_v2();
  std::istringstream lines{std::string(input.substr(std::min<std::size_t>(1, input.size())))};
  std::string name = "none";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("==> ")) {
      name = line.substr(4);
      files[name].clear();
    } else {
      files[name] += (name.ends_with(".tsv") ? table(line) : line) + "\n";
    }
  }
  return files;
}

void check_numbers(const FitProblem& problem) {
  for (const Measurement& m : problem.measurements)
    must_hold(!std::isnan(m.value) && !std::isinf(m.value) && !std::isnan(m.time),
              "measurements are numbers");
  for (const ProblemParameter& p : problem.parameters)
    must_hold(!p.estimated || p.lower <= p.upper, "an unknown has bounds");
  for (const FitProblem& part : problem.parts) check_numbers(part);
}

void run(std::string_view input) {
  const PetabReading reading = read_files(files_of(input));
  reading.text();
  must_hold(reading.problem.has_value() != reading.has_errors(), "a problem or an error");
  if (!reading.problem) return;
  check_numbers(*reading.problem);
  if (reading.problem->measurements.size() > 6 || reading.problem->experiments.size() > 3) return;
  try {
    ObjectiveOptions options;
    options.integration.max_steps = 200;
    options.derivatives = false;
    options.side_by_side = false;
    const ProblemObjective objective(*reading.problem, options);
    const Evaluation e = objective.evaluate(objective.nominal(), Need::value);
    must_hold(e.ok() || std::isnan(e.value), "a failure has no value");
    must_hold(!e.ok() || !std::isnan(e.value), "a value is a number");
  } catch (const InputError&) {
    // what cannot be simulated, said in words
  }
}

}  // namespace

const FuzzTarget petab_target{"petab", 400, 1000, run, words};

}  // namespace stiffit::internal
