// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/comparison.h"

#include <algorithm>

#include "analysis/pipeline/method_choice.h"
#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/number.h"

namespace stiffit::internal {

std::vector<std::string> methods_to_compare(std::vector<std::string> names) {
  if (names.empty() || names == std::vector<std::string>{"all"}) {
    names.clear();
    for (const MethodInfo& info : methods()) names.emplace_back(info.name);
  }
  for (const std::string& name : names) named_method(name);
  return names;
}

ModelComparison compare_on_model(const std::shared_ptr<const Model>& model,
                                 const TimeCourseOptions& course_options,
                                 const CompareOptions& options) {
  PreparedCourse course = prepare_course(model, course_options);
  if (course.problem.program->states == 0)
    throw InputError("error: nothing moves in this model, so there is nothing to compare");
  ModelComparison found;
  found.warnings = course.warnings;
  found.problem = course.problem;
  found.reference = solve_reference(course.problem, course.request, options.interrupt);
  if (found.reference.outcome.status != Status::done) {
    found.failure = "no reference solution: " +
                    describe(found.reference.outcome, course.problem.program->state_names);
    return found;
  }
  const double hardest = *std::min_element(options.targets.begin(), options.targets.end());
  if (found.reference.agreement > 0.1 * hardest)
    found.doubt = "the reference is only known to " + format_short(found.reference.agreement, 2) +
                  "; errors near that mean little";
  // Looks at the flag of its options between runs, and keeps the rows that are there.
  const InterruptScope whole_rows(nullptr);
  found.result = compare_methods(course.problem, found.reference, options);
  return found;
}

}  // namespace stiffit::internal
