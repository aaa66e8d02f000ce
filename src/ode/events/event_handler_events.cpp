// Events: triggers, delays, priorities, assignments.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/events/event_handler.h"

namespace stiffit::internal {
namespace {
constexpr int most_executions = 10000;  // of events at one moment
}

// Everything that fires now, in the order of priority, each seeing what the ones before it did.
void EventHandler::run_events() {
  if (hybrid_.events.empty()) return;
  for (int count = 0;; ++count) {
    watch_triggers();
    int next = choose_ready();
    if (next < 0) return;
    if (count > most_executions) {
      trouble_ = again_and_again(pending_[next].event);
      return;
    }
    Pending pending = std::move(pending_[next]);
    pending_.erase(pending_.begin() + next);
    execute(pending);
  }
}

std::string EventHandler::again_and_again(int event) const {
  const std::string& name = hybrid_.events[event].name;
  return (name.empty() ? "event number " + std::to_string(event + 1) : "event " + name) +
         " happens again and again without end";
}

void EventHandler::watch_triggers() {
  const std::size_t count = hybrid_.events.size();
  std::vector<double> now(count), delays(count), values;
  evaluate(hybrid_.triggers, now);
  bool delays_known = false, values_known = false;
  for (std::size_t e = 0; e < count; ++e) {
    const HybridProgram::Event& event = hybrid_.events[e];
    const bool holds = now[e] != 0 && !std::isnan(now[e]);
    if (holds == (triggered_[e] != 0)) continue;
    triggered_[e] = holds;
    if (!holds) {
      if (!event.persistent)
        std::erase_if(pending_, [&](const Pending& x) { return x.event == static_cast<int>(e); });
      continue;
    }
    Pending pending{t, static_cast<int>(e), {}};
    if (event.has_delay) {
      if (!delays_known) evaluate(hybrid_.delays, delays);
      delays_known = true;
      pending.time = t + std::max(0.0, delays[e]);
    }
    if (event.values_at_trigger) {
      if (!values_known) {
        values.resize(hybrid_.assigned.size());
        evaluate(hybrid_.values, values);
        values_known = true;
      }
      pending.values.assign(values.begin() + event.first,
                            values.begin() + event.first + event.assignments);
    }
    if (observer) {
      pending.ticket = next_ticket_++;
      observer->triggered(*this, static_cast<int>(e), pending.ticket);
    }
    pending_.push_back(std::move(pending));
  }
}

// The pending event to execute now, or -1: the highest priority first, equal ones by chance, those
// without a priority last and in their order.
int EventHandler::choose_ready() {
  std::vector<int> ready;
  for (std::size_t i = 0; i < pending_.size(); ++i)
    if (pending_[i].time <= t) ready.push_back(static_cast<int>(i));
  if (ready.size() <= 1) return ready.empty() ? -1 : ready.front();
  std::vector<double> priorities(hybrid_.events.size());
  evaluate(hybrid_.priorities, priorities);
  auto priority = [&](int index) {
    std::size_t event = pending_[index].event;
    return hybrid_.events[event].has_priority ? priorities[event] : -INFINITY;
  };
  double top = -INFINITY;
  for (int index : ready) top = std::max(top, priority(index));
  if (top == -INFINITY) return ready.front();
  std::erase_if(ready, [&](int index) { return priority(index) < top; });
  if (ready.size() == 1) return ready.front();
  return ready[random_() % ready.size()];
}

void EventHandler::execute(const Pending& pending) {
  executed.push_back({t, pending.event});
  const HybridProgram::Event& event = hybrid_.events[pending.event];
  std::vector<double> all(hybrid_.assigned.size());
  const std::size_t first = event.first;
  if (pending.values.empty()) {
    evaluate(hybrid_.values, all);
  } else {
    std::copy(pending.values.begin(), pending.values.end(), all.begin() + event.first);
  }
  const auto end = first + static_cast<std::size_t>(event.assignments);
  // A concentration is set in the compartment as it is before the event changes it.
  std::vector<double> sizes(hybrid_.assigned.size());
  evaluate(hybrid_.sizes, sizes);
  if (observer) observer->executes(*this, pending.event, pending.ticket, all.data(), sizes.data());
  // Totals that fast reactions keep follow from the amounts that the event leaves.
  const HybridProgram::Fast& fast = hybrid_.fast;
  std::vector<double> totals(fast.totals.size());
  auto set_totals = [&](const Kernel& kernel) {
    if (totals.empty()) return;
    evaluate(kernel, totals);
    for (std::size_t k = 0; k < totals.size(); ++k) y[fast.totals[k]] = totals[k];
  };
  set_totals(fast.amounts);
  for (std::size_t i = first; i < end; ++i) y[hybrid_.assigned[i].state] = all[i] * sizes[i];
  set_totals(fast.from_amounts);
  // What the state crossed is settled anew; the clock has not moved.
  for (int k : event.unsettles) crossing_[k] = 0;
  release(event);
  note_edges(pending.event);
  settle();
}

}  // namespace stiffit::internal
