// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/linearised_step.h"

#include <algorithm>
#include <cmath>

namespace stiffit {

LinearisedStep::LinearisedStep(const SensitivityProblem& problem)
    : kernels_(problem.kernels),
      n_(static_cast<std::size_t>(kernels_.states)),
      parameters_(static_cast<std::size_t>(kernels_.slots)),
      state_(rodas5p::stages * kernels_.state.nonzeros()),
      bend_(rodas5p::stages * kernels_.bend_state.nonzeros()),
      parameter_(rodas5p::stages * kernels_.parameter.nonzeros()),
      bend_parameter_(kernels_.bend_parameter.nonzeros()),
      y_(n_) {}

void LinearisedStep::set_parameters(const double* values) {
  std::copy_n(values, kernels_.first_input, parameters_.data());
  double* arrays[1] = {parameters_.data()};
  kernels_.prepare(arrays);
}

void LinearisedStep::differentiate(double t, const double* y, double* by_state,
                                   double* by_parameter) {
  double* arrays[5] = {&t, const_cast<double*>(y), parameters_.data(), by_state, by_parameter};
  kernels_.stage(arrays);
}

// A second derivative may be infinite where the first is not (x^1.5 at 0). It is met there by a
// zero, or stands for a kink of the step itself that the solution does not have: it is left out.
void LinearisedStep::evaluate_bend(double t, const double* y, int stage, const double* u) {
  double* inputs = parameters_.data() + kernels_.first_input;
  std::copy_n(u, n_, inputs);
  inputs[n_] = rodas5p::slope[stage] * h;
  double* bend = at(bend_, stage);
  double* arrays[5] = {&t, const_cast<double*>(y), parameters_.data(), bend,
                       bend_parameter_.data()};
  kernels_.bend(arrays);
  const std::size_t count = kernels_.bend_state.nonzeros();
  for (std::size_t k = 0; k < count; ++k)
    if (!std::isfinite(bend[k])) bend[k] = 0;
  double* parameter = at(parameter_, stage);
  for (std::size_t k = 0; k < kernels_.bend_place.size(); ++k)
    if (std::isfinite(bend_parameter_[k]))
      parameter[static_cast<std::size_t>(kernels_.bend_place[k])] += bend_parameter_[k];
}

void LinearisedStep::evaluate(double t, double size, const double* y, const double* stages,
                              std::size_t stride) {
  h = size;
  for (int i = 0; i < rodas5p::stages; ++i) {
    if (i == 0) {
      std::copy_n(y, n_, y_.data());
    } else if (i < 6) {
      for (std::size_t k = 0; k < n_; ++k) {
        double sum = y[k];
        for (int j = 0; j < i; ++j)
          sum += rodas5p::a[i][j] * stages[static_cast<std::size_t>(j) * stride + k];
        y_[k] = sum;
      }
    } else {
      const double* last = stages + static_cast<std::size_t>(i - 1) * stride;
      for (std::size_t k = 0; k < n_; ++k) y_[k] += last[k];
    }
    differentiate(t + rodas5p::node[i] * h, y_.data(), at(state_, i), at(parameter_, i));
    evaluate_bend(t, y, i, stages + static_cast<std::size_t>(i) * stride);
  }
}

}  // namespace stiffit
