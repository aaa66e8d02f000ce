// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/driver/growing_states.h"
#include "ode/stepper.h"

namespace stiffit::internal {

LaneGroup::LaneGroup(const Problem& p, const IntegrationOptions& o)
    : problem(p), options(o), n(p.program->states), lanes(p.program->lanes) {
  std::size_t size = n * lanes;
  t = AlignedArray(lanes);
  h = AlignedArray(lanes);
  end = AlignedArray(lanes);
  bound = AlignedArray(lanes);
  error = AlignedArray(lanes);
  y = AlignedArray(size);
  y_new = AlignedArray(size);
  largest = AlignedArray(size);
  share = AlignedArray(size);
  share.fill(1);
  if (o.fixed_step <= 0 && p.growing) {
    const std::vector<double>& shares = p.growing->shares();
    for (std::size_t k = 0; k < size; ++k) share[k] = shares[k / static_cast<std::size_t>(lanes)];
  }
  parameters = AlignedArray(p.program->parameter_slots * lanes);
}

namespace {

typedef double Pair __attribute__((vector_size(16), may_alias));
typedef long PairBits __attribute__((vector_size(16), may_alias));
Pair magnitude(Pair x) {
  return reinterpret_cast<Pair>(reinterpret_cast<PairBits>(x) & 0x7fffffffffffffffL);
}

// largest = max(largest, share*|y|), or share*|y| if fresh.
void note_one_lane(std::size_t n, bool fresh, const double* y, const double* share,
                   double* largest) {
  for (std::size_t i = 0; i < n; i += 2) {  // arrays are padded with zeros
    Pair& most = *reinterpret_cast<Pair*>(largest + i);
    const Pair size = *reinterpret_cast<const Pair*>(share + i) *
                      magnitude(*reinterpret_cast<const Pair*>(y + i));
    most = fresh ? size : (size > most ? size : most);
  }
}

}  // namespace

void LaneGroup::note_magnitudes(LaneMask mask, bool fresh) {
  if (!scaled_tolerance()) return;
  for (int l = 0; l < lanes; ++l) {
    if (!(mask >> l & 1)) continue;
    if (lanes == 1) {
      note_one_lane(static_cast<std::size_t>(n), fresh, y.data(), share.data(), largest.data());
    } else {
      for (int i = 0; i < n; ++i) {
        std::size_t at = i * lanes + l;
        double size = share[at] * std::fabs(y[at]);
        if (fresh || size > largest[at]) largest[at] = size;
      }
    }
  }
}

void Stepper::interpolate_lanes(LaneMask lanes, const double* theta, double* out) {
  std::vector<double> row(static_cast<std::size_t>(group_.n));
  const std::size_t width = group_.lanes;
  for (std::size_t l = 0; l < width; ++l) {
    if (!(lanes >> l & 1)) continue;
    interpolate(static_cast<int>(l), theta[l], row.data());
    for (std::size_t i = 0; i < row.size(); ++i) out[i * width + l] = row[i];
  }
}

}  // namespace stiffit::internal
