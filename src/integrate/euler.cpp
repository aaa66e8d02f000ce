// The instantiations of Euler's method.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "integrate/explicit_rk_tableaus.h"
#include "integrate/lane_dispatch.h"
#include "integrate/method_registry.h"
#include "integrate/whole_step.h"

#define STIFFIT_TABLEAU EulerTableau
#define STIFFIT_STEPPER EulerStepper
#define STIFFIT_STEP_FILE "integrate/explicit_rk_step.h"
#include "integrate/foreach_isa.h"

namespace stiffit {

std::unique_ptr<Stepper> make_euler(LaneGroup& group) { STIFFIT_DISPATCH(EulerStepper, group); }

}  // namespace stiffit
