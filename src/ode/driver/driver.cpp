// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/driver.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/interrupt.h"
#include "base/number.h"
#include "ode/continuation.h"

namespace stiffit::internal {
Driver::Driver(const Problem& problem, const IntegrationOptions& options, MakeStepper make)
    : problem_(problem),
      options_(options),
      group_(problem, options),
      scales_(group_),
      stepper_(make(group_)),
      lanes_(static_cast<std::size_t>(group_.lanes)),
      wide_(group_.lanes > 1 && !problem.program->hybrid),
      control_(*problem.program),
      marks_(*problem.program),
      trial_(static_cast<std::size_t>(group_.n * group_.lanes)),
      trial_slope_(trial_.size()),
      trial_time_(lanes_.size()),
      next_row_(lanes_.size()),
      due_(lanes_.size()),
      row_(trial_.size()),
      unwanted_(static_cast<std::size_t>(group_.n)),
      poll_rounds_(rounds_of_polls(group_.n)) {
  for (int l = 0; l < group_.lanes; ++l) group_.h[l] = 1;
  if (!problem.program->vanishing.empty()) exhaustion_ = std::make_unique<Exhaustion>(group_);
  not_negative_ = problem.program->nonnegative_states;
  const std::size_t width = group_.lanes;
  for (int i = 0; i < group_.n; ++i) {
    if (!(group_.share[static_cast<std::size_t>(i) * width] < 1)) continue;
    growing_.push_back(i);
    if (!std::count(not_negative_.begin(), not_negative_.end(), i)) not_negative_.push_back(i);
  }
}

void Driver::run(WorkQueue& queue) {
  try {
    refill(queue);
    while (active_) step(queue);
  } catch (const Interrupted&) {  // while a step prepared something that takes long
    for (int l = 0; l < group_.lanes; ++l)
      if (active_ >> l & 1) finish(l, Status::interrupted);
    for (std::size_t i; (i = queue.next.fetch_add(1)) < queue.requests.size();) {
      queue.results[i] = Trajectory{};
      queue.results[i].outcome.status = Status::interrupted;
    }
  }
}

// Puts waiting trajectories into idle lanes until there are none of one or the other.
void Driver::refill(WorkQueue& queue) {
  while (queue.next.load(std::memory_order_relaxed) < queue.requests.size()) {
    LaneMask fresh = 0;
    for (int l = 0; l < group_.lanes; ++l) {
      Lane& lane = lanes_[l];
      if (lane.request) continue;
      std::size_t index = queue.next.fetch_add(1);
      if (index >= queue.requests.size()) break;
      std::unique_ptr<EventHandler> kept = std::move(lane.events);
      lane = Lane{};
      lane.events = std::move(kept);
      lane.first_round = rounds_;
      expect_stuck(lane);
      lane.request = &queue.requests[index];
      lane.result = &queue.results[index];
      load(l, *lane.request);
      fresh |= 1u << l;
    }
    if (!fresh) return;
    active_ |= fresh;
    begin(fresh);
  }
}

void Driver::load(int lane, const Request& request) {
  const Program& p = *problem_.program;
  const std::size_t width = group_.lanes;
  const std::size_t l = lane;
  const std::vector<double>& values = parameters_of(p, request);
  const std::vector<double>& states = request.from ? request.from->states : request.initial;
  const double start = start_of(request);
  // Lanes without work of their own compute along; what they hold must be harmless.
  auto everywhere = [&](std::size_t other) { return other == l || !lanes_[other].request; };
  for (std::size_t other = 0; other < width; ++other) {
    if (!everywhere(other)) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.parameters); ++i)
      group_.parameters[i * width + other] = values[i];
    group_.t[other] = start;
  }
  double* arrays[2] = {group_.parameters.data(), trial_.data()};
  p.prepare(arrays);
  if (states.empty()) p.initial(arrays);
  for (std::size_t other = 0; other < width; ++other) {
    if (!everywhere(other)) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i)
      group_.y[i * width + other] = states.empty() ? trial_[i * width + l] : states[i];
  }
  Lane& own = lanes_[l];
  own.mark = own.window = start;
  Trajectory& result = *own.result;
  group_.end[l] = request.times.empty() ? start : request.times.back();
  group_.bound[l] = INFINITY;
  result.states.resize(request.times.size() * static_cast<std::size_t>(group_.n));
  result.rows_reached = 0;
  result.end.reset();
  result.events.clear();
  result.used_up.clear();
  group_.counters[l] = {};
  if (exhaustion_) exhaustion_->begin(lane);
}

void Driver::begin(LaneMask fresh) {
  if (observer_) {
    observer_->begin(group_);
    scales_.follow_derivatives();
  }
  if (problem_.program->hybrid)
    for (int l = 0; l < group_.lanes; ++l)
      if (fresh >> l & 1) {
        if (lanes_[l].request->from)
          continue_events(l);
        else
          begin_events(l);
      }
  group_.note_magnitudes(fresh, true);
  const std::size_t width = group_.lanes;
  for (int l = 0; l < group_.lanes; ++l)
    if (const std::size_t at = l; fresh >> l & 1 && lanes_[at].request->from) {
      const std::vector<double>& largest = lanes_[at].request->from->largest;
      for (std::size_t i = 0; i < largest.size(); ++i) group_.largest[i * width + at] = largest[i];
      group_.note_magnitudes(1u << l, false);
    }
  if (observer_ && group_.scaled_tolerance()) observer_->magnitudes(group_.largest.data());
  for (int l = 0; l < group_.lanes; ++l)
    if (fresh >> l & 1) {
      const Request& request = *lanes_[l].request;
      if (request.from && !request.from->changed)
        scales_.go_on(l, request.from->scales);
      else
        scales_.begin(l);
    }
  restart(fresh);
}

// The lanes go on from a new state: at the start, or after a switch.
void Driver::restart(LaneMask fresh) {
  stepper_->start(fresh);
  for (int l = 0; l < group_.lanes; ++l)
    if (fresh >> l & 1) scales_.moved(l, stepper_->slope());
  if (observer_) observer_->restarted(group_);
  for (int l = 0; l < group_.lanes; ++l) {
    if (!(fresh >> l & 1)) continue;
    Lane& lane = lanes_[l];
    const std::size_t at = l;
    group_.h[at] = 0;
    if (exhaustion_) exhaustion_->restart(l, marks_);
    write_outputs(l, group_.t[at], 0, group_.t[at]);
    find_next_row(l);
    if (overflowed(l)) continue;
    if (lane.events && !lane.events->healthy()) {
      finish(l, Status::step_too_small, -1);
      lane.result->outcome.detail = lane.events->trouble();
      continue;
    }
    if (std::isnan(group_.error[at])) {
      finish(l, Status::not_finite, worst_state(l));
      continue;
    }
    if (observer_ && !observer_->trouble().empty()) {
      finish(l, Status::not_finite, -1);
      lane.result->outcome.detail = observer_->trouble();
      continue;
    }
    if (lane.next_output == lane.request->times.size()) {
      finish(l, Status::done);
      continue;
    }
    double h = options_.fixed_step > 0     ? options_.fixed_step
               : options_.initial_step > 0 ? options_.initial_step
                                           : first_step(l);
    group_.h[at] = std::min(h, options_.max_step);
    lane.control.restart();
    lane.clear = -INFINITY;
    control_.restart(l);
  }
  for (int l = 0; l < group_.lanes; ++l)
    if (group_.h[l] == 0) group_.h[l] = 1e-6;
}

// Hairer, Norsett, Wanner I, II.4, over the states that are not zero at the start: those say what
// accuracy means, the others find their size in the first step.
double Driver::first_step(int lane) {
  const std::size_t width = group_.lanes;
  const std::size_t l = lane;
  const double* f = stepper_->slope();
  auto norm = [&](auto&& numerator) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < group_.n; ++i) {
      auto at = static_cast<std::size_t>(i) * width + l;
      if (group_.y[at] == 0 && group_.scaled_tolerance()) continue;
      double ratio = numerator(at) / group_.weight(i, lane);
      sum += ratio * ratio;
      ++count;
    }
    return count ? std::sqrt(sum / count) : 0.0;
  };
  double size = norm([&](std::size_t at) { return group_.y[at]; });
  double slope = norm([&](std::size_t at) { return f[at]; });
  double guess = size > 1e-5 && slope > 1e-5 ? 0.01 * size / slope : 0;
  if (guess == 0) {
    // Nothing to compare with: a small part of the time unit; the error test does the rest.
    guess = 1e-3;
    if (!size && !slope) guess = 1e-6;
  }
  guess = std::min(guess, options_.max_step);
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n) * width; ++i)
    trial_[i] = group_.y[i] + guess * f[i];
  for (std::size_t k = 0; k < width; ++k) trial_time_[k] = group_.t[k] + guess;
  if (group_.inputs) group_.inputs->fill(trial_time_[0], trial_.data(), group_.parameters.data());
  double* arrays[4] = {trial_time_.data(), trial_.data(), group_.parameters.data(),
                       trial_slope_.data()};
  problem_.program->rhs(arrays);
  ++group_.counters[l].f;
  double bend = norm([&](std::size_t at) { return trial_slope_[at] - f[at]; }) / guess;
  if (!std::isfinite(bend)) return guess * 1e-3;
  double top = std::max(slope, bend);
  double better = top <= 1e-15 ? std::max(1e-6, guess * 1e-3)
                               : std::pow(0.01 / top, 1.0 / (stepper_->control_order() + 1));
  return std::min(100 * guess, better);
}

// A step that is long because nothing moves must not pass over what time alone, or the past, brings
// meanwhile. Looked for well ahead, so that most steps need no look. Methods that choose their
// steps keep to the bound.
void Driver::see_inputs(int l) {
  constexpr double roundings = 16;
  static const std::vector<double> none;
  const std::size_t at = l, width = group_.lanes;
  Lane& lane = lanes_[at];
  const Program& program = *problem_.program;
  const double t = group_.t[at];
  double &h = group_.h[at], &bound = group_.bound[at];
  if (!program.hybrid) bound = INFINITY;
  if (t + h > lane.clear) {
    // After a start methods may choose a longer step than the first guess, up to the bound.
    const double freely = stepper_->retries() ? 16 : 1e5;
    const double longest = lane.clear == -INFINITY ? freely * h : h;
    lane.clear = INFINITY;
    scanned_.resize(width);
    if (program.scan)
      lane.clear = program.scan->clear_until(t, longest, group_.y.data() + at,
                                             group_.parameters.data() + at, width, scanned_[at]);
    if (lane.history) {
      unseen_.resize(group_.n);
      for (int i = 0; i < group_.n; ++i) unseen_[i] = group_.weight(i, l);
      lane.clear = std::min(lane.clear, bound);
      const double whole = lane.clear - t;
      const double seen = lane.history->seen_step(t, whole, group_.parameters.data(), unseen_);
      if (seen < whole) lane.clear = t + seen;
    }
    // Steps that end at a stop end there exactly: what need not be shortened is not touched.
    if (lane.clear < t + h) h = lane.clear - t;
  }
  bound = std::min(bound, lane.clear);
  if (program.scan && group_.scaled_tolerance() &&
      program.scan->note_rest(
          t, h, group_.y.data() + at, group_.parameters.data() + at, width,
          lane.history ? lane.history->sizes_of_parts(t, group_.parameters.data()) : none,
          roundings / (options_.rtol * options_.scaled_atol), group_.largest.data() + at))
    group_.note_magnitudes(1u << l, false);
}

// No step can be taken from here.
void Driver::give_up_step(int l, double error) {
  const std::size_t at = l;
  const std::string why = std::isnan(error) ? stepper_->trouble(l) : std::string();
  const bool known = std::isfinite(error) || !why.empty();
  finish(l, known ? Status::step_too_small : Status::not_finite, worst_state(l));
  if (!why.empty() && options_.fixed_step > 0)
    lanes_[at].result->outcome.detail =
        why + " with steps of " + format_number(options_.fixed_step) +
        ", nor from shorter ones; take a smaller step, or let the steps follow the tolerance: it "
        "stopped";
}

// What goes along may want a shorter step than the states do.
void Driver::ask_observer(int l) {
  const std::size_t at = l;
  const double carried = observer_->passed(group_, *stepper_);
  if (!(carried <= group_.error[at])) group_.error[at] = carried;
}

// These lanes move to the end of their steps and choose their next.
void Driver::take_steps(LaneMask accepted) {
  stepper_->accept(accepted);
  const bool fixed = options_.fixed_step > 0;
  const int order = stepper_->control_order();
  if (wide_ && !fixed && !stepper_->chooses_steps()) {
    control_.after_accept(accepted, group_, order);
    for (LaneMask left = accepted & leaping_; left; left &= left - 1) {
      const std::size_t l = std::countr_zero(left);
      group_.h[l] = std::min(group_.h[l], lanes_[l].longest);
    }
    return scales_.accepted(accepted);
  }
  if (observer_) observer_->accepted();
  if (group_.lanes > 1)
    control_.note_magnitudes(accepted, group_);
  else
    group_.note_magnitudes(accepted, false);
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    if (!(accepted >> l & 1)) continue;
    group_.t[l] += group_.h[l];
    double h = stepper_->next_step(static_cast<int>(l), true);
    if (h == 0 && !fixed) h = lanes_[l].control.after_accept(group_.h[l], group_.error[l], order);
    if (!fixed) group_.h[l] = std::min({h, options_.max_step, lanes_[l].longest});
  }
  scales_.accepted(accepted);
}

// Rows up to `until`; h = 0: from the state itself.
void Driver::write_outputs(int l, double t, double h, double until) {
  Lane& lane = lanes_[l];
  const std::vector<double>& times = lane.request->times;
  const std::size_t n = group_.n;
  const std::size_t width = group_.lanes;
  if (lane.overflow >= 0) return;
  while (lane.next_output < times.size() && times[lane.next_output] <= until) {
    const double time = times[lane.next_output];
    double* row = lane.result->states.data() + lane.next_output * n;
    if (h == 0)
      for (std::size_t i = 0; i < n; ++i)
        row[i] = group_.y[i * width + static_cast<std::size_t>(l)];
    else if (observer_)  // derivatives are those of the interpolant
      stepper_->interpolate(l, (time - t) / h, row);
    else
      stepper_->row(l, (time - t) / h, row);
    if (!may_write(l, row)) return;
    if (lane.events) {
      // Parameters and modes are those of this phase only: what is shown is computed now.
      const std::size_t columns = problem_.program->output_names.size();
      if (lane.history) lane.history->fill(time, row, lane.events->p.data());
      double* arrays[4] = {const_cast<double*>(&time), row, lane.events->p.data(),
                           lane.result->outputs.data() + lane.next_output * columns};
      problem_.program->hybrid->outputs(arrays);
    }
    if (observer_ && h == 0)
      observer_->output(lane.next_output);
    else if (observer_)
      observer_->output(lane.next_output, (time - t) / h);
    if (++lane.next_output == times.size() && lane.request->keep_end) keep_end(l, row);
  }
}

// Between two finite states an interpolant can leave the range of numbers; such a row is not
// written, and the trajectory ends before it.
bool Driver::may_write(int l, const double* row) {
  double sums[4] = {};  // four, so that none waits for the other
  int i = 0;
  for (; i + 4 <= group_.n; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += 0 * row[i + k];
  for (; i < group_.n; ++i) sums[0] += 0 * row[i];
  if (sums[0] + sums[1] + (sums[2] + sums[3]) == 0) return true;
  int& state = lanes_[l].overflow;
  for (state = 0; state < group_.n - 1 && std::isfinite(row[state]);) ++state;
  return false;
}

// Ends the lane's trajectory if that was so.
bool Driver::overflowed(int l) {
  const int state = lanes_[l].overflow;
  if (state < 0) return false;
  finish(l, Status::not_finite, state);
  return true;
}

void Driver::find_next_row(int l) {
  const Lane& lane = lanes_[l];
  const std::vector<double>& times = lane.request->times;
  next_row_[l] = lane.next_output < times.size() ? times[lane.next_output] : INFINITY;
}

// The rows of all lanes that lie in their steps, as many lanes at a time as have one left.
Driver::WrittenLanes Driver::write_lanes(LaneMask passed) {
  const auto n = static_cast<std::size_t>(group_.n), width = lanes_.size();
  WrittenLanes written;
  for (;;) {
    LaneMask due = control_.due(passed, group_, next_row_.data(), due_.data());
    if (!due) return written;
    stepper_->row_lanes(due, due_.data(), row_.data());
    double* to[LaneControl::most];
    for (std::size_t l = 0; l < width; ++l)
      to[l] = due >> l & 1 ? lanes_[l].result->states.data() + lanes_[l].next_output * n
                           : unwanted_.data();
    const LaneMask finite = control_.write(group_.n, row_.data(), to);
    for (std::size_t l = 0; l < width; ++l) {
      if (!(due >> l & 1)) continue;
      Lane& lane = lanes_[l];
      double* row = to[l];
      if (!(finite >> l & 1) && !may_write(static_cast<int>(l), row)) {
        due &= ~(1u << l);
        written.overflowed |= 1u << l;
        continue;
      }
      if (++lane.next_output == lane.request->times.size()) {
        written.ended |= 1u << l;
        if (lane.request->keep_end) keep_end(static_cast<int>(l), row);
      }
      find_next_row(static_cast<int>(l));
    }
    passed = due;
  }
}

// Everything as it stands at the last row, for a run that goes on from there.
void Driver::keep_end(int l, const double* row) {
  const std::size_t width = group_.lanes, at = l;
  const Lane& lane = lanes_[at];
  auto end = std::make_shared<Continuation>();
  end->program = problem_.program;
  end->time = lane.request->times.back();
  end->states.assign(row, row + group_.n);
  end->parameters = parameters_of(*problem_.program, *lane.request);
  for (std::size_t i = 0; i < end->states.size(); ++i)
    end->largest.push_back(group_.largest[i * width + at]);
  end->scales = scales_.keep(l);
  if (lane.events) end->events.emplace(*lane.events);
  if (lane.history) end->history.emplace(*lane.history);
  lane.result->end = std::move(end);
}

// The state whose rate is largest in units of what is allowed: most often the one to blame.
int Driver::worst_state(int lane) const {
  const double* f = stepper_->slope();
  int worst = -1;
  double most = -1;
  for (int i = 0; i < group_.n; ++i) {
    double rate = f[i * group_.lanes + lane];
    if (!std::isfinite(rate)) return i;
    double share = std::fabs(rate) / group_.weight(i, lane);
    if (share > most) {
      most = share;
      worst = i;
    }
  }
  return worst;
}

void Driver::finish(int l, Status status, int state) {
  const std::size_t at = l;
  Lane& lane = lanes_[at];
  lane.result->outcome = {
      status, group_.t[at], state, {}, group_.counters[at], stepper_->used(l), below_zero(l)};
  if (observer_ && status != Status::done) lane.result->outcome.detail = observer_->trouble();
  if (lane.history && (status == Status::not_finite || status == Status::step_too_small))
    lane.result->outcome.detail = lane.history->trouble();
  lane.result->rows_reached = lane.next_output;
  std::fill(lane.result->states.begin() +
                static_cast<long>(lane.next_output * static_cast<std::size_t>(group_.n)),
            lane.result->states.end(), NAN);
  if (lane.events) lane.result->events = std::move(lane.events->executed);
  lane.request = nullptr;
  active_ &= ~(1u << l);
}

}  // namespace stiffit::internal
