// The instantiations of Rodas5P.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/thresholds.h"
#include "linear/fixed_pivots.h"
#include "ode/lanes/fused_step.h"
#include "ode/lanes/lane_dispatch.h"
#include "ode/method_registry.h"
#include "ode/methods/rosenbrock/rodas5p_tableau.h"

#define STIFFIT_STEP_FILE "ode/methods/rosenbrock/rodas5p_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_rodas5p(LaneGroup& group) { STIFFIT_DISPATCH(Rodas5pStepper, group); }

}  // namespace stiffit::internal
