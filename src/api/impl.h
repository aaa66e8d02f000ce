// What stands behind the public classes, and the border between the two: errors of the rooms become
// those of the library, options name themselves as the library does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/pipeline/curve_difference.h"
#include "analysis/pipeline/live_courses.h"
#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/option_error.h"
#include "estimation/objective/problem_objective.h"
#include "estimation/pipeline/run_context.h"
#include "io/files/check_model.h"
#include "runtime/checkpoint/run_directory.h"
#include "stiffit/errors.h"
#include "stiffit/problem.h"
#include "stiffit/processes.h"

namespace stiffit {
inline namespace api {

using namespace internal;  // where a name is public too, that one is meant

struct Model::Impl {
  std::string name, warnings;
  std::shared_ptr<const internal::Model> model;
  bool is_file = true;  // or of the library; false: a text
  mutable LiveCourses courses{8};
};

struct Problem::Impl {
  FitProblem problem;
  std::string warnings;
  RunInputs inputs;  // its name where it has none of its own, and hashes of all that was read
};

struct Objective::Impl {
  std::shared_ptr<const ProblemObjective> objective;
  std::vector<EstimatedParameter> unknowns;
  const std::atomic<bool>* interrupt = nullptr;
};

struct Processes::Impl {
  WorkerPool workers;
};

// What surrounds a run of the library: it tells how far it is, keeps what is said, and tells that
// as well.
RunContext library_context(const RunOptions& run, std::vector<std::string>& said);

// Runs f; what the rooms throw about an input becomes an InputError of the library, and a set flag
// an Interrupted of the library unless f knows how to end early.
template <class F>
auto at_border(const std::atomic<bool>* interrupt, F&& f) {
  const InterruptScope scope(interrupt);
  try {
    return f();
  } catch (const internal::Interrupted&) {
    throw Interrupted();
  } catch (const internal::OptionError& error) {
    const std::string hint = error.marked_hint();
    const std::string text =
        "error: " + error.marked_message() + "\n" + (hint.empty() ? "" : "  " + hint + "\n");
    throw OptionError(spelled(text, ""), text);
  } catch (const internal::InputError& error) {
    throw InputError(spelled(error.what(), ""), error.what());
  }
}

// The same of what has a result that can say by itself that it was interrupted.
template <class Result, class F>
Result at_border(const std::atomic<bool>* interrupt, Result unfinished, F&& f) {
  try {
    return at_border(interrupt, f);
  } catch (const Interrupted&) {
    return unfinished;
  }
}

// With a status, as most have.
template <class Result>
Result interrupted_before_it_began() {
  Result result;
  result.status = "interrupted";
  return result;
}

Finding public_finding(const internal::Finding& finding);
std::vector<Finding> public_findings(const std::vector<internal::Finding>& findings);
std::vector<ColumnDifference> public_differences(const CurveDifference& difference);
std::vector<EstimatedParameter> public_unknowns(
    const std::vector<internal::EstimatedParameter>& unknowns);
std::vector<Datum> public_data(const ProblemObjective& objective, const std::vector<double>& theta,
                               double deviation, std::string& failure);

}  // namespace api
}  // namespace stiffit
