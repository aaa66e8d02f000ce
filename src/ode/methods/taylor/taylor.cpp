// The instantiations of the Taylor series method.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ode/driver/step_control.h"
#include "ode/lanes/lane_dispatch.h"
#include "ode/method_registry.h"
#include "ode/methods/taylor/taylor_bound.h"
#include "ode/methods/taylor/taylor_jet.h"
#include "ode/methods/taylor/taylor_order.h"

#define STIFFIT_STEP_FILE "ode/methods/taylor/taylor_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_taylor(LaneGroup& group) { STIFFIT_DISPATCH(TaylorStepper, group); }

}  // namespace stiffit::internal
