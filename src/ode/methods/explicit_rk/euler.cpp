// The instantiations of Euler's method.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "ode/lanes/fused_step.h"
#include "ode/lanes/lane_dispatch.h"
#include "ode/method_registry.h"
#include "ode/methods/explicit_rk/explicit_rk_tableaus.h"

#define STIFFIT_TABLEAU EulerTableau
#define STIFFIT_STEPPER EulerStepper
#define STIFFIT_STEP_FILE "ode/methods/explicit_rk/explicit_rk_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_euler(LaneGroup& group) { STIFFIT_DISPATCH(EulerStepper, group); }

}  // namespace stiffit::internal
