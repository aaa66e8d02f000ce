// The reference problems of shared/reference/problems.md as systems made by hand, and their
// solutions. For tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ode/simulate.h"

namespace stiffit::internal {

struct ReferenceProblem {
  std::string name;
  System system;
  std::vector<double> times;
  std::vector<double> solution;  // [time][state]; empty if the file is not there
  double skip_from = 1, skip_to = 0;

  // Largest error over all times and states, each over the state's largest magnitude.
  double error(const std::vector<double>& states) const;
};

// Every problem with a reference solution; empty solutions where `folder` has no such file.
std::vector<ReferenceProblem> reference_problems(const std::string& folder);
// Robertson's three species to 1e6: no file, for the counters.
ReferenceProblem robertson_problem();

}  // namespace stiffit::internal
