// One step of Radau IIA with three, five or seven stages (order 5, 9, 13) on one lane; the order
// follows Newton's rate of convergence. Modified Newton on the stages, decoupled by the eigenvalues
// of A^-1 into a real and one to three complex systems.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linear/complex_solver.h"
#include "ode/driver/step_control.h"
#include "ode/methods/implicit_rk/radau_coefficients.h"
#include "ode/one_lane_stepper.h"

namespace stiffit::internal {

class RadauStepper final : public OneLaneStepper {
 public:
  explicit RadauStepper(LaneGroup& group);
  void start(LaneMask lanes) override;
  void attempt(LaneMask lanes) override;
  void interpolate(int lane, double theta, double* out) override;
  void accept(LaneMask lanes) override;
  int control_order() const override { return r_->stages + 1; }
  bool hides_between() const override { return true; }
  double next_step(int lane, bool accepted) override;
  std::string trouble(int) const override { return failed_ ? newton_failed : ""; }

 private:
  static constexpr int most_stages = 7, most_pairs = 3;
  void use_stages(int stages);
  bool prepare_matrices();
  void guess_stages();
  bool solve_stages();
  bool solve_with_matrices(bool guess);
  void stage_residuals();
  double stage_norm() const;
  void estimate();
  void solve_decoupled();
  void choose_order(double growth);
  double mass(std::size_t i) const { return program_.mass.empty() ? 1 : program_.mass[i]; }
  AlignedArray& z(int stage) { return z_[stage]; }

  const RadauCoefficients* r_ = nullptr;
  int first_stages_, last_stages_;
  double newton_allowed_ = 0;
  std::unique_ptr<LinearSolver> solver_;
  std::unique_ptr<ComplexSolver> complex_[most_pairs];
  AlignedArray z_[most_stages], residual_[most_stages];
  AlignedArray z_before_[most_stages];  // of the last accepted step, to start Newton from
  const RadauCoefficients* r_before_ = nullptr;
  double h_before_ = 0;
  AlignedArray work_, base_;
  std::vector<std::complex<double>> complex_work_;
  AlignedArray unit_, balanced_;  // a power of two near each state's tolerance; J in those units
  void balance();

  bool fresh_jacobian_ = false, wants_jacobian_ = true;
  double factored_h_ = 0;  // 0: none
  const RadauCoefficients* factored_for_ = nullptr;
  double rate_ = 0;         // of Newton's convergence in this step
  double last_change_ = 0;  // what it leaves: kept from step to step as a first guess
  int iterations_ = 0;
  bool first_ = true, rejected_ = false;
  bool failed_ = false;      // Newton, in the last attempt
  bool from_stage_ = false;  // the next Jacobian is that of the last stage at hand
  int since_change_ = 0;     // accepted steps since the order changed
  StepControl control_;
};

}  // namespace stiffit::internal
