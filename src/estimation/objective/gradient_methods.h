// The gradient of a fitting problem: by every method there is, each against the same differences,
// and whether it moves with the tolerance of the integration.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "estimation/objective/gradient_check.h"
#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

struct CheckedMethod {
  std::string method;   // forward, adjoint
  int adjoint = 0;      // experiments that went backwards; the others forward
  std::string failure;  // in words; then nothing else counts
  std::vector<double> gradient;
  std::vector<GradientCheck> entries;    // one per unknown
  int right = 0, unsure = 0, wrong = 0;  // of them
  double worst = 0;                      // largest error of an entry
  double seconds = 0;                    // of the processor, for the gradient
  bool passed() const { return failure.empty() && unsure == 0 && wrong == 0; }
};

struct CheckedGradient {
  std::vector<CheckedMethod> methods;
  double between = not_set;  // largest error of forward against adjoint
  double seconds = 0;        // of the processor, for the differences
  int experiments = 0;
  bool passed() const;
};

struct CheckOptions {
  double difference_rtol = 0;   // of the objective in the differences; 0: 1e-11, or that of the
                                // gradient if smaller
  std::size_t sample = 0;       // > 0: only so many unknowns, chosen by `seed`
  unsigned long long seed = 1;  // not needed otherwise
};
CheckedGradient check_methods(const ProblemObjective& objective, const ObjectiveOptions& options,
                              const std::vector<double>& theta, const CheckOptions& check);

// Near a minimum the terms of a gradient cancel, and what is left of them may be no larger than the
// errors of the integration. Such a gradient moves with the tolerance, and is integrated again with
// smaller ones until it does not.
struct SettledGradient {
  Evaluation evaluation;
  double rtol = not_set;   // that it was integrated with
  double first_error = 0;  // of the gradient at the tolerance asked for, in the measure above
  double error = 0;        // of this one: both are estimates
  bool settled() const { return error <= 1e-3; }
};
// `first` is what `objective`, made with `options`, says at theta; it needs no more work than a
// gradient at ten times the tolerance if it is good.
SettledGradient settle_gradient(const ProblemObjective& objective, const ObjectiveOptions& options,
                                const std::vector<double>& theta, Need need, Evaluation first);

}  // namespace stiffit::internal
