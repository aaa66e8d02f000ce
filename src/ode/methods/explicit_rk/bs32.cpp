// The instantiations of the Bogacki-Shampine pair.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "ode/lanes/fused_step.h"
#include "ode/lanes/lane_dispatch.h"
#include "ode/method_registry.h"
#include "ode/methods/explicit_rk/explicit_rk_tableaus.h"

#define STIFFIT_TABLEAU Bs32Tableau
#define STIFFIT_STEPPER Bs32Stepper
#define STIFFIT_STEP_FILE "ode/methods/explicit_rk/explicit_rk_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_bs32(LaneGroup& group) { STIFFIT_DISPATCH(Bs32Stepper, group); }

}  // namespace stiffit::internal
