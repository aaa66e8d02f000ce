// How one-step methods in lanes begin and go on. Included once per instruction set, by the step
// files; no include guard. SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

// `slope_new` is f at the current state of all lanes: these lanes begin with it.
template <int W>
inline void begin_lanes(LaneGroup& group, LaneMask lanes, AlignedArray& slope,
                        const AlignedArray& slope_new) {
  const unsigned good = finite_lanes<W>(group.n, slope_new.data());
  copy_lanes<W>(group.n, lanes, slope.data(), slope_new.data());
  for (int l = 0; l < W; ++l)
    if (lanes >> l & 1) {
      group.error[l] = good >> l & 1 ? 0 : NAN;
      ++group.counters[l].f;
    }
}

// These lanes go on from y_new, with the slope there.
template <int W>
inline void accept_lanes(LaneGroup& group, LaneMask lanes, AlignedArray& slope,
                         AlignedArray& slope_new) {
  if (lanes == (1u << W) - 1) {
    group.y.swap(group.y_new);
    slope.swap(slope_new);
  } else {
    copy_lanes<W>(group.n, lanes, group.y.data(), group.y_new.data());
    copy_lanes<W>(group.n, lanes, slope.data(), slope_new.data());
  }
}

// The tolerances as whole steps take them: relative, floor and absolute, [3][lane].
template <int W>
inline void set_tolerances(const LaneGroup& group, AlignedArray& tolerance) {
  for (int l = 0; l < W; ++l) {
    tolerance[l] = group.options.rtol;
    tolerance[W + l] = group.relative_floor();
    tolerance[2 * W + l] = group.absolute(l);
  }
}

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
