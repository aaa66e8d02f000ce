// An explicit Runge-Kutta method of any even order: the midpoint rule with 2, 4, 6, ... parts of a
// step, extrapolated in h^2. W.B. Gragg, SIAM J. Numer. Anal. 2 (1965) 384; Hairer, Norsett,
// Wanner, Solving ODEs I, II.9. It starts the Adams methods. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/one_lane_stepper.h"

namespace stiffit::internal {

class ExtrapolatedMidpointStepper final : public OneLaneStepper {
 public:
  // Of at least this order.
  ExtrapolatedMidpointStepper(LaneGroup& group, int order);
  void attempt(LaneMask lanes) override;
  // The method itself with a part of the step.
  void interpolate(int lane, double theta, double* out) override;
  int control_order() const override { return 2 * columns_; }

 private:
  void step(double h, double* out);

  int columns_;
  std::vector<AlignedArray> table_;
  AlignedArray before_, now_, f_;
};

}  // namespace stiffit::internal
