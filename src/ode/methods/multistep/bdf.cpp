// The instantiations of the BDF.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "linear/scalar_lanes.h"
#include "linear/small_solve.h"
#include "ode/driver/homotopy.h"
#include "ode/lanes/lane_dispatch.h"
#include "ode/method_registry.h"
#include "ode/methods/multistep/bdf_lane.h"
#include "ode/methods/multistep/multistep_start.h"

#define STIFFIT_STEP_FILE "ode/methods/multistep/bdf_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

namespace {
std::unique_ptr<Stepper> make_own(LaneGroup& group) { STIFFIT_DISPATCH(BdfStepper, group); }
}  // namespace

// Rodas5P has order five: its first five steps leave an error of order six.
std::unique_ptr<Stepper> make_bdf(LaneGroup& group) {
  return with_started_memory(group, make_own(group), make_rodas5p);
}

}  // namespace stiffit::internal
