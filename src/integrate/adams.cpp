// SPDX-License-Identifier: Apache-2.0
#include "integrate/adams_step.h"
#include "integrate/method_registry.h"

namespace stiffit {

std::unique_ptr<Stepper> make_adams(LaneGroup& group) {
  return std::make_unique<AdamsStepper>(group, AdamsStepper::Kind::corrected);
}
std::unique_ptr<Stepper> make_adams_bashforth(LaneGroup& group) {
  return std::make_unique<AdamsStepper>(group, AdamsStepper::Kind::explicit_only);
}

}  // namespace stiffit
