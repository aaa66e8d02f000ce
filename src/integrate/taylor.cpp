// The instantiations of the Taylor series method.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "integrate/lane_dispatch.h"
#include "integrate/method_registry.h"
#include "integrate/step_control.h"
#include "integrate/taylor_bound.h"
#include "integrate/taylor_jet.h"
#include "integrate/taylor_order.h"

#define STIFFIT_STEP_FILE "integrate/taylor_step.h"
#include "integrate/foreach_isa.h"

namespace stiffit {

std::unique_ptr<Stepper> make_taylor(LaneGroup& group) { STIFFIT_DISPATCH(TaylorStepper, group); }

}  // namespace stiffit
