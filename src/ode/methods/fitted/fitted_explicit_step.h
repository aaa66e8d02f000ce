// What explicit exponentially fitted methods share: eigenvalues, the error from both ends. Order
// two. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/methods/fitted/fitting.h"

namespace stiffit::internal {

class FittedExplicitStepper : public OneLaneStepper {
 public:
  FittedExplicitStepper(LaneGroup& group, std::size_t most_eigenvalues, bool always_jacobian);
  void start(LaneMask lanes) override;
  void attempt(LaneMask lanes) override;
  void interpolate(int, double theta, double* out) override { hermite(theta, out); }
  void accept(LaneMask lanes) override;
  int control_order() const override { return 3; }

 protected:
  // y_new from y, fitted to these h * eigenvalue (the most negative first).
  virtual void run(const FittedPoints& z) = 0;

 private:
  FittedEigenvalues eigenvalues_;
  std::size_t most_;
  bool always_jacobian_, jacobian_known_ = false;
  double strictness_;
  AlignedArray estimate_;
};

}  // namespace stiffit::internal
