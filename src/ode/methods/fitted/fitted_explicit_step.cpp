// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/fitted/fitted_explicit_step.h"

#include <cmath>

namespace stiffit::internal {

FittedExplicitStepper::FittedExplicitStepper(LaneGroup& group, std::size_t most_eigenvalues,
                                             bool always_jacobian)
    : OneLaneStepper(group),
      eigenvalues_(group.options.eigenvalues, size()),
      most_(most_eigenvalues),
      always_jacobian_(always_jacobian),
      strictness_(fitted_care * strictness_for(group.options.rtol, 3, 2)),
      estimate_(size()) {}

void FittedExplicitStepper::start(LaneMask lanes) {
  OneLaneStepper::start(lanes);
  eigenvalues_.forget();
  jacobian_known_ = false;
}

void FittedExplicitStepper::attempt(LaneMask) {
  LaneGroup& g = group_;
  const double h = g.h[0];
  if (!jacobian_known_ && (always_jacobian_ || eigenvalues_.stale())) {
    differentiate(g.t[0], g.y.data());
    jacobian_known_ = true;
  }
  if (eigenvalues_.stale())
    eigenvalues_.estimate([&](const double* x, double* out) { multiply(x, out); });
  run(eigenvalues_.times(h, most_));
  evaluate(g.t[0] + h, g.y_new.data(), slope_new_.data());
  for (std::size_t i = 0; i < size(); ++i)
    estimate_[i] = 0.8 * (g.y[i] - g.y_new[i]) + 0.4 * h * (slope_[i] + slope_new_[i]);
  g.error[0] = finite(slope_new_.data()) ? strictness_ * norm(estimate_.data()) : NAN;
  if (!(g.error[0] <= 1)) eigenvalues_.forget();
}

void FittedExplicitStepper::accept(LaneMask lanes) {
  OneLaneStepper::accept(lanes);
  eigenvalues_.note_step();
  jacobian_known_ = false;
}

}  // namespace stiffit::internal
