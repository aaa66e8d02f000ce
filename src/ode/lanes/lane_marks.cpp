// SPDX-License-Identifier: Apache-2.0
#include "ode/lanes/lane_marks.h"

#define STIFFIT_STEP_FILE "ode/lanes/lane_marks_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

LaneMarks::LaneMarks(const Program& program) {
#define STIFFIT_CHOOSE_WIDTH(space, W) \
  do {                                 \
    attempt_ = space::mark_attempt<W>; \
    small_ = space::mark_small<W>;     \
    take_ = space::take_bases<W>;      \
    spent_ = space::mark_spent<W>;     \
  } while (false)
#define STIFFIT_CHOOSE(space)         \
  do {                                \
    if (program.lanes == 1)           \
      STIFFIT_CHOOSE_WIDTH(space, 1); \
    else if (program.lanes <= 4)      \
      STIFFIT_CHOOSE_WIDTH(space, 4); \
    else                              \
      STIFFIT_CHOOSE_WIDTH(space, 8); \
  } while (false)
  STIFFIT_CHOOSE(isa_portable);
#if defined(__x86_64__)
  if (program.isa == Isa::avx2) STIFFIT_CHOOSE(isa_avx2);
  if (program.isa == Isa::avx512) STIFFIT_CHOOSE(isa_avx512);
#endif
#undef STIFFIT_CHOOSE
#undef STIFFIT_CHOOSE_WIDTH
}

}  // namespace stiffit::internal
