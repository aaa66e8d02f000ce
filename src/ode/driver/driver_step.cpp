// One round of the driver: every lane tries a step, each attempt is judged, and what follows is
// done: rows are written, lanes that switch begin anew, those that have ended make room for others.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ode/continuation.h"
#include "ode/driver/driver.h"

namespace stiffit::internal {
namespace {

constexpr int most_leaps = 16;
// By which a state that may grow again is to fall in a step, and may.
constexpr double usual_fall = 8, largest_fall = 64;
constexpr int rounds_between_polls = 64;  // of the interrupt flag and the progress callback
constexpr int states_of_polls = 1024;     // large models, whose steps take long, poll more often

}  // namespace

// What has become of the attempts of a round.
struct Driver::Round {
  LaneMarks::Attempt marks;
  LaneMask accepted = 0;
  LaneMask switched = 0;  // where an event or a switch ends the step early
  LaneMask landed = 0;    // begin anew where they are
  LaneMask ended = 0;     // of `wide_` lanes: have written their last row
  int order = 0;
};

void Driver::step(WorkQueue& queue) {
  prepare_attempts();
  stepper_->attempt(active_);
  if (may_hide_between()) look_between();
  Round round;
  round.order = stepper_->control_order();
  round.marks = marks_.after_attempt(group_);
  if (not_negative_.empty()) round.marks.below = 0;
  if (exhaustion_) exhaustion_->look(marks_);
  const LaneMask plain = accept_plain(round);
  for (LaneMask left = active_ & ~plain; left; left &= left - 1)
    judge_attempt(std::countr_zero(left), round);
  take_round(round);
  end_lanes(round);
  begin_anew(round);
  poll();
  if (active_ != all_lanes()) refill(queue);
}

// Lanes side by side whose step is nothing but accepted; they need no judgement of their own.
LaneMask Driver::accept_plain(Round& round) {
  if (!wide_ || fixed()) return 0;
  LaneMask plain = active_ & round.marks.passed & ~(round.marks.below | round.marks.fallen);
  if (exhaustion_) plain &= ~exhaustion_->concerned();
  round.accepted |= plain;
  for (int l = 0; l < group_.lanes; ++l) group_.counters[l].steps += plain >> l & 1;
  for (LaneMask left = plain & leaping_; left; left &= left - 1) {
    Lane& lane = lanes_[std::countr_zero(left)];
    lane.leaps = 0;
    lane.longest = INFINITY;
  }
  leaping_ &= ~plain;
  return plain;
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
  const double error = group_.error[l];
  return error <= 1 || (fixed() && !std::isnan(error));
}

void Driver::judge_attempt(int l, Round& round) {
  const std::size_t at = l;
  ++lanes_[at].since_mark;
  refuse_leaps(l, round);
  if (observer_ && passes(l)) ask_observer(l);
  double share = 1;
  if (exhaustion_ && exhaustion_->concerned() >> l & 1 && passes(l)) {
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
void Driver::refuse_leaps(int l, const Round& round) {
  const std::size_t at = l;
  Lane& lane = lanes_[at];
  if (!(group_.error[at] <= 1)) return;
  const bool may_leap = !fixed() && stepper_->retries() && lane.leaps < most_leaps;
  leaping_ |= 1u << l;
  if (may_leap && round.marks.below >> l & 1 && leaps_below_zero(l)) {
    ++lane.leaps;
    group_.error[at] = NAN;
    return;
  }
  const double fall = round.marks.fallen >> l & 1 && !fixed() ? steepest_fall(l) : 1;
  lane.longest = fall > 2 ? group_.h[at] * std::log(usual_fall) / std::log(fall) : INFINITY;
  if (may_leap && fall > largest_fall) {
    ++lane.leaps;
    group_.error[at] = NAN;
    return;
  }
  lane.leaps = 0;
}

// `share` < 1: of the step, where something is used up.
void Driver::accept_attempt(int l, double share, Round& round) {
  const std::size_t at = l;
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
  const std::size_t at = l;
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
    const WrittenLanes written = write_lanes(round.accepted);
    round.ended = written.ended;
    round.accepted &= ~written.overflowed;
    for (LaneMask left = written.overflowed; left; left &= left - 1)
      overflowed(std::countr_zero(left));
  }
  if (round.marks.below) note_below_zero(round.marks.below & (round.accepted | round.switched));
  if (round.accepted) take_steps(round.accepted);
  if (exhaustion_) {
    exhaustion_->accept(round.accepted, marks_);
    set_spent_to_zero(round.accepted & active_, round.landed);
  }
}

void Driver::end_lanes(const Round& round) {
  const bool hybrid = problem_.program->hybrid != nullptr;
  const bool none_is_stuck = wide_ && !fixed() && rounds_ + 1 < first_stuck_;
  for (LaneMask left = none_is_stuck ? round.ended & active_ : active_; left; left &= left - 1) {
    const int l = std::countr_zero(left);
    const std::size_t at = l;
    Lane& lane = lanes_[at];
    if (round.accepted >> l & 1) {
      if (fixed() && !hybrid && !lane.off_grid)  // t0 + k h, not a sum of roundings
        group_.t[at] = start_of(*lane.request) +
                       static_cast<double>(group_.counters[at].steps) * options_.fixed_step;
      if (lane.next_output == lane.request->times.size()) {
        finish(l, Status::done);
        continue;
      }
    }
    const long attempts = rounds_ + 1 - lane.first_round;  // since the start or the last switch
    if (attempts >= options_.max_steps || (hybrid && !gets_on(l))) finish_stuck(l);
  }
  if (none_is_stuck) return;
  first_stuck_ = std::numeric_limits<long>::max();
  for (LaneMask left = active_; left; left &= left - 1)
    expect_stuck(lanes_[std::countr_zero(left)]);
}

// The earliest round in which a lane may have made all the attempts that it has.
void Driver::expect_stuck(const Lane& lane) {
  const long most = std::numeric_limits<long>::max() - lane.first_round;
  first_stuck_ = std::min(first_stuck_, lane.first_round + std::min(options_.max_steps, most));
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

int Driver::rounds_of_polls(int states) {
  return std::clamp(states_of_polls / (states + 1), 1, rounds_between_polls);
}

void Driver::poll() {
  if (++rounds_ % poll_rounds_ == 0 && options_.interrupt &&
      options_.interrupt->load(std::memory_order_relaxed))
    for (int l = 0; l < group_.lanes; ++l)
      if (active_ >> l & 1) finish(l, Status::interrupted);
  if (rounds_ % rounds_between_polls == 0 && options_.progress && active_)
    options_.progress(group_.t[0]);
}

}  // namespace stiffit::internal
