// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/comparison.h"

#include <algorithm>

#include "analysis/pipeline/method_choice.h"
#include "analysis/stiffness/spectrum.h"
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

std::vector<std::complex<double>> steps_times_eigenvalues(const Problem& problem,
                                                          const ReferenceSolution& reference,
                                                          const std::string& method,
                                                          const WorkPoint& run,
                                                          const CompareOptions& options) {
  const std::vector<Step> steps = steps_of(problem, reference, method, run, options);
  std::vector<std::complex<double>> products;
  if (steps.empty()) return products;
  SpectrumFinder finder(problem);
  const std::vector<double>& parameters = reference.request.parameters.empty()
                                              ? problem.program->parameter_values
                                              : reference.request.parameters;
  const std::size_t n = reference.largest.size();
  for (std::size_t row = 0; row < reference.request.times.size(); ++row) {
    const double time = reference.request.times[row];
    auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                  [](double t, const Step& step) { return t < step.time; });
    const double h = after == steps.begin() ? steps.front().size : std::prev(after)->size;
    const Spectrum s =
        finder.at(time, reference.states.data() + row * n, parameters, {false, true});
    std::vector<std::complex<double>> values = s.all;
    if (values.empty()) values = {s.lambda_min, s.lambda_max};
    for (auto v : values)
      if (std::isfinite(v.real()) && std::isfinite(v.imag())) products.push_back(h * v);
  }
  return products;
}

}  // namespace stiffit::internal
