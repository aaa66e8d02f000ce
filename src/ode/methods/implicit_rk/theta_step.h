// One step y1 = y0 + h (mu f0 + (1 - mu) f1): backward Euler (mu = 0), the trapezoidal rule
// (mu = 1/2), and what lies between. A method says which mu a step takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/driver/implicit_stage.h"

namespace stiffit::internal {

// One end of a step: the state and its slope as the formula has it. f itself would magnify what
// Newton has left by the largest eigenvalue.
struct StepEnd {
  explicit StepEnd(std::size_t size) : y(size), slope(size) {}
  AlignedArray y, slope;
  void swap(StepEnd& other) {
    y.swap(other.y);
    slope.swap(other.slope);
  }
};

// Sees fast components that the trapezoidal rule lets change sign from step to step: what y'' is
// over a step has changed its sign twice in a row.
class RingingWatch {
 public:
  explicit RingingWatch(std::size_t size) : bend_(size), bend_before_(size), amplitude_(size) {}
  void forget();
  // After a step of size h between these slopes. The result is the amplitude of what rings.
  const double* note(double h, const double* slope, const double* slope_new);

 private:
  AlignedArray bend_, bend_before_, amplitude_;
};

class ThetaStepper : public ImplicitStageStepper {
 public:
  // `order`: 1 or 2, what the result of a run is trusted with.
  ThetaStepper(LaneGroup& group, int order);
  void start(LaneMask lanes) override;
  void attempt(LaneMask lanes) override;
  void interpolate(int lane, double theta, double* out) override;
  void accept(LaneMask lanes) override;
  int control_order() const override { return order_ + 1; }

 protected:
  // mu for a step of this size from the current state.
  virtual double weight_of_old(double h) = 0;
  // y, slope at t to y_new, slope_new at t + h; y_new comes with a guess.
  bool step(double mu, double t, double h, const double* y, const double* slope, double* y_new,
            double* slope_new);
  double strictness() const { return strictness_; }

  double mu_ = 0;
  bool straight_ = false;  // the step is interpolated by a line

 private:
  void guess();
  double estimate();

  int order_;
  double strictness_;
  PastValues past_;
  AlignedArray base_, difference_, estimate_;
};

}  // namespace stiffit::internal
