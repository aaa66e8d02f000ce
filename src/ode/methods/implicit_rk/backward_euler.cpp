// Backward Euler: y1 = y0 + h f1.
// SPDX-License-Identifier: Apache-2.0
#include "ode/method_registry.h"
#include "ode/methods/implicit_rk/theta_step.h"

namespace stiffit::internal {
namespace {

class BackwardEulerStepper final : public ThetaStepper {
 public:
  explicit BackwardEulerStepper(LaneGroup& group) : ThetaStepper(group, 1) {}

 private:
  double weight_of_old(double) override { return 0; }
};

}  // namespace

std::unique_ptr<Stepper> make_backward_euler(LaneGroup& group) {
  return std::make_unique<BackwardEulerStepper>(group);
}

}  // namespace stiffit::internal
