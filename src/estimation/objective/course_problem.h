// The same problem with other measurements: every species, and what was measured, at many times of
// every experiment. Its predictions are time courses, its derivatives tell what a measurement would
// bring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/fit_problem.h"

namespace stiffit::internal {

// What one measurement of such a problem is.
struct CoursePoint {
  std::string experiment;
  double time = 0;
  std::string quantity;  // a species or an observable of the problem
  bool observable = false;
  bool measured = false;  // there are data of it, in any experiment
};

struct CourseProblem {
  FitProblem problem;
  std::vector<CoursePoint> points;  // in the order of the predictions
};

// `intervals` between the first and the last time of each experiment's data.
CourseProblem course_problem(const FitProblem& problem, int intervals);

}  // namespace stiffit::internal
