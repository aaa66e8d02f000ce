// Solves d M (y - base) = f(t, y) by modified Newton: the one equation of backward Euler, the
// trapezoidal rule and their kin. The Jacobian and its LU are kept while they serve.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/one_lane_stepper.h"

namespace stiffit::internal {

class ImplicitStageStepper : public OneLaneStepper {
 public:
  explicit ImplicitStageStepper(LaneGroup& group);
  void start(LaneMask lanes) override;
  std::string trouble(int) const override { return failed_ ? newton_failed : ""; }

 protected:
  // From the guess in `y`; false if it does not converge. `strictness` multiplies norms.
  bool solve_stage(double t, double d, const double* base, double strictness, double* y);
  // b <- (d M - J)^-1 b with the matrix of the last stage.
  void solve_linear(double* b) { solver_->solve(b); }
  double factored() const { return factored_; }  // the d of that matrix

 private:
  bool solve_once(double t, double d, const double* base, double strictness, double* y);
  bool iterate(double t, double d, const double* base, double strictness, double* y);
  bool factor(double d);
  double norm_at(const double* y) const;

  std::unique_ptr<LinearSolver> solver_;
  AlignedArray change_, f_, guess_, kept_;
  bool failed_ = false;  // Newton, in the last stage
  bool wants_jacobian_ = true;
  int jacobian_age_ = 0;
  double factored_ = 0;  // the d of the matrix in solver_; 0: none
  double rate_ = 1;      // of convergence
};

}  // namespace stiffit::internal
