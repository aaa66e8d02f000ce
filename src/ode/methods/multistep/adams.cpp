// SPDX-License-Identifier: Apache-2.0
#include "ode/method_registry.h"
#include "ode/methods/explicit_rk/extrapolated_midpoint.h"
#include "ode/methods/multistep/adams_step.h"

namespace stiffit::internal {
namespace {

std::unique_ptr<Stepper> make_starter(LaneGroup& group) {
  return std::make_unique<ExtrapolatedMidpointStepper>(group,
                                                       AdamsStepper::largest_order(group.options));
}

std::unique_ptr<Stepper> make(LaneGroup& group, AdamsStepper::Kind kind) {
  return with_started_memory(group, std::make_unique<AdamsStepper>(group, kind), make_starter);
}

}  // namespace

std::unique_ptr<Stepper> make_adams(LaneGroup& group) {
  return make(group, AdamsStepper::Kind::corrected);
}
std::unique_ptr<Stepper> make_adams_bashforth(LaneGroup& group) {
  return make(group, AdamsStepper::Kind::explicit_only);
}

}  // namespace stiffit::internal
