// ESDIRK5(4)7L[2]SA2 of Kennedy and Carpenter.
// SPDX-License-Identifier: Apache-2.0
#include "ode/method_registry.h"
#include "ode/methods/implicit_rk/dirk_step.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_esdirk54(LaneGroup& group) {
  return std::make_unique<DirkStepper>(group, esdirk54_tableau);
}

}  // namespace stiffit::internal
