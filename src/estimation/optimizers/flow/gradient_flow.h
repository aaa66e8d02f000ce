// Descent along the gradient equations dtheta/dtau = - grad Phi(theta), integrated as differential
// equations: by an explicit or a linearly implicit method; or, after a few explicit steps, through
// boxes in which a polynomial stands for the gradient and is integrated by Taylor series.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "estimation/optimizers/local_fit.h"

namespace stiffit::internal {

enum class FlowKind {
  accelerated,  // polynomials in boxes
  stiff,        // linearly implicit, with the Fisher information for the Hessian
  runge_kutta,  // explicit
};

// As the option is called.
constexpr const char* flow_name(FlowKind kind) {
  return kind == FlowKind::accelerated ? "accelerated"
         : kind == FlowKind::stiff     ? "stiff"
                                       : "runge-kutta";
}

struct FlowPoint {
  double tau = 0;
  std::vector<double> x;
  double value = 0;
  long gradients = 0;  // so far
};

struct FlowOptions {
  FlowKind kind = FlowKind::accelerated;
  int degree = 2;  // of the polynomials for the gradient, 1 to 4
  // How much of the gradient (or of a box) the polynomials may miss at the end of a box. The path
  // is as near to the flow as this is small; what it ends in does not depend on it.
  double missed = 0.25;
  double rtol = 1e-4;  // of stiff and runge_kutta
  double most_tau = std::numeric_limits<double>::infinity();
  long max_gradients = 20000;
  std::function<void(const FlowPoint&)> on_point;
};

LocalFit fit_gradient_flow(const Objective& objective, std::span<const double> start,
                           const LocalOptions& local, const FlowOptions& options);

}  // namespace stiffit::internal
