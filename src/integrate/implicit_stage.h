// Solves d M (y - base) = f(t, y) by modified Newton: the one equation of backward Euler, the
// trapezoidal rule and their kin. The Jacobian and its LU are kept while they serve.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/one_lane_stepper.h"

namespace stiffit {

class ImplicitStageStepper : public OneLaneStepper {
 public:
  explicit ImplicitStageStepper(LaneGroup& group);
  void start(LaneMask lanes) override;

 protected:
  // From the guess in `y`; false if it does not converge. `strictness` multiplies norms.
  bool solve_stage(double t, double d, const double* base, double strictness, double* y);
  // b <- (d M - J)^-1 b with the matrix of the last stage.
  void solve_linear(double* b) { solver_->solve(b); }

 private:
  bool iterate(double t, double d, const double* base, double strictness, double* y);
  bool factor(double d);

  std::unique_ptr<LinearSolver> solver_;
  AlignedArray change_, f_, guess_;
  bool wants_jacobian_ = true;
  int jacobian_age_ = 0;
  double factored_ = 0;  // the d of the matrix in solver_; 0: none
  double rate_ = 1;      // of convergence
};

}  // namespace stiffit
