// What explicit methods with long stability regions share: the stages a step needs follow from the
// spectral radius, the error from both ends. Order two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/driver/spectral_radius.h"
#include "ode/one_lane_stepper.h"

namespace stiffit::internal {

class StabilisedStepper : public OneLaneStepper {
 public:
  explicit StabilisedStepper(LaneGroup& group);
  void start(LaneMask lanes) override;
  void attempt(LaneMask lanes) override;
  void interpolate(int, double theta, double* out) override { hermite(theta, out); }
  void accept(LaneMask lanes) override;
  int control_order() const override { return 3; }

 protected:
  // Stages for which a step with h * radius = z is stable, and the largest z there is.
  virtual int stages_for(double z) const = 0;
  virtual double longest() const = 0;
  // y_new from y with that many stages.
  virtual void run(int stages) = 0;

 private:
  void find_radius();

  SpectralRadius radius_of_;
  double radius_ = 0, strictness_;
  int age_ = 0;  // steps since radius_ was found; the next attempt finds it anew if too old
  AlignedArray estimate_;
};

}  // namespace stiffit::internal
