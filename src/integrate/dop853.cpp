// The instantiations of DOP853.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "integrate/dop853_tableau.h"
#include "integrate/lane_dispatch.h"
#include "integrate/method_registry.h"

#define STIFFIT_STEP_FILE "integrate/dop853_step.h"
#include "integrate/foreach_isa.h"

namespace stiffit {

std::unique_ptr<Stepper> make_dop853(LaneGroup& group) { STIFFIT_DISPATCH(Dop853Stepper, group); }

}  // namespace stiffit
