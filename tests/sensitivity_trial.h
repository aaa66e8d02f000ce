// Sensitivities of a model by all of its parameters, and the same by differences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiled_model.h"
#include "sensitivity/sensitivity.h"

namespace stiffit::internal {

struct SensitivityTrial {
  // `names` empty: all parameters that the model gives a value.
  SensitivityTrial(ResolvedSystem resolved, std::vector<double> times,
                   const std::vector<std::string>& names = {});

  CompiledModel model;
  std::shared_ptr<const SensitivityProblem> problem;
  SensitivityRequest request;
  std::vector<std::string> names;  // of the directions
  double zero_step = 1e-3;         // of differences by what is zero

  SensitivityTrajectory forward(double rtol, const std::string& method = "rodas5p",
                                bool error_control = false) const;
  // The gradient of sum of w(time, state) x with arbitrary weights, by the adjoint and from forward
  // sensitivities: the largest difference, over the largest part of the sum.
  double adjoint_distance(double rtol) const;
  // [time][state][direction], central differences of fourth order of tight runs.
  std::vector<double> differences(double rtol = 1e-12) const;
  // The largest |a - b| over (the largest of that state and direction, or what that parameter's
  // relative change makes of the state times 1e-3).
  double distance(const std::vector<double>& a, const std::vector<double>& b) const;
};

// All given parameters become parameters that vary, so that nothing is folded.
SystemOptions all_varied(const Model& model);
ResolvedSystem resolve_varied(const std::string& name, std::string_view text);

}  // namespace stiffit::internal
