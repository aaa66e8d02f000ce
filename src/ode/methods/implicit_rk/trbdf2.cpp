// TR-BDF2: the trapezoidal rule to an inner point, the BDF of second order to the end.
// SPDX-License-Identifier: Apache-2.0
#include "ode/method_registry.h"
#include "ode/methods/implicit_rk/dirk_step.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_trbdf2(LaneGroup& group) {
  return std::make_unique<DirkStepper>(group, trbdf2_tableau);
}

}  // namespace stiffit::internal
