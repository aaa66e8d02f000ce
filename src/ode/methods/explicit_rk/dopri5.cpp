// The instantiations of the Dormand-Prince pair.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "ode/lanes/fused_step.h"
#include "ode/lanes/lane_dispatch.h"
#include "ode/method_registry.h"
#include "ode/methods/explicit_rk/explicit_rk_tableaus.h"

#define STIFFIT_TABLEAU Dopri5Tableau
#define STIFFIT_STEPPER Dopri5Stepper
#define STIFFIT_STEP_FILE "ode/methods/explicit_rk/explicit_rk_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_dopri5(LaneGroup& group) { STIFFIT_DISPATCH(Dopri5Stepper, group); }

}  // namespace stiffit::internal
