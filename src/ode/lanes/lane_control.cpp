// SPDX-License-Identifier: Apache-2.0
#include "ode/lanes/lane_control.h"

#define STIFFIT_STEP_FILE "ode/lanes/lane_control_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

LaneControl::LaneControl(const Program& program) {
  const bool four = program.lanes <= 4;
#define STIFFIT_CHOOSE(space)                                         \
  do {                                                                \
    accept_ = four ? space::accept_lanes<4> : space::accept_lanes<8>; \
    note_ = four ? space::note_lanes<4> : space::note_lanes<8>;       \
    due_ = four ? space::due_lanes<4> : space::due_lanes<8>;          \
    write_ = four ? space::write_lanes<4> : space::write_lanes<8>;    \
  } while (false)
  STIFFIT_CHOOSE(isa_portable);
#if defined(__x86_64__)
  if (program.isa == Isa::avx2) STIFFIT_CHOOSE(isa_avx2);
  if (program.isa == Isa::avx512) STIFFIT_CHOOSE(isa_avx512);
#endif
#undef STIFFIT_CHOOSE
  for (int lane = 0; lane < most; ++lane) restart(lane);
}

void LaneControl::restart(int lane) {
  inverse[lane] = size[lane] = 0;
  cap[lane] = step_largest;
}

double LaneControl::after_reject(int lane, double h, double error, int order) {
  cap[lane] = 1;
  return step_after_rejection(h, error, order);
}

}  // namespace stiffit::internal
