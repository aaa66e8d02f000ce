// The instantiations of the modified Euler method.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "integrate/explicit_rk_tableaus.h"
#include "integrate/lane_dispatch.h"
#include "integrate/method_registry.h"
#include "integrate/whole_step.h"

#define STIFFIT_TABLEAU ModifiedEulerTableau
#define STIFFIT_STEPPER ModifiedEulerStepper
#define STIFFIT_STEP_FILE "integrate/explicit_rk_step.h"
#include "integrate/foreach_isa.h"

namespace stiffit {

std::unique_ptr<Stepper> make_modified_euler(LaneGroup& group) {
  STIFFIT_DISPATCH(ModifiedEulerStepper, group);
}

}  // namespace stiffit
