// How a lane of a model with events or switches goes on: aim at the next known stop, look for
// switches inside each step, and hand the state to its Switching where one is found.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "integrate/continuation.h"
#include "integrate/driver.h"

namespace stiffit {

void Driver::take_from_lane(int l) {
  Switching& s = *lanes_[static_cast<std::size_t>(l)].switching;
  const auto width = static_cast<std::size_t>(group_.lanes), at = static_cast<std::size_t>(l);
  for (std::size_t i = 0; i < s.y.size(); ++i) s.y[i] = group_.y[i * width + at];
  s.t = group_.t[at];
}

void Driver::give_to_lane(int l) {
  const Switching& s = *lanes_[static_cast<std::size_t>(l)].switching;
  const auto width = static_cast<std::size_t>(group_.lanes), at = static_cast<std::size_t>(l);
  for (std::size_t i = 0; i < s.y.size(); ++i) group_.y[i * width + at] = s.y[i];
  for (std::size_t i = 0; i < s.p.size(); ++i) group_.parameters[i * width + at] = s.p[i];
  group_.t[at] = s.t;
}

void Driver::begin_switching(int l) {
  Lane& lane = lanes_[static_cast<std::size_t>(l)];
  const Program& program = *problem_.program;
  const auto width = static_cast<std::size_t>(group_.lanes), at = static_cast<std::size_t>(l);
  lane.switching = std::make_unique<Switching>(program, options_.seed);
  Switching& s = *lane.switching;
  s.observer = observer_;
  s.y.resize(static_cast<std::size_t>(group_.n));
  s.p.resize(static_cast<std::size_t>(program.parameter_slots));
  for (std::size_t i = 0; i < s.p.size(); ++i) s.p[i] = group_.parameters[i * width + at];
  take_from_lane(l);
  if (program.inputs > 0) {
    lane.history = std::make_unique<History>(program);
    lane.history->begin(lane.request->start, s.y.data(), s.p.data());
    s.history = lane.history.get();
    group_.inputs = s.history;
  }
  lane.result->outputs.assign(lane.request->times.size() * program.output_names.size(), NAN);
  s.begin(lane.request->start, group_.end[at], lane.request->triggered);
  give_to_lane(l);
  write_outputs(l, s.t, 0, s.t);
  s.depart();
  give_to_lane(l);
  settle_past(l);
}

// Events at the start are the past of nobody: what stands now has always been so. But what fast
// reactions do at the start is no part of the time before.
void Driver::settle_past(int l) {
  Lane& lane = lanes_[static_cast<std::size_t>(l)];
  const Switching& s = *lane.switching;
  if (lane.history && problem_.program->hybrid->fast.states.empty())
    lane.history->begin(s.t, s.y.data(), s.p.data());
}

// Modes, events under way and the past as the earlier run left them.
void Driver::go_on_switching(int l) {
  const auto at = static_cast<std::size_t>(l);
  Lane& lane = lanes_[at];
  const Continuation& from = *lane.request->from;
  lane.switching = std::make_unique<Switching>(*from.switching);
  Switching& s = *lane.switching;
  s.observer = observer_;
  s.y = from.states;
  s.t = from.time;
  if (from.history) {
    lane.history = std::make_unique<History>(*from.history);
    s.history = lane.history.get();
    group_.inputs = s.history;
  }
  lane.result->outputs.assign(lane.request->times.size() * problem_.program->output_names.size(),
                              NAN);
  give_to_lane(l);
  write_outputs(l, s.t, 0, s.t);
  s.go_on(group_.end[at]);
  give_to_lane(l);
  if (lane.history && lane.history->empty()) settle_past(l);  // that run was all start
}

// Steps end at a known stop exactly; the last two before it share what is left.
void Driver::aim_at_stop(int l) {
  const auto at = static_cast<std::size_t>(l);
  const Lane& lane = lanes_[at];
  double &h = group_.h[at], &bound = group_.bound[at];
  bound = lane.switching->stop();
  if (lane.history) {
    const double longest =
        lane.history->longest_step(group_.t[at], group_.y.data(), group_.parameters.data());
    h = std::min(h, longest);
    bound = std::min(bound, group_.t[at] + longest);
  }
  const double left = lane.switching->stop() - group_.t[at];
  if (h >= left * (1 - 1e-12))
    h = left;
  else if (h > 0.5 * left && options_.fixed_step <= 0)
    h = 0.5 * left;
}

// True if the step just tried has to end early, or has reached its stop: lane.arrival says where,
// the lane's y is the state there, and the rows before that moment are written. Only this share of
// the step counts.
bool Driver::must_switch(int l, double share) {
  const auto at = static_cast<std::size_t>(l);
  const auto width = static_cast<std::size_t>(group_.lanes);
  Lane& lane = lanes_[at];
  const double t = group_.t[at], whole = group_.h[at], h = share * whole;
  take_from_lane(l);
  Switching& s = *lane.switching;
  auto state = [&](double theta, double* out) { stepper_->interpolate(l, share * theta, out); };
  std::optional<double> crossing = s.crossing(h, state);
  const bool at_stop = h == s.stop() - t;
  if (!crossing && !at_stop) {
    if (lane.history && share == 1) lane.history->record(t, h, t + h, state);
    return false;
  }
  const double theta = crossing.value_or(1);
  lane.arrival = at_stop && theta == 1 ? s.stop() : std::min(t + theta * h, s.stop());
  if (lane.history) lane.history->record(t, h, lane.arrival, state);
  // A row at a moment that is known exactly shows what happens there.
  const double before = lane.arrival == s.stop() ? lane.arrival - s.blur() : lane.arrival;
  write_outputs(l, t, whole, std::nextafter(before, -INFINITY));
  if (lane.request->open_end && lane.next_output + 1 == lane.request->times.size())
    write_outputs(l, t, whole, std::nextafter(lane.arrival, -INFINITY));
  state(theta, s.y.data());
  if (observer_) observer_->landed(share * theta);
  for (std::size_t i = 0; i < s.y.size(); ++i) group_.y[i * width + at] = s.y[i];
  return true;
}

// The switch itself. False if the trajectory has ended.
bool Driver::switch_lane(int l) {
  const auto at = static_cast<std::size_t>(l);
  Lane& lane = lanes_[at];
  if (overflowed(l)) return false;
  Switching& s = *lane.switching;
  const std::vector<double> before = s.y;
  s.arrive(lane.arrival);
  if (lane.history && s.y != before) lane.history->note_break(s.t, s.y.data(), s.p.data());
  give_to_lane(l);
  write_outputs(l, s.t, 0, s.t);
  if (overflowed(l)) return false;
  s.depart();
  give_to_lane(l);
  if (!s.healthy()) {
    finish(l, Status::step_too_small, worst_state(l));
    lane.result->outcome.detail = s.trouble();
    return false;
  }
  if (lane.next_output == lane.request->times.size()) {
    finish(l, Status::done);
    return false;
  }
  return true;
}

}  // namespace stiffit
