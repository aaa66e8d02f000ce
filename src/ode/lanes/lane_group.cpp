// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/stepper.h"

namespace stiffit::internal {

LaneGroup::LaneGroup(const Problem& p, const IntegrationOptions& o)
    : problem(p), options(o), n(p.program->states), lanes(p.program->lanes) {
  auto size = static_cast<std::size_t>(n * lanes);
  t = AlignedArray(static_cast<std::size_t>(lanes));
  h = AlignedArray(static_cast<std::size_t>(lanes));
  end = AlignedArray(static_cast<std::size_t>(lanes));
  bound = AlignedArray(static_cast<std::size_t>(lanes));
  noise = AlignedArray(static_cast<std::size_t>(lanes));
  error = AlignedArray(static_cast<std::size_t>(lanes));
  y = AlignedArray(size);
  y_new = AlignedArray(size);
  largest = AlignedArray(size);
  parameters = AlignedArray(static_cast<std::size_t>(p.program->parameter_slots * lanes));
}

double LaneGroup::weight(int state, int lane) const {
  auto at = static_cast<std::size_t>(state * lanes + lane);
  return options.rtol * (std::fabs(y[at]) + relative_floor() * largest[at]) + absolute(lane);
}

namespace {

typedef double Pair __attribute__((vector_size(16), may_alias));
typedef long PairBits __attribute__((vector_size(16), may_alias));
Pair magnitude(Pair x) {
  return reinterpret_cast<Pair>(reinterpret_cast<PairBits>(x) & 0x7fffffffffffffffL);
}

// largest = max(largest, |y|), or |y| if fresh; the largest of all. Two sums of two: a single chain
// of maxima would be most of the time.
double note_one_lane(std::size_t n, bool fresh, const double* y, double* largest) {
  Pair top[2] = {};
  for (std::size_t i = 0; i < n; i += 4)  // arrays are padded with zeros
    for (std::size_t half = 0; half < 2; ++half) {
      Pair& most = *reinterpret_cast<Pair*>(largest + i + 2 * half);
      const Pair size = magnitude(*reinterpret_cast<const Pair*>(y + i + 2 * half));
      most = fresh ? size : (size > most ? size : most);
      top[half] = most > top[half] ? most : top[half];
    }
  const Pair both = top[0] > top[1] ? top[0] : top[1];
  return std::max(both[0], both[1]);
}

}  // namespace

void LaneGroup::note_magnitudes(LaneMask mask, bool fresh) {
  if (!scaled_tolerance()) return;
  for (int l = 0; l < lanes; ++l) {
    if (!(mask >> l & 1)) continue;
    double top = 0;
    if (lanes == 1) {
      top = note_one_lane(static_cast<std::size_t>(n), fresh, y.data(), largest.data());
    } else {
      for (int i = 0; i < n; ++i) {
        auto at = static_cast<std::size_t>(i * lanes + l);
        double size = std::fabs(y[at]);
        if (fresh || size > largest[at]) largest[at] = size;
        top = std::max(top, largest[at]);
      }
    }
    // Rounding in the largest state reaches the others through differences; below this share of it
    // an error estimate may be noise. Never zero: a system that starts at zero has its first step
    // to find its size.
    noise[static_cast<std::size_t>(l)] = std::max(options.rounding_share * top, 1e-300);
  }
}

void Stepper::interpolate_lanes(LaneMask lanes, const double* theta, double* out) {
  std::vector<double> row(static_cast<std::size_t>(group_.n));
  const auto width = static_cast<std::size_t>(group_.lanes);
  for (std::size_t l = 0; l < width; ++l) {
    if (!(lanes >> l & 1)) continue;
    interpolate(static_cast<int>(l), theta[l], row.data());
    for (std::size_t i = 0; i < row.size(); ++i) out[i * width + l] = row[i];
  }
}

}  // namespace stiffit::internal
