// The next steps of all lanes. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::STIFFIT_ISA_NAMESPACE {
typedef unsigned long Bits __attribute__((vector_size(STIFFIT_VECTOR_BYTES), may_alias));
}
#include "integrate/step_formula.h"

namespace stiffit::STIFFIT_ISA_NAMESPACE {

template <int W>
void accept_lanes(LaneControl& control, LaneMask lanes, double* h, const double* error, int order) {
  constexpr int vectors = W > width ? W / width : 1;  // arrays are padded to eight lanes
  for (long c = 0; c < vectors; ++c) {
    StepMemory memory{at(control.inverse, c), at(control.size, c), at(control.cap, c)};
    const Vector next = step_after(at(h, c), at(error, c), 1.0 / order, memory);
    const Mask chosen = chosen_lanes(lanes >> (c * width));
    at(h, c) = chosen ? next : at(h, c);
    at(control.inverse, c) = chosen ? memory.inverse : at(control.inverse, c);
    at(control.size, c) = chosen ? memory.size : at(control.size, c);
    at(control.cap, c) = chosen ? memory.cap : at(control.cap, c);
  }
}

}  // namespace stiffit::STIFFIT_ISA_NAMESPACE
