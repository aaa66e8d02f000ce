// The instantiations of DOP853.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "ode/lanes/lane_dispatch.h"
#include "ode/method_registry.h"
#include "ode/methods/explicit_rk/dop853_tableau.h"

#define STIFFIT_STEP_FILE "ode/methods/explicit_rk/dop853_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_dop853(LaneGroup& group) { STIFFIT_DISPATCH(Dop853Stepper, group); }

}  // namespace stiffit::internal
