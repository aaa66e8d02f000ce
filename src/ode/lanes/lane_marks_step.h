// Lanes that want a look of their own. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

template <int W>
LaneMarks::Attempt mark_attempt(const LaneGroup& group) {
  constexpr int parts = PerLane<W>::count;
  Mask below[parts] = {}, fallen[parts] = {};
  const long count = chunks<W>(group.n);
  for (long c = 0; c < count; ++c) {
    const int p = parts == 1 ? 0 : static_cast<int>(c % parts);
    const Vector before = at(group.y.data(), c), after = at(group.y_new.data(), c);
    below[p] |= reinterpret_cast<Mask>(after);
    fallen[p] |= (at(group.share.data(), c) < 1) & (magnitude(before) > 2 * magnitude(after));
  }
  LaneMarks::Attempt marks;
  for (int p = 0; p < parts; ++p) {
    marks.below |= lanes_of<W>(below[p]) << (p * width);
    marks.fallen |= lanes_of<W>(fallen[p]) << (p * width);
    marks.passed |= lanes_of<W, true>(at(group.error.data(), p) <= 1) << (p * width);
  }
  return marks;
}

template <int W>
LaneMask mark_small(std::size_t bases, const double* next, const double* largest) {
  constexpr int parts = PerLane<W>::count;
  Mask marked[parts] = {};
  const long count = chunks<W>(static_cast<int>(bases));
  for (long c = 0; c < count; ++c)
    marked[parts == 1 ? 0 : c % parts] |= ~(at(next, c) >= LaneMarks::small * at(largest, c));
  LaneMask lanes = 0;
  for (int p = 0; p < parts; ++p) lanes |= lanes_of<W>(marked[p]) << (p * width);
  return lanes;
}

template <int W>
void take_bases(LaneMask lanes, std::size_t bases, const double* next, double* now,
                double* largest) {
  constexpr int parts = PerLane<W>::count;
  Mask chosen[parts];
  for (int p = 0; p < parts; ++p)
    chosen[p] = W > width ? chosen_lanes(lanes >> (p * width)) : chosen_lanes<W>(lanes);
  const long count = chunks<W>(static_cast<int>(bases));
  for (long c = 0; c < count; ++c) {
    const Mask here = chosen[parts == 1 ? 0 : c % parts];
    const Vector value = at(next, c);
    at(now, c) = here ? value : at(now, c);
    at(largest, c) = here ? larger(magnitude(value), at(largest, c)) : at(largest, c);
  }
}

// Of numbers or of vectors of them.
template <class Number>
inline Number spent_or_not(Number y, Number slope, Number size, Number own, Number shared,
                           Number time, Number h) {
  const Number allowed = shared > own ? shared : own;
  const Number rounding = LaneMarks::rounding_of_time * (time > h ? time : h);
  const Number step = size < LaneMarks::trace * allowed ? h : Number{};
  const Number instant = step > rounding ? step : rounding;
  const Number left = slope < 0 ? y + slope * instant : size;  // after that instant
  return y > 0 ? -left : Number{} - 1;
}

template <int W>
LaneMask mark_spent(const LaneGroup& group, const double* largest, const double* slope) {
  const IntegrationOptions& o = group.options;
  const Program& program = *group.problem.program;
  const double floor = group.relative_floor(), absolute = group.absolute(0);
  LaneMask lanes = 0;
  for (std::size_t k = 0; k < program.vanishing.size(); ++k) {
    if (program.vanishing[k].state < 0) continue;
    const long first = static_cast<long>(program.vanishing[k].state) * W,
               base = static_cast<long>(k) * W;
    if constexpr (W >= width) {
      for (int p = 0; p < W / width; ++p) {
        const Vector y = at(group.y.data() + first, p), size = magnitude(y);
        const Vector left =
            spent_or_not(y, at(slope + first, p), size,
                         o.rtol * (size + floor * at(group.largest.data() + first, p)) + absolute,
                         o.rtol * o.scaled_atol * at(largest + base, p),
                         magnitude(at(group.t.data(), p)), at(group.h.data(), p));
        lanes |= lanes_of<W, true>(left >= 0) << (p * width);
      }
    } else {
      for (int l = 0; l < W; ++l) {
        const double y = group.y.data()[first + l], size = __builtin_fabs(y);
        const double left =
            spent_or_not(y, slope[first + l], size,
                         o.rtol * (size + floor * group.largest.data()[first + l]) + absolute,
                         o.rtol * o.scaled_atol * largest[base + l],
                         __builtin_fabs(group.t.data()[l]), group.h.data()[l]);
        lanes |= static_cast<LaneMask>(left >= 0) << l;
      }
    }
  }
  return lanes;
}

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
