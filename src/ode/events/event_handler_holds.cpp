// What an event keeps at the edge of its own trigger while the equations push it over (holds.h).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "ode/events/event_handler.h"

namespace stiffit::internal {
namespace {

constexpr double rounding_unit = std::numeric_limits<double>::epsilon();
constexpr int most_nudges = 4;

}  // namespace

// Whether the event has put the state at the edge of its own trigger, as near as rounding allows.
// If so, the trigger is false there, whatever rounding says.
void EventHandler::note_edges(int event) {
  for (const HybridProgram::Hold& hold : hybrid_.holds) {
    if (hold.event != event) continue;
    const std::size_t mode = hold.mode;
    std::vector<Interval> near;
    for (int i : hold.root.states()) {
      const double value = y[i];
      const double margin = 4 * rounding_unit * std::fabs(value);
      near.push_back({value - margin, value + margin, false});
    }
    Interval root;
    hold.root.run(Interval::at(t), near, p.data(), &root, scratch_);
    at_edge_[mode] = !root.empty() && root.contains(0);
    if (at_edge_[mode]) nudge(hold);
  }
}

// Moves what the event has set by a rounding or two, until the trigger's root is on its own side.
void EventHandler::nudge(const HybridProgram::Hold& hold) {
  const std::size_t mode = hold.mode;
  const bool positive = hybrid_.modes[mode].kind == ModeKind::positive;
  auto fits_here = [&] {
    roots_at(t, y.data(), samples_);
    return positive ? samples_[mode] <= 0 : samples_[mode] >= 0;
  };
  if (fits_here()) return;
  const HybridProgram::Event& event = hybrid_.events[hold.event];
  for (int a = event.first; a < event.first + event.assignments; ++a) {
    double& value = y[hybrid_.assigned[a].state];
    const double before = value;
    for (double away : {INFINITY, -INFINITY}) {
      for (int i = 0; i < most_nudges; ++i) {
        value = std::nextafter(value, away);
        if (fits_here()) return;
      }
      value = before;
    }
  }
}

// Whether the event would happen again if the state left the edge.
bool EventHandler::would_trigger(const HybridProgram::Hold& hold) {
  double& mode = p[program_.parameters + hold.mode];
  const double before = mode;
  mode = hybrid_.modes[hold.mode].kind == ModeKind::positive;
  prepare();
  std::vector<double> triggers(hybrid_.events.size());
  evaluate(hybrid_.triggers, triggers);
  mode = before;
  prepare();
  return triggers[hold.event] != 0;
}

// At the end of a moment: what is pushed over the edge that its event has put it at is held.
void EventHandler::begin_holds() {
  if (hybrid_.holds.empty()) return;
  const std::size_t first = program_.parameters;
  roots_at(t, y.data(), samples_);
  bool any = false;
  for (const HybridProgram::Hold& hold : hybrid_.holds) {
    const std::size_t slot = hold.slot;
    const std::size_t mode = hold.mode;
    if (!at_edge_[mode]) continue;
    const bool again = would_trigger(hold), pushed = again && samples_[slot] > 0;
    any |= set_mode(slot, pushed);
    leaving_[mode] = again && !pushed;
  }
  std::fill(at_edge_.begin(), at_edge_.end(), 0);
  for (const HybridProgram::Hold& hold : hybrid_.holds)
    if (p[first + static_cast<std::size_t>(hold.slot)] != 0) at_edge_[hold.mode] = 1;
  if (any) prepare();
}

// An event is about to have set what is held: it has to be held anew.
void EventHandler::release(const HybridProgram::Event& event) {
  bool any = false;
  for (const HybridProgram::Hold& hold : hybrid_.holds) {
    const std::vector<int>& seen = hold.root.states();
    for (int a = event.first; a < event.first + event.assignments; ++a) {
      const int state = hybrid_.assigned[a].state;
      if (std::find(seen.begin(), seen.end(), state) == seen.end()) continue;
      any |= set_mode(static_cast<std::size_t>(hold.slot), 0);
      at_edge_[hold.mode] = 0;
      leaving_[hold.mode] = 0;
    }
  }
  if (any) prepare();
}

}  // namespace stiffit::internal
