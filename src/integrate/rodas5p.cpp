// The instantiations of Rodas5P.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/thresholds.h"
#include "integrate/lane_dispatch.h"
#include "integrate/method_registry.h"
#include "integrate/rodas5p_tableau.h"
#include "integrate/whole_step.h"
#include "linear/fixed_pivots.h"

#define STIFFIT_STEP_FILE "integrate/rodas5p_step.h"
#include "integrate/foreach_isa.h"

namespace stiffit {

std::unique_ptr<Stepper> make_rodas5p(LaneGroup& group) { STIFFIT_DISPATCH(Rodas5pStepper, group); }

}  // namespace stiffit
