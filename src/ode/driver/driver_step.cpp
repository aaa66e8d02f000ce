// One round of the driver: every lane tries a step, each attempt is judged, and what follows is
// done: rows are written, lanes that switch begin anew, those that have ended make room for others.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/continuation.h"
#include "ode/driver/driver.h"

namespace stiffit::internal {
namespace {

constexpr int most_leaps = 16;
// By which a state that may grow again is to fall in a step, and may.
constexpr double usual_fall = 8, largest_fall = 64;
constexpr long rounds_between_polls = 64;  // of the interrupt flag and the progress callback
constexpr int states_of_polls = 1024;      // large models, whose steps take long, poll more often

}  // namespace

// What has become of the attempts of a round.
struct Driver::Round {
  LaneMask accepted = 0;
  LaneMask switched = 0;  // where an event or a switch ends the step early
  LaneMask landed = 0;    // begin anew where they are
  bool below = false;     // a state that is not negative by nature is so in some lane
  int order = 0;
};

void Driver::step(WorkQueue& queue) {
  prepare_attempts();
  stepper_->attempt(active_);
  if (may_hide_between()) look_between();
  Round round;
  round.order = stepper_->control_order();
  round.below = any_below_zero();
  if (exhaustion_) exhaustion_->look();
  for (int l = 0; l < group_.lanes; ++l)
    if (active_ >> l & 1) judge_attempt(l, round);
  take_round(round);
  end_lanes(round.accepted);
  begin_anew(round);
  poll();
  for (const Lane& lane : lanes_)
    if (!lane.request) {
      refill(queue);
      break;
    }
}

void Driver::prepare_attempts() {
  if (problem_.program->hybrid)
    for (int l = 0; l < group_.lanes; ++l)
      if (active_ >> l & 1) aim_at_stop(l);
  if (!fixed() && (problem_.program->scan || problem_.program->inputs > 0))
    for (int l = 0; l < group_.lanes; ++l)
      if (active_ >> l & 1) see_inputs(l);
}

bool Driver::passes(int l) const {
  const double error = group_.error[static_cast<std::size_t>(l)];
  return error <= 1 || (fixed() && !std::isnan(error));
}

void Driver::judge_attempt(int l, Round& round) {
  const auto at = static_cast<std::size_t>(l);
  ++lanes_[at].attempts;
  ++lanes_[at].since_mark;
  refuse_leaps(l, round.below && !fixed() && stepper_->retries());
  if (observer_ && passes(l)) ask_observer(l);
  double share = 1;
  if (exhaustion_ && passes(l)) {
    const Exhaustion::Verdict verdict = judge_exhaustion(l);
    if (verdict == Exhaustion::Verdict::leaves) return;
    if (verdict == Exhaustion::Verdict::leaps) group_.error[at] = NAN;
    if (verdict == Exhaustion::Verdict::lands) share = exhaustion_->share();
  }
  if (passes(l))
    accept_attempt(l, share, round);
  else
    reject_attempt(l, round);
}

// A step that makes something negative, or next to nothing of a state that may grow again, tells
// little about it. However short the step, though, a formula may make something negative of a state
// that begins as t^k.
void Driver::refuse_leaps(int l, bool may_leap) {
  const auto at = static_cast<std::size_t>(l);
  Lane& lane = lanes_[at];
  if (!(group_.error[at] <= 1)) return;
  if (may_leap && lane.leaps < most_leaps && leaps_below_zero(l)) {
    ++lane.leaps;
    group_.error[at] = NAN;
    return;
  }
  if (!growing_.empty() && !fixed()) {
    const double fall = steepest_fall(l);
    lane.longest = fall > 2 ? group_.h[at] * std::log(usual_fall) / std::log(fall) : INFINITY;
    if (fall > largest_fall && stepper_->retries() && lane.leaps < most_leaps) {
      ++lane.leaps;
      group_.error[at] = NAN;
      return;
    }
  }
  lane.leaps = 0;
}

// `share` < 1: of the step, where something is used up.
void Driver::accept_attempt(int l, double share, Round& round) {
  const auto at = static_cast<std::size_t>(l);
  ++group_.counters[at].steps;
  if (problem_.program->hybrid && must_switch(l, share)) {
    round.switched |= 1u << l;
    return;
  }
  if (share < 1) {
    if (land(l)) round.landed |= 1u << l;
    return;
  }
  if (!wide_) write_outputs(l, group_.t[at], group_.h[at], group_.t[at] + group_.h[at]);
  if (!overflowed(l)) round.accepted |= 1u << l;
}

void Driver::reject_attempt(int l, Round& round) {
  const auto at = static_cast<std::size_t>(l);
  const double error = group_.error[at];
  ++group_.counters[at].rejected;
  if (!stepper_->retries() && !std::isnan(error) && scales_.explain_failure(l)) {
    round.landed |= 1u << l;
    return;
  }
  scales_.rejected(l);
  double h = stepper_->next_step(l, false);
  if (h == 0)
    h = wide_ ? control_.after_reject(l, group_.h[at], error, round.order)
              : lanes_[at].control.after_reject(group_.h[at], error, round.order);
  if (fixed() || group_.t[at] + h == group_.t[at] || !(h > 0))
    give_up_step(l, error);
  else
    group_.h[at] = h;
}

void Driver::take_round(Round& round) {
  if (round.accepted && wide_) {
    write_lanes(round.accepted);
    for (int l = 0; l < group_.lanes; ++l)
      if (round.accepted >> l & 1 && overflowed(l)) round.accepted &= ~(1u << l);
  }
  if (round.below) note_below_zero(round.accepted | round.switched);
  if (round.accepted) take_steps(round.accepted);
  if (exhaustion_) {
    exhaustion_->accept(round.accepted);
    set_spent_to_zero(round.accepted & active_, round.landed);
  }
}

void Driver::end_lanes(LaneMask accepted) {
  const bool hybrid = problem_.program->hybrid != nullptr;
  for (int l = 0; l < group_.lanes; ++l) {
    const auto at = static_cast<std::size_t>(l);
    if (!(active_ >> l & 1)) continue;
    Lane& lane = lanes_[at];
    if (accepted >> l & 1) {
      if (fixed() && !hybrid && !lane.off_grid)  // t0 + k h, not a sum of roundings
        group_.t[at] = start_of(*lane.request) +
                       static_cast<double>(group_.counters[at].steps) * options_.fixed_step;
      if (lane.next_output == lane.request->times.size()) {
        finish(l, Status::done);
        continue;
      }
    }
    if (lane.attempts >= options_.max_steps || (hybrid && !gets_on(l))) finish_stuck(l);
  }
}

void Driver::begin_anew(Round& round) {
  if (round.landed &= active_) {
    group_.note_magnitudes(round.landed, false);
    restart(round.landed);
  }
  if (round.switched &= active_) {
    for (int l = 0; l < group_.lanes; ++l)
      if (round.switched >> l & 1 && !switch_lane(l)) round.switched &= ~(1u << l);
    group_.note_magnitudes(round.switched, false);
    restart(round.switched);
  }
}

void Driver::poll() {
  const long often =
      std::clamp<long>(states_of_polls / (problem_.program->states + 1), 1, rounds_between_polls);
  if (++rounds_ % often == 0 && options_.interrupt &&
      options_.interrupt->load(std::memory_order_relaxed))
    for (int l = 0; l < group_.lanes; ++l)
      if (active_ >> l & 1) finish(l, Status::interrupted);
  if (rounds_ % rounds_between_polls == 0 && options_.progress && active_)
    options_.progress(group_.t[0]);
}

}  // namespace stiffit::internal
