// How a lane of a model with events or switches goes on: aim at the next known stop, look for
// switches inside each step, and hand the state to its EventHandler where one is found.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "ode/continuation.h"
#include "ode/driver/driver.h"

namespace stiffit::internal {
namespace {

// Of the time that is left, to be covered by options.max_steps attempts; and by so many of which
// one in twenty or more was a switch.
constexpr double least_share = 1e-3, window_share = 1e-9;
constexpr long window_steps = 5000;
constexpr double sums = 4e-16;  // what rounding makes of a time that is a sum
constexpr double fine = 1e-8;   // of tolerances: methods of higher order feel weaker kinks

}  // namespace

void Driver::take_from_lane(int l) {
  EventHandler& s = *lanes_[l].events;
  const std::size_t width = group_.lanes, at = l;
  for (std::size_t i = 0; i < s.y.size(); ++i) s.y[i] = group_.y[i * width + at];
  s.t = group_.t[at];
}

void Driver::give_to_lane(int l) {
  const EventHandler& s = *lanes_[l].events;
  const std::size_t width = group_.lanes, at = l;
  for (std::size_t i = 0; i < s.y.size(); ++i) group_.y[i * width + at] = s.y[i];
  for (std::size_t i = 0; i < s.p.size(); ++i) group_.parameters[i * width + at] = s.p[i];
  group_.t[at] = s.t;
}

void Driver::begin_events(int l) {
  Lane& lane = lanes_[l];
  const Program& program = *problem_.program;
  const std::size_t width = group_.lanes, at = l;
  lane.events = std::make_unique<EventHandler>(program, options_.seed);
  EventHandler& s = *lane.events;
  s.observer = observer_;
  s.y.resize(group_.n);
  s.p.resize(program.parameter_slots);
  for (std::size_t i = 0; i < s.p.size(); ++i) s.p[i] = group_.parameters[i * width + at];
  take_from_lane(l);
  if (program.inputs > 0) {
    lane.history = std::make_unique<History>(program, options_.rtol < fine ? 8 : 5);
    lane.history->begin(lane.request->start, s.y.data(), s.p.data());
    s.history = lane.history.get();
    group_.inputs = s.history;
  }
  lane.result->outputs.assign(lane.request->times.size() * program.output_names.size(), NAN);
  s.begin(lane.request->start, lane.request->triggered);
  give_to_lane(l);
  write_outputs(l, s.t, 0, s.t);
  if (lane.history) lane.history->depart(s.t, s.y.data(), s.p.data());
  s.depart();
  give_to_lane(l);
  settle_past(l);
}

// Events at the start are the past of nobody: what stands now has always been so. But what fast
// reactions do at the start is no part of the time before.
void Driver::settle_past(int l) {
  Lane& lane = lanes_[l];
  EventHandler& s = *lane.events;
  if (!lane.history) return;
  const std::vector<double> past =
      problem_.program->hybrid->fast.states.empty() ? s.y : lane.history->initial();
  lane.history->begin(s.t, past.data(), s.p.data());
  lane.history->depart(s.t, s.y.data(), s.p.data());
}

// Modes, events under way and the past as the earlier run left them.
void Driver::continue_events(int l) {
  const std::size_t at = l;
  Lane& lane = lanes_[at];
  const Continuation& from = *lane.request->from;
  lane.events = std::make_unique<EventHandler>(*from.events);
  EventHandler& s = *lane.events;
  s.observer = observer_;
  s.error_allowed = nullptr;  // that of the run before
  s.y = from.states;
  s.t = from.time;
  if (from.history) {
    lane.history = std::make_unique<History>(*from.history);
    s.history = lane.history.get();
    group_.inputs = s.history;
  }
  lane.result->outputs.assign(lane.request->times.size() * problem_.program->output_names.size(),
                              NAN);
  if (from.changed) {
    const std::size_t width = group_.lanes;
    for (std::size_t i = 0; i < s.p.size(); ++i) s.p[i] = group_.parameters[i * width + at];
    if (lane.history) lane.history->arrive_changed(s.t, s.p.data());
    s.resume(s.t);
    give_to_lane(l);
    write_outputs(l, s.t, 0, s.t);
    if (lane.history) lane.history->depart(s.t, s.y.data(), s.p.data());
    s.depart();
    if (lane.history) lane.history->settled(s.t, s.y.data(), s.p.data());
    give_to_lane(l);
    return;
  }
  give_to_lane(l);
  write_outputs(l, s.t, 0, s.t);
  const bool at_stop = lane.history && lane.history->at_stop();
  if (at_stop) lane.history->depart(s.t, s.y.data(), s.p.data());
  s.go_on();
  give_to_lane(l);
  if (lane.history && lane.history->empty())
    settle_past(l);  // that run was all start
  else if (at_stop)
    lane.history->settled(s.t, s.y.data(), s.p.data());
}

// Steps end at a known stop exactly; the last two before it share what is left.
void Driver::aim_at_stop(int l) {
  const std::size_t at = l;
  Lane& lane = lanes_[at];
  double &h = group_.h[at], &bound = group_.bound[at];
  lane.events->look_ahead(group_.t[at] + 2 * h);
  lane.stop = lane.events->stop();
  if (lane.history) lane.stop = std::min(lane.stop, lane.history->next_break(group_.t[at]));
  bound = lane.stop;
  if (lane.history) {
    const double longest =
        lane.history->longest_step(group_.t[at], group_.y.data(), group_.parameters.data());
    h = std::min(h, longest);
    bound = std::min(bound, group_.t[at] + longest);
  }
  const double left = lane.stop - group_.t[at];
  if (h >= left * (1 - 1e-12))
    h = left;
  else if (h > 0.5 * left && options_.fixed_step <= 0)
    h = 0.5 * left;
}

// True if the step just tried has to end early, or has reached its stop: lane.arrival says where,
// the lane's y is the state there, and the rows before that moment are written. Only this share of
// the step counts.
bool Driver::must_switch(int l, double share) {
  const std::size_t at = l;
  const std::size_t width = group_.lanes;
  Lane& lane = lanes_[at];
  const double t = group_.t[at], whole = group_.h[at], h = share * whole;
  take_from_lane(l);
  EventHandler& s = *lane.events;
  if (options_.fixed_step <= 0 && !s.error_allowed)
    s.error_allowed = [this, l](int state) { return group_.weight(state, l); };
  // Methods that choose their steps themselves may have passed a stop that was not known before.
  s.look_ahead(t + h);
  lane.stop = s.stop();
  if (lane.history) lane.stop = std::min(lane.stop, lane.history->next_break(t));
  const double until = lane.stop - t < h ? (lane.stop - t) / h : 1;
  auto state = [&](double theta, double* out) { stepper_->interpolate(l, share * theta, out); };
  double theta = until;
  bool crosses = false;
  if (lane.history) {
    const std::optional<double> own = lane.history->crossing(t, h, state, s.p.data());
    if (own && *own <= until) {
      theta = *own;
      crosses = true;
    }
  }
  if (theta > 0) {
    auto before = [&, first = theta](double part, double* out) { state(part * first, out); };
    if (const std::optional<double> earlier = s.crossing(theta * h, before)) {
      theta *= *earlier;
      crosses = true;
    }
  }
  const bool at_stop = until < 1 || h == lane.stop - t;
  if (!crosses && !at_stop) {
    if (lane.history && share == 1) lane.history->record(t, h, t + h, state);
    return false;
  }
  lane.arrival = at_stop && theta == until ? lane.stop : std::min(t + theta * h, lane.stop);
  if (lane.history) lane.history->record(t, h, lane.arrival, state);
  // A row at a moment that is known exactly shows what happens there.
  double before = lane.arrival == s.stop() ? lane.arrival - s.time_tolerance() : lane.arrival;
  if (lane.history && lane.arrival == lane.history->next_break(t))
    before = std::min(before, lane.arrival - sums * std::fabs(lane.arrival));
  write_outputs(l, t, whole, std::nextafter(before, -INFINITY));
  if (lane.request->open_end && lane.next_output + 1 == lane.request->times.size())
    write_outputs(l, t, whole, std::nextafter(lane.arrival, -INFINITY));
  state(theta, s.y.data());
  if (observer_) observer_->landed(share * theta);
  for (std::size_t i = 0; i < s.y.size(); ++i) group_.y[i * width + at] = s.y[i];
  return true;
}

// Every so many steps, switches among them, a share of what is left must have been covered: a run
// with a hundred thousand events has no fewer steps than that, and gets on all the same. Steps that
// mostly end in a switch show sooner that no number of them would do.
bool Driver::gets_on(int l) {
  const std::size_t at = l;
  Lane& lane = lanes_[at];
  const double t = group_.t[at], left = group_.end[at] - t;
  if (++lane.in_window >= window_steps) {
    const long switches = lane.events->switches() - lane.window_switches;
    if (20 * switches > lane.in_window && !(t - lane.window > window_share * left)) return false;
    lane.in_window = 0;
    lane.window = t;
    lane.window_switches = lane.events->switches();
    lane.window_events = lane.events->executed.size();
  }
  if (lane.since_mark < options_.max_steps) return true;
  if (!(t - lane.mark > least_share * left)) return false;
  lane.since_mark = 0;
  lane.mark = t;
  return true;
}

// Too many steps; if events are what held it up, it says which.
void Driver::finish_stuck(int l) {
  const std::size_t at = l;
  const Lane& lane = lanes_[at];
  std::string cause;
  if (lane.events) {
    const std::vector<ExecutedEvent>& executed = lane.events->executed;
    std::vector<long> times(problem_.program->hybrid->events.size(), 0);
    for (std::size_t i = lane.window_events; i < executed.size(); ++i) ++times[executed[i].event];
    const auto most = std::max_element(times.begin(), times.end());
    const long switches = lane.events->switches() - lane.window_switches;
    const std::string since =
        " since time " + format_number(lane.window) + ": the run does not get on";
    if (most != times.end() && 20 * *most > lane.in_window) {
      const std::size_t event = most - times.begin();
      const std::string& name = problem_.program->hybrid->events[event].name;
      cause = (name.empty() ? "event number " + std::to_string(event + 1) : "event " + name) +
              " happens again and again, " + std::to_string(*most) + " times" + since;
    } else if (20 * switches > lane.in_window) {
      cause = "conditions in the equations switch back and forth, " + std::to_string(switches) +
              " times" + since;
    }
  }
  Trajectory& result = *lane.result;
  finish(l, Status::too_many_steps, worst_state(l));
  if (!cause.empty()) result.outcome.detail = cause;
}

// The switch itself. False if the trajectory has ended.
bool Driver::switch_lane(int l) {
  const std::size_t at = l;
  Lane& lane = lanes_[at];
  if (overflowed(l)) return false;
  if (lane.next_output == lane.request->times.size()) {  // what happens there lies behind the end
    finish(l, Status::done);
    return false;
  }
  EventHandler& s = *lane.events;
  lane.first_round = rounds_ + 1;
  if (lane.history) lane.history->arrive(lane.arrival, s.y.data(), s.p.data());
  s.arrive(lane.arrival);
  give_to_lane(l);
  write_outputs(l, s.t, 0, s.t);
  if (overflowed(l)) return false;
  if (lane.history) lane.history->depart(s.t, s.y.data(), s.p.data());
  s.depart();
  if (lane.history) lane.history->settled(s.t, s.y.data(), s.p.data());
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

}  // namespace stiffit::internal
