// Methods compared on one model, from the model to the table: what `stiffit compare` finds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/pipeline/time_course.h"

namespace stiffit::internal {

// Every method if `names` is empty or "all"; throws OptionError for one that there is not.
std::vector<std::string> methods_to_compare(std::vector<std::string> names);

struct ModelComparison {
  Problem problem;
  ReferenceSolution reference;
  CompareResult result;
  std::string warnings;  // about the start, rendered
  std::string doubt;     // why small errors mean little; empty: they do
  std::string failure;   // why there is no reference, and so no result; empty: there is one
};

// Errors are measured at the times that `course` asks for. Throws OptionError and InputError.
ModelComparison compare_on_model(const std::shared_ptr<const Model>& model,
                                 const TimeCourseOptions& course, const CompareOptions& options);

// h*lambda of a run at the times of the reference: all eigenvalues of the Jacobian there (of large
// systems both ends of the spectrum) times the step that covers the time.
std::vector<std::complex<double>> steps_times_eigenvalues(const Problem& problem,
                                                          const ReferenceSolution& reference,
                                                          const std::string& method,
                                                          const WorkPoint& run,
                                                          const CompareOptions& options);

}  // namespace stiffit::internal
