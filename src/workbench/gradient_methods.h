// The gradient of a fitting problem by every method there is, each against the same differences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "objective/gradient_check.h"
#include "objective/problem_objective.h"
#include "report/json.h"

namespace stiffit {

struct CheckedMethod {
  std::string method;   // forward, adjoint
  int adjoint = 0;      // experiments that go backwards; the others go forward
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

// The differences are those of the objective at `tight_rtol` or the options' own tolerance, if that
// is smaller.
inline constexpr double tight_rtol = 1e-11;
CheckedGradient check_methods(const ProblemObjective& objective, const ObjectiveOptions& options,
                              const std::vector<double>& theta);

std::string as_text(const CheckedGradient& checked, const std::vector<Unknown>& unknowns);
void add_json(const CheckedGradient& checked, const std::vector<Unknown>& unknowns,
              JsonWriter& json);
// Why it did not pass, for people; empty if it did.
std::string complaint(const CheckedGradient& checked);

}  // namespace stiffit
