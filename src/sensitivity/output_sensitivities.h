// From the derivatives of the states to those of outputs, which depend on states and parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sensitivity/derivative_kernels.h"
#include "sensitivity/sensitivity.h"

namespace stiffit::internal {

class OutputSensitivities {
 public:
  // By the given parameters (empty: all that are not folded).
  OutputSensitivities(System& system, const std::vector<Output>& outputs,
                      std::span<const int> parameters = {}, Isa isa = best_isa());

  // [output][direction] at one time. `states` is [state], `sensitivities` [state][direction];
  // `parameters` are those of the program.
  void evaluate(double time, const double* states, std::span<const double> parameters,
                const double* sensitivities, std::span<const Direction> directions,
                double* out) const;

 private:
  OutputKernel kernel_;
};

}  // namespace stiffit::internal
