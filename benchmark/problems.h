// The problems of the benchmark: what is integrated, where it is looked at, and the true solution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "ode/simulate.h"

namespace stiffit::internal::benchmark {

struct ProblemSpec {
  std::string name;
  std::string group;  // geometric means are taken over groups
  Model (*model)();
  double end;        // not_set: the model's
  bool logarithmic;  // outputs over six decades up to the end, else evenly spaced
};
const std::vector<ProblemSpec>& problem_specs();

// Milliseconds of each step from text to code.
struct BuildTimes {
  double read = 0, resolve = 0, compile = 0, linear = 0;
};
Problem build(const ProblemSpec& spec, int lanes = 1, BuildTimes* times = nullptr);
Problem build_model(Model model, int lanes = 1, BuildTimes* times = nullptr);
Model library_model(std::string_view name);

inline constexpr int output_count = 100;
Request request_of(const ProblemSpec& spec, double end);
double end_of(const ProblemSpec& spec);

// The solution at the outputs, and what it is compared with.
struct Reference {
  std::vector<double> states;   // [time][state]
  std::vector<double> largest;  // max over time of |state|
  double doubt = 0;             // difference between two independent solutions, as `error`
  // max over outputs and states of |y - ref| / (|ref| + 1e-3 max over time |ref|)
  double error(const std::vector<double>& states) const;
};

}  // namespace stiffit::internal::benchmark
