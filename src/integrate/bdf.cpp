// The instantiations of the BDF.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "integrate/bdf_lane.h"
#include "integrate/lane_dispatch.h"
#include "integrate/method_registry.h"
#include "linear/scalar_lanes.h"

#define STIFFIT_STEP_FILE "integrate/bdf_step.h"
#include "integrate/foreach_isa.h"

namespace stiffit {

std::unique_ptr<Stepper> make_bdf(LaneGroup& group) { STIFFIT_DISPATCH(BdfStepper, group); }

}  // namespace stiffit
