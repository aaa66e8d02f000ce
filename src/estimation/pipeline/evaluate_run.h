// The objective of a problem at one point, from its options to numbers: what `stiffit evaluate`
// finds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "estimation/objective/gradient_methods.h"
#include "estimation/objective/parameter_point.h"
#include "stiffit/options.h"

namespace stiffit::internal {

struct EvaluateRun {
  std::unique_ptr<ProblemObjective> objective;
  std::vector<double> theta;
  Evaluation evaluation;
  std::optional<CheckedGradient> check;
  double rtol = not_set;              // of the gradient
  std::vector<std::string> messages;  // "note: ...", "warning: ..."
  double compile = 0, seconds = 0;    // of the evaluation
};

// The options are checked already. Throws InputError and OptionError.
EvaluateRun run_evaluate(FitProblem problem, const api::EvaluateOptions& options,
                         const FileReader& read);

}  // namespace stiffit::internal
