// SPDX-License-Identifier: Apache-2.0
#include "integrate/lane_control.h"

#define STIFFIT_STEP_FILE "integrate/lane_control_step.h"
#include "integrate/foreach_isa.h"

namespace stiffit {

LaneControl::LaneControl(const Program& program) {
  const bool four = program.lanes <= 4;
  accept_ = four ? isa_portable::accept_lanes<4> : isa_portable::accept_lanes<8>;
  note_ = four ? isa_portable::note_lanes<4> : isa_portable::note_lanes<8>;
#if defined(__x86_64__)
  if (program.isa == Isa::avx2) {
    accept_ = four ? isa_avx2::accept_lanes<4> : isa_avx2::accept_lanes<8>;
    note_ = four ? isa_avx2::note_lanes<4> : isa_avx2::note_lanes<8>;
  }
  if (program.isa == Isa::avx512) {
    accept_ = four ? isa_avx512::accept_lanes<4> : isa_avx512::accept_lanes<8>;
    note_ = four ? isa_avx512::note_lanes<4> : isa_avx512::note_lanes<8>;
  }
#endif
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

}  // namespace stiffit
