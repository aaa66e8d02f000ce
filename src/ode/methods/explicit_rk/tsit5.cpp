// The instantiations of the pair of Tsitouras.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "ode/lanes/fused_step.h"
#include "ode/lanes/lane_dispatch.h"
#include "ode/method_registry.h"
#include "ode/methods/explicit_rk/explicit_rk_tableaus.h"

#define STIFFIT_TABLEAU Tsit5Tableau
#define STIFFIT_STEPPER Tsit5Stepper
#define STIFFIT_STEP_FILE "ode/methods/explicit_rk/explicit_rk_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_tsit5(LaneGroup& group) { STIFFIT_DISPATCH(Tsit5Stepper, group); }

}  // namespace stiffit::internal
