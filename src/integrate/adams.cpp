// SPDX-License-Identifier: Apache-2.0
#include "integrate/adams_step.h"
#include "integrate/extrapolated_midpoint.h"
#include "integrate/method_registry.h"

namespace stiffit {
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

}  // namespace stiffit
