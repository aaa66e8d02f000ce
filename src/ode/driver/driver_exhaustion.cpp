// How a lane goes on where a law of fractional order has used something up.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "ode/driver/driver.h"

namespace stiffit::internal {

// Of a step that passed its error test; a lane that must not go on is finished here.
Exhaustion::Verdict Driver::judge_exhaustion(int l) {
  const bool may_retry = options_.fixed_step <= 0 && stepper_->retries();
  const Exhaustion::Verdict verdict = exhaustion_->judge(l, *stepper_, may_retry);
  if (verdict == Exhaustion::Verdict::leaves) {
    const int base = exhaustion_->base();
    finish(l, Status::not_finite, problem_.program->vanishing[base].state);
    lanes_[l].result->outcome.detail = exhaustion_->trouble();
  }
  return verdict;
}

// The step is taken up to the moment of exhaustion. False if the trajectory has ended.
bool Driver::land(int l) {
  const std::size_t at = l, width = group_.lanes;
  Lane& lane = lanes_[at];
  const double t = group_.t[at], h = group_.h[at], arrival = t + exhaustion_->share() * h;
  if (lane.history)
    lane.history->record(t, h, arrival,
                         [&](double theta, double* out) { stepper_->interpolate(l, theta, out); });
  write_outputs(l, t, h, std::nextafter(arrival, -INFINITY));
  if (overflowed(l)) return false;
  if (observer_) observer_->landed(exhaustion_->share());
  const std::vector<double>& state = exhaustion_->landed();
  for (std::size_t i = 0; i < state.size(); ++i) group_.y[i * width + at] = state[i];
  group_.t[at] = arrival;
  lane.off_grid = true;
  exhaustion_->note(l, arrival, lane.result->used_up);
  if (lane.events) take_from_lane(l);
  if (lane.next_output < lane.request->times.size()) return true;
  finish(l, Status::done);
  return false;
}

void Driver::set_spent_to_zero(LaneMask lanes, LaneMask& restarting) {
  if (!lanes) return;
  const double* slope = stepper_->slope();
  lanes &= exhaustion_->may_be_spent(slope, marks_);
  for (; lanes; lanes &= lanes - 1) {
    const int l = std::countr_zero(lanes);
    Lane& lane = lanes_[l];
    if (!exhaustion_->spent(l, slope, lane.result->used_up)) continue;
    restarting |= 1u << l;
    lane.off_grid = true;
  }
}

}  // namespace stiffit::internal
