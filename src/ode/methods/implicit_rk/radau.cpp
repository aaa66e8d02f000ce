// SPDX-License-Identifier: Apache-2.0
#include "ode/method_registry.h"
#include "ode/methods/implicit_rk/radau_step.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_radau(LaneGroup& group) {
  return std::make_unique<RadauStepper>(group);
}

}  // namespace stiffit::internal
