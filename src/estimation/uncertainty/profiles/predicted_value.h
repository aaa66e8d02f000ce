// A value that the model predicts, as something to make a profile of: which species or observable,
// when, and in which experiment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/fit_problem.h"

namespace stiffit::internal {

struct PredictedValue {
  std::string quantity;  // a species or an observable of the problem
  double time = 0;       // infinite: at the steady state
  std::string experiment;

  std::string words(bool several_experiments) const;  // "P at 300 in low_dose"
};

// "P at 300", "P at 300 in low_dose"; the experiment may be left out where there is one. Throws
// OptionError, with the nearest name, if there is no such quantity or experiment.
PredictedValue predicted_value(const std::string& text, const FitProblem& problem);

// The same problem with nothing measured but this, as zero with an error of one: its only residual
// is the value.
FitProblem prediction_problem(const FitProblem& problem, const PredictedValue& value);

}  // namespace stiffit::internal
