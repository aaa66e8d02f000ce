// One step of a singly diagonally implicit Runge-Kutta method from its tableau. All stages share
// the matrix of Newton's iteration, which is kept from step to step while it serves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/driver/implicit_stage.h"
#include "ode/methods/implicit_rk/dirk_tableau.h"

namespace stiffit::internal {

class DirkStepper final : public ImplicitStageStepper {
 public:
  DirkStepper(LaneGroup& group, const DirkTableau& tableau);
  void start(LaneMask lanes) override;
  void attempt(LaneMask lanes) override;
  void interpolate(int lane, double theta, double* out) override;
  // A state that follows the others within much less than a step is what they make it, not what a
  // polynomial in time says: one Newton iteration towards y' = f, of which the fast part counts.
  void row(int lane, double theta, double* out) override;
  void accept(LaneMask lanes) override;
  int control_order() const override { return tableau_.estimated; }
  // The slopes k_i of the step just tried.
  const double* stages() const override { return slopes_.data(); }
  std::size_t stage_stride() const override { return stride_; }

 private:
  bool run_stage(int i);
  void guess(int i, double* y) const;
  double estimate();
  double* k(int i) { return slopes_.data() + static_cast<std::size_t>(i) * stride_; }
  // y + h sum of share * k, at theta of a step.
  void dense(const double* y, const double* slopes, double h, double theta, double* out) const;

  const DirkTableau& tableau_;
  std::size_t stride_;
  double strictness_ = 1;
  AlignedArray slopes_;                    // [stage]
  AlignedArray last_slopes_, last_state_;  // of the step before, and where it began
  double last_step_ = 0;                   // 0: there is none
  AlignedArray base_, stage_, estimate_;
  AlignedArray slow_;
};

}  // namespace stiffit::internal
