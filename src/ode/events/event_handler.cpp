// Modes: when they change, and to what.
// SPDX-License-Identifier: Apache-2.0
#include "ode/events/event_handler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiffit::internal {
namespace {

constexpr int most_rounds = 1000;  // switches without progress of time

}  // namespace

EventHandler::EventHandler(const Program& program, std::uint64_t seed)
    : program_(program), hybrid_(*program.hybrid), random_(seed) {
  const std::size_t modes = hybrid_.modes.size();
  roots_.resize(modes);
  samples_.resize(modes);
  slopes_.assign(modes, 0);
  origins_.assign(modes, 0);
  for (const Mode& mode : hybrid_.modes) has_time_events_ |= mode.clock;
  for (std::size_t k = 0; k < modes; ++k) has_nonlinear_time_events_ |= is_bent(k);
  ahead_.resize(has_nonlinear_time_events_ ? modes : 0);
  at_edge_.assign(modes, 0);
  leaving_.assign(modes, 0);
  set_by_events_.assign(modes, 0);
  for (const HybridProgram::Event& event : hybrid_.events)
    for (int k : event.unsettles) set_by_events_[k] = 1;
  side_.assign(modes, 0);
  crossing_.assign(modes, 0);
  state_.resize(program.states);
}

void EventHandler::evaluate(const Kernel& kernel, std::vector<double>& out) {
  if (history) history->fill(t, y.data(), p.data());
  double* arrays[4] = {&t, y.data(), p.data(), out.data()};
  kernel(arrays);
}

void EventHandler::roots_at(double time, const double* state, double* out) {
  if (history) history->fill(time, state, p.data());
  double* arrays[4] = {&time, const_cast<double*>(state), p.data(), out};
  hybrid_.roots(arrays);
}

void EventHandler::prepare() {
  double* arrays[1] = {p.data()};
  hybrid_.prepare(arrays);
}

bool EventHandler::set_mode(std::size_t mode, double value) {
  double& slot = p[static_cast<std::size_t>(program_.parameters) + mode];
  if (slot == value) return false;
  if (observer && crossing_[mode]) observer->mode_changes(*this, mode);
  slot = value;
  if (observer) prepare();  // an observer looks at every change by itself
  return true;
}

// Positive where the mode's value no longer fits its root.
double EventHandler::excess(std::size_t mode, double root) const {
  const double value = p[static_cast<std::size_t>(program_.parameters) + mode];
  if (is_held(mode) || (hybrid_.modes[mode].held && value == 0)) return -1;
  switch (hybrid_.modes[mode].kind) {
    case ModeKind::positive:
    case ModeKind::not_negative:
      return value != 0 ? -root : root;
    case ModeKind::zero:
      return value != 0 ? std::fabs(root) : -side_[mode] * root;
    default:
      return std::max(value - root, root - (value + 1));
  }
}

// What mode k is where its root has this value; just after the moment, a clock at zero has moved
// on.
double EventHandler::value_at(std::size_t k, double root, double slope) const {
  const Mode& mode = hybrid_.modes[k];
  const bool moved = after_ && mode.clock && slope != 0;
  if (mode.held && p[static_cast<std::size_t>(program_.parameters) + k] == 0) return 0;
  switch (mode.kind) {
    case ModeKind::positive:
      return root > 0 || (moved && root == 0 && slope > 0);
    case ModeKind::not_negative:
      return root > 0 || (root == 0 && !(moved && slope < 0));
    case ModeKind::zero:
      return root == 0 && !moved;
    default:
      return std::floor(root) - (moved && slope < 0 && root == std::floor(root));
  }
}

// When the root of a linear clock has this value. Computed from time zero, not from now, so that
// rounding is the same wherever a run stands when it asks.
double EventHandler::edge_time(std::size_t k, double edge) const {
  return (edge - origins_[k]) / slopes_[k];
}

// Times around an edge's that rounding cannot tell from it. `time - c` is exact.
double EventHandler::rounding(std::size_t k, double time) const {
  const Mode& mode = hybrid_.modes[k];
  const bool exact =
      mode.kind != ModeKind::whole && !set_by_events_[k] && std::fabs(slopes_[k]) == 1;
  return mode.linear && !exact ? 4 * std::numeric_limits<double>::epsilon() * std::fabs(time) : 0;
}

// The roots now. Those of linear clocks agree with the times of their edges: at such a time they
// are at the edge, before it and once it has been left on either side, whatever rounding says.
void EventHandler::look_at_roots() {
  roots_at(t, y.data(), roots_);
  for (const HybridProgram::Hold& hold : hybrid_.holds)
    if (const std::size_t k = hold.mode; is_held(k)) roots_[k] = 0;
  if (!has_time_events_) return;
  evaluate(hybrid_.slopes, slopes_);
  double origin = 0;
  double* arrays[4] = {&origin, y.data(), p.data(), origins_.data()};
  hybrid_.roots(arrays);
  for (std::size_t k = 0; k < roots_.size(); ++k) {
    const Mode& mode = hybrid_.modes[k];
    if (!mode.clock || !mode.linear || slopes_[k] == 0 || !std::isfinite(slopes_[k])) continue;
    const double edge = mode.kind == ModeKind::whole ? std::round(roots_[k]) : 0;
    const double when = edge_time(k, edge);
    if (std::isnan(when)) continue;
    const double about = rounding(k, t);
    const bool passed = t > when + about || left_time_ >= when - about;
    if (!passed && t >= when - about)
      roots_[k] = edge;
    else if (passed == (slopes_[k] > 0))
      roots_[k] = std::max(roots_[k], std::nextafter(edge, never));
    else
      roots_[k] = std::min(roots_[k], std::nextafter(edge, -never));
  }
}

void EventHandler::settle() {
  // A root may hold other modes, which were made before it: one round per depth settles them.
  // Fast reactions come after that: in the wrong mode they may have no equilibrium.
  bool rested = false;
  for (std::size_t round = 0; round <= 2 * hybrid_.modes.size() + 1; ++round) {
    solve_algebraic();
    if (rested) find_equilibrium();
    look_at_roots();
    bool changed = false;
    for (std::size_t k = 0; k < roots_.size(); ++k) {
      // A bent clock that has been stepped to is at its edge too; after that it is where it is.
      const Mode& mode = hybrid_.modes[k];
      if (crossing_[k] && is_bent(k) && !after_)
        roots_[k] = mode.kind == ModeKind::whole ? std::round(roots_[k]) : 0;
      changed |= set_mode(k, value_at(k, roots_[k], slopes_[k]));
      if (mode.kind == ModeKind::zero)
        side_[k] = roots_[k] > 0   ? 1
                   : roots_[k] < 0 ? -1
                   : after_        ? (slopes_[k] > 0) - (slopes_[k] < 0)
                                   : 0;
    }
    if (!changed && (rested || hybrid_.fast.states.empty())) {
      if (observer && !hybrid_.algebraic.empty()) observer->algebraic_solved(*this);
      return;
    }
    rested |= !changed;
    if (changed) prepare();
  }
}

void EventHandler::begin(double start, const std::vector<char>& triggered) {
  pending_.clear();
  triggered_ = triggered;
  if (triggered.empty())
    for (const auto& event : hybrid_.events) triggered_.push_back(event.initial_value);
  resume(start);
}

void EventHandler::resume(double start) {
  t = start;
  last_time_ = start;
  left_time_ = -never;
  rounds_at_time_ = 0;
  arrived_ = true;
  after_ = false;
  time_event_times_.clear();
  trouble_.clear();
  executed.clear();
  std::fill(crossing_.begin(), crossing_.end(), 0);
  std::fill(at_edge_.begin(), at_edge_.end(), 0);
  std::fill(leaving_.begin(), leaving_.end(), 0);
  for (const HybridProgram::Hold& hold : hybrid_.holds) p[program_.parameters + hold.slot] = 0;
  if (!hybrid_.holds.empty()) prepare();
  for (Ahead& ahead : ahead_) ahead.seen.clear();
  const bool unknown = observer && !pending_.empty();  // the observer has not seen what waits
  if (unknown) pending_.clear();
  settle();
  run_events();
  if (unknown)
    trouble_ = "derivatives cannot follow an event that waits across a change from outside";
}

void EventHandler::go_on() {
  executed.clear();
  switches_ = 0;
  if (arrived_) return depart();
  // Between switches: nothing changes but rounding, which interpolation left in the equations.
  solve_algebraic();
  find_equilibrium();
  find_stop();
}

void EventHandler::arrive(double time) {
  arrived_ = true;
  ++switches_;
  rounds_at_time_ = time == last_time_ ? rounds_at_time_ + 1 : 0;
  if (rounds_at_time_ > most_rounds)
    trouble_ = !executed.empty() && executed.back().time == time
                   ? again_and_again(executed.back().event)
                   : "switches at this moment never end";
  last_time_ = t = time;
  const std::vector<char> crossed = crossing_;
  for (std::size_t k = 0; k < time_event_times_.size(); ++k)
    if (time_event_times_[k] <= time + rounding(k, time)) crossing_[k] = 1;
  if (observer) observer->arrive(*this);
  settle();
  // A root that was passed between two doubles was zero in between.
  bool forced = false;
  for (std::size_t k = 0; k < crossed.size(); ++k)
    if (crossed[k] && hybrid_.modes[k].kind == ModeKind::zero) forced |= set_mode(k, 1);
  if (forced) prepare();
  run_events();
}

void EventHandler::depart() {
  const std::vector<char> crossed = crossing_;
  after_ = true;
  settle();
  // A mode that was crossed has changed, even if the state there is a rounding short of it.
  bool forced = false;
  for (std::size_t k = 0; k < crossed.size(); ++k) {
    if (!crossed[k] || hybrid_.modes[k].clock) continue;
    const double value = p[static_cast<std::size_t>(program_.parameters) + k];
    switch (hybrid_.modes[k].kind) {
      case ModeKind::zero:
        forced |= set_mode(k, 0);
        if (roots_[k] == 0 || side_[k] == left_side_[k]) side_[k] = -left_side_[k];
        break;
      case ModeKind::whole:
        if (value == left_[k])
          forced |= set_mode(k, roots_[k] > value + 0.5 ? value + 1 : value - 1);
        break;
      default:
        if (value == left_[k]) forced |= set_mode(k, 1 - value);
    }
  }
  std::fill(crossing_.begin(), crossing_.end(), 0);
  if (forced) {
    prepare();
    solve_algebraic();
    find_equilibrium();
    if (observer && !hybrid_.algebraic.empty()) observer->algebraic_solved(*this);
  }
  run_events();
  begin_holds();
  arrived_ = after_ = false;
  left_time_ = t;
  if (observer) observer->departed(*this);
  find_stop();
}

// The next time a clock's root meets the edge of its mode, as far as is known.
double EventHandler::next_time_event(std::size_t k) const {
  const Mode& mode = hybrid_.modes[k];
  if (!mode.linear) return ahead_[k].found;
  const double slope = slopes_[k];
  const double value = p[static_cast<std::size_t>(program_.parameters) + k];
  if (slope == 0 || !std::isfinite(slope)) return never;
  if (mode.kind == ModeKind::zero ? side_[k] * slope > 0
                                  : mode.kind != ModeKind::whole && (value != 0) == (slope > 0))
    return never;  // already on the side it moves to
  const double edge = mode.kind == ModeKind::whole ? (slope > 0 ? value + 1 : value) : 0;
  const double when = edge_time(k, edge);
  return when > t ? when : never;
}

void EventHandler::find_stop() {
  stop_ = never;
  time_tolerance_ = 0;
  for (const Pending& pending : pending_) stop_ = std::min(stop_, pending.time);
  if (history) stop_ = std::min(stop_, history->next_break(t));
  if (!has_time_events_) return;
  look_at_roots();
  time_event_times_.assign(hybrid_.modes.size(), never);
  for (std::size_t k = 0; k < ahead_.size(); ++k)
    if (is_bent(k)) restart_search(k);
  for (std::size_t k = 0; k < hybrid_.modes.size(); ++k)
    if (hybrid_.modes[k].clock) stop_ = std::min(stop_, time_event_times_[k] = next_time_event(k));
  for (std::size_t k = 0; k < hybrid_.modes.size(); ++k)
    if (time_event_times_[k] == stop_ && stop_ < never)
      time_tolerance_ = std::max(time_tolerance_, rounding(k, stop_));
}

}  // namespace stiffit::internal
