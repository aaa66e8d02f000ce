// Work against precision: what each method needs to reach a given true error on one model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ode/simulate.h"

namespace stiffit::internal {

// A solution at tight tolerance that two methods agree on, and how well they do.
struct ReferenceSolution {
  Request request;
  std::vector<double> states;   // [time][state]
  std::vector<double> largest;  // per state, over all times
  double agreement = 0;         // the largest difference of the two, as errors are measured
  Outcome outcome;              // of the one that failed, if any
};
ReferenceSolution solve_reference(const Problem& problem, const Request& request,
                                  const std::atomic<bool>* interrupt);

// Each state's largest deviation over its own maximum, the largest of these; infinity for a run
// that did not finish.
double true_error(const ReferenceSolution& reference, const Trajectory& run);

struct WorkPoint {
  double setting = 0;  // rtol, or the step of a method without error control
  double error = 0;    // achieved
  Counters counters;
  double seconds = 0;  // of processor time, median; 0: not timed
};

struct Comparison {
  std::string method;
  double target = 0;
  std::optional<WorkPoint> best;  // fewest steps that reach the target; none: `why_not`
  std::string why_not;
};

struct CompareOptions {
  std::vector<std::string> methods;
  std::vector<double> targets;
  long most_steps = 2'000'000;
  double max_step = std::numeric_limits<double>::infinity();  // of methods with error control
  int repetitions = 5;                                        // of the timed runs
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(int done, int of)> progress;
};

struct CompareResult {
  std::vector<Comparison> table;               // method by method, target by target
  std::vector<std::vector<WorkPoint>> curves;  // per method: every run made
};

// Tolerances go down in half decades, absolute ones being 0.01*rtol*max|x_i|; of fixed steps the
// largest that serves is found to 1 %.
CompareResult compare_methods(const Problem& problem, const ReferenceSolution& reference,
                              const CompareOptions& options);

// The steps of a run made before, begin and size of each, in order.
struct Step {
  double time = 0, size = 0;
};
std::vector<Step> steps_of(const Problem& problem, const ReferenceSolution& reference,
                           const std::string& method, const WorkPoint& run,
                           const CompareOptions& options);

}  // namespace stiffit::internal
