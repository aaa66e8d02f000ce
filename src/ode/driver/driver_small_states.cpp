// What steps make of states that are not negative by nature, and of those that may grow again.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/driver/driver.h"

namespace stiffit::internal {
namespace {

constexpr double far_below = 100;  // times the absolute tolerance is worth a word

}  // namespace

// A species that a step takes from positive to clearly negative has left the region where its rate
// laws mean anything (x/(K + x) has another branch there), and the error estimate with it.
bool Driver::leaps_below_zero(int lane) const {
  const std::size_t width = group_.lanes, l = lane;
  constexpr double clearly = 10;  // times what the tolerance allows
  for (int i : not_negative_) {
    const std::size_t at = static_cast<std::size_t>(i) * width + l;
    if (group_.y_new[at] < 0 && group_.y[at] >= 0 &&
        group_.y_new[at] < -clearly * group_.weight(i, lane))
      return true;
  }
  return false;
}

// Errors are measured by a state's value at either end of the step, whichever is larger: what has
// fallen to a thousandth is known a thousand times less well. By how much the tolerance fell.
double Driver::steepest_fall(int lane) const {
  const std::size_t width = group_.lanes, l = lane;
  double most = 1;
  for (int i : growing_) {
    const std::size_t at = static_cast<std::size_t>(i) * width + l;
    const double before = std::fabs(group_.y[at]), after = std::fabs(group_.y_new[at]);
    if (!(before > 2 * after)) continue;
    const double floor =
        group_.relative_floor() * group_.largest[at] + group_.absolute(lane) / group_.options.rtol;
    most = std::max(most, (before + floor) / (after + floor));
  }
  return most;
}

// How far down states have come that are not negative by nature; those that begin there are the
// model's own.
void Driver::note_below_zero(LaneMask accepted) {
  const std::size_t width = group_.lanes;
  for (std::size_t l = 0; l < width; ++l) {
    if (!(accepted >> l & 1)) continue;
    for (std::size_t k = 0; k < not_negative_.size(); ++k) {
      const double value = group_.y_new[static_cast<std::size_t>(not_negative_[k]) * width + l];
      if (!(value < 0)) continue;
      std::vector<LowPoint>& lowest = lanes_[l].lowest;
      lowest.resize(not_negative_.size());
      if (value < lowest[k].value) lowest[k] = {value, group_.t[l] + group_.h[l]};
    }
  }
}

// The one furthest below zero of those beyond the tolerance, in units of its largest value.
BelowZero Driver::below_zero(int l) const {
  BelowZero result;
  const Lane& lane = lanes_[l];
  double most = 0;
  for (std::size_t k = 0; k < lane.lowest.size(); ++k) {
    const std::size_t at = not_negative_[k] * group_.lanes + l;
    const LowPoint& low = lane.lowest[k];
    const double largest =
        group_.scaled_tolerance() ? group_.largest[at] / group_.share[at] : std::fabs(group_.y[at]);
    const double allowed =
        group_.scaled_tolerance() ? options_.rtol * options_.scaled_atol * largest : options_.atol;
    if (!(low.value < -far_below * allowed)) continue;
    if (result.state >= 0) ++result.others;
    const double share = -low.value / std::max(largest, -low.value);
    if (share <= most && result.state >= 0) continue;
    most = share;
    result.state = not_negative_[k];
    result.value = low.value;
    result.time = low.time;
  }
  return result;
}

}  // namespace stiffit::internal
