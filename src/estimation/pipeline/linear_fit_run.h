// A linear fit as a whole: the answer, how sure it is, what it means for the trajectory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "estimation/direct/linear_fit.h"
#include "estimation/objective/problem_objective.h"
#include "estimation/pipeline/fit_summary.h"

namespace stiffit::internal {

struct LinearRun {
  FitSummary summary;
  // The problem with its unknowns on plain scales and without bounds, as the fit sees them.
  std::shared_ptr<const ProblemObjective> objective;
  std::string
      trajectory_tsv;  // how far errors of the estimates move what is measured; may be empty
};

// Throws InputError if the method does not apply.
LinearRun run_linear_fit(const FitProblem& problem, const std::string& name,
                         const LinearFitOptions& options, const ObjectiveOptions& integration,
                         std::uint64_t seed = 1);

// K8: what the integral and the derivative method say, and their mean, as messages and details of a
// fit that started there.
void add_side_by_side(FitSummary& summary, const FitProblem& problem,
                      const LinearFitOptions& options);

}  // namespace stiffit::internal
