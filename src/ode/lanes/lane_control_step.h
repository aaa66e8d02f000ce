// The next steps of all lanes. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {
typedef unsigned long Bits __attribute__((vector_size(STIFFIT_VECTOR_BYTES), may_alias));
}
#include "ode/driver/step_formula.h"

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

// On these lanes largest = max(largest, share*|y|).
template <int W>
void note_lanes(LaneMask lanes, LaneGroup& group) {
  constexpr int parts = PerLane<W>::count;
  Mask chosen[parts];
  for (int p = 0; p < parts; ++p)
    chosen[p] = W > width ? chosen_lanes(lanes >> (p * width)) : chosen_lanes<W>(lanes);
  const long count = chunks<W>(group.n);
  for (long c = 0; c < count; ++c) {
    Vector& most = at(group.largest.data(), c);
    const Vector size = at(group.share.data(), c) * magnitude(at(group.y.data(), c));
    most = chosen[parts == 1 ? 0 : c % parts] ? larger(size, most) : most;
  }
}

template <int W>
void accept_lanes(LaneControl& control, LaneMask lanes, LaneGroup& group, int order) {
  if (group.scaled_tolerance()) note_lanes<W>(lanes, group);
  constexpr int vectors = W > width ? W / width : 1;  // arrays are padded to eight lanes
  const Vector longest = Vector{} + group.options.max_step;
  for (long c = 0; c < vectors; ++c) {
    Vector &t = at(group.t.data(), c), &h = at(group.h.data(), c);
    StepMemory memory{at(control.inverse, c), at(control.size, c), at(control.cap, c)};
    const Vector next = step_after(h, at(group.error.data(), c), 1.0 / order, memory);
    const Mask chosen = chosen_lanes(lanes >> (c * width));
    t = chosen ? t + h : t;
    h = chosen ? (next < longest ? next : longest) : h;
    at(control.inverse, c) = chosen ? memory.inverse : at(control.inverse, c);
    at(control.size, c) = chosen ? memory.size : at(control.size, c);
    at(control.cap, c) = chosen ? memory.cap : at(control.cap, c);
  }
}

// The lanes whose next row lies in their step, and where in it.
template <int W>
LaneMask due_lanes(LaneMask lanes, const LaneGroup& group, const double* next, double* theta) {
  constexpr int vectors = W > width ? W / width : 1;
  LaneMask due = 0;
  for (long c = 0; c < vectors; ++c) {
    const Vector t = at(group.t.data(), c), h = at(group.h.data(), c), row = at(next, c);
    const Mask here = (row <= t + h) & chosen_lanes(lanes >> (c * width));
    at(theta, c) = here ? (row - t) / h : Vector{};
    due |= lanes_of<W, true>(here) << (c * width);
  }
  return due;
}

// Four numbers of each of four lanes, from four states side by side, in memory that may start
// anywhere.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

inline void transpose(const double* from, long stride, double* const* to, long at) {
  const Four a = *reinterpret_cast<const Four*>(from),
             b = *reinterpret_cast<const Four*>(from + stride),
             c = *reinterpret_cast<const Four*>(from + 2 * stride),
             d = *reinterpret_cast<const Four*>(from + 3 * stride);
  const Four even_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7),
             even_cd = __builtin_shufflevector(c, d, 0, 4, 2, 6),
             odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  *reinterpret_cast<Four*>(to[0] + at) = __builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5);
  *reinterpret_cast<Four*>(to[1] + at) = __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5);
  *reinterpret_cast<Four*>(to[2] + at) = __builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7);
  *reinterpret_cast<Four*>(to[3] + at) = __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7);
}

// States [state][lane] to a row of each lane.
template <int W>
LaneMask write_lanes(int n, const double* states, double* const* rows) {
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int l = 0; l < W; l += 4) transpose(states + i * W + l, W, rows + l, i);
  for (; i < n; ++i)
    for (int l = 0; l < W; ++l) rows[l][i] = states[i * W + l];
  return finite_lanes<W>(n, states);
}

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
