// What every kind of solver can do besides: factor some lanes and leave the others as they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linear/linear_solver.h"

namespace stiffit::internal {

class LaneSolver : public LinearSolver {
 public:
  // As `factor`, for these lanes. The others are to have the d and J that they were last factored
  // with; where that is no dearer they are computed along, from the same numbers to the same ones.
  virtual unsigned factor_lanes(const double* d, const double* jacobian, unsigned lanes) = 0;
  unsigned factor(const double* d, const double* jacobian) final {
    return factor_lanes(d, jacobian, ~0u);
  }
};

// A workspace of the plan.
std::unique_ptr<LaneSolver> make_lane_solver(const LinearPlan& plan);

}  // namespace stiffit::internal
