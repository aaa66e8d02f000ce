// Where the past is not smooth: phases, the windows that delays look at, and when they leave them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "ode/delays/history.h"
#include "symbolic/mode_value.h"

namespace stiffit::internal {
namespace {

constexpr int smooth = 100;                   // beyond any order that is felt
constexpr std::size_t most_arrivals = 10000;  // from then on only jumps and kinks are followed
constexpr int kink = 1;
constexpr int most_edges = 10000, clock_points = 2000;  // before the start

}  // namespace

std::vector<double> History::modes_of(const double* parameters) const {
  std::vector<double> modes;
  for (int k : hybrid_.delay_modes) modes.push_back(parameters[program_.parameters + k]);
  return modes;
}

// The run of phases around this one that delay k sees as one.
History::Window History::around(std::size_t k, int phase) const {
  const int count = static_cast<int>(phases_.size());
  Window w{phase, phase};
  while (w.first > 0 && !parts(k, w.first)) --w.first;
  while (w.last + 1 < count && !parts(k, w.last + 1)) ++w.last;
  return w;
}

// What delay k looks at just after t. Sums as in the times of arrivals, so that both agree.
History::Window History::window_of(std::size_t k, double t, double lag) const {
  int phase = static_cast<int>(phases_.size()) - 1;
  const double passed = t + rounding(t);
  while (phase > 0 && !(phases_[phase].begin + lag <= passed)) --phase;
  return around(k, phase);
}

// Delay k sees a jump in derivative `order` a delay after t.
void History::announce(double t, std::size_t k, int order, double lag) {
  const double time = t + lag;
  if (!(lag > 0) || !std::isfinite(time)) return;
  if (arrivals_.size() > most_arrivals && order > kink) return;
  auto place = std::upper_bound(arrivals_.begin(), arrivals_.end(), time,
                                [](double x, const Arrival& a) { return x < a.time; });
  arrivals_.insert(place, {time, static_cast<int>(k), order});
}

// A phase begins at t if any delay will notice. `solution`: the derivative of the states that jumps
// here, `inputs`: of each delayed value.
bool History::open_phase(double t, std::vector<double> modes, const double* y, int solution,
                         const std::vector<int>& inputs) {
  const std::size_t count = hybrid_.delayed.size();
  std::vector<signed char> order(count, smooth);
  bool noticed = false;
  for (std::size_t m = 0; m < count; ++m) {
    const HybridProgram::Delay& delay = hybrid_.delayed[m];
    int lowest = delay.sees_states ? solution : smooth;
    for (int k : delay.inputs) lowest = std::min(lowest, inputs[k]);
    for (int k : delay.modes)
      if (modes[k] != phases_.back().modes[k]) lowest = 0;
    order[m] = static_cast<signed char>(std::min(lowest, smooth));
    noticed |= lowest <= felt_;
    if (lowest <= felt_ && delay.fixed_lag) announce(t, m, lowest, lags_[m]);
  }
  if (!noticed && t != start_) return false;
  phases_.push_back({t, begins_.size(), std::move(modes), {y, y + states_}, {}, std::move(order)});
  return true;
}

void History::look_through(double t) {
  for (std::size_t k = 0; k < windows_.size(); ++k) windows_[k] = window_of(k, t, lags_[k]);
}

// All modes as they are at that time with these states.
void History::settle_modes(double time, const double* y, std::vector<double>& p) const {
  std::vector<double> roots(hybrid_.modes.size());
  for (std::size_t round = 0; round <= hybrid_.modes.size(); ++round) {
    double* prepared[1] = {p.data()};
    hybrid_.prepare(prepared);
    double* arrays[4] = {&time, const_cast<double*>(y), p.data(), roots.data()};
    hybrid_.roots(arrays);
    bool changed = false;
    for (std::size_t k = 0; k < roots.size(); ++k) {
      double& slot = p[static_cast<std::size_t>(program_.parameters) + k];
      const double value = mode_value(hybrid_.modes[k].kind, roots[k]);
      changed |= slot != value;
      slot = value;
    }
    if (!changed) return;
  }
}

// When conditions on time alone, which delays look at, change between `from` and the start.
std::vector<double> History::clock_edges(double from, const double* y, std::vector<double> p) {
  std::vector<double> edges, roots(hybrid_.modes.size()), slopes(roots.size()),
      origins(roots.size());
  settle_modes(start_, y, p);
  auto evaluate = [&](const Kernel& kernel, double time, std::vector<double>& out) {
    double* arrays[4] = {&time, const_cast<double*>(y), p.data(), out.data()};
    kernel(arrays);
  };
  evaluate(hybrid_.slopes, start_, slopes);
  evaluate(hybrid_.roots, 0, origins);
  for (int mode : hybrid_.delay_modes) {
    const std::size_t k = mode;
    const Mode& m = hybrid_.modes[k];
    if (!m.clock) continue;
    if (m.linear) {
      const double slope = slopes[k];
      if (slope == 0 || !std::isfinite(slope)) continue;
      double low = 0, high = 0;
      if (m.kind == ModeKind::whole) {
        low = std::ceil(std::min(origins[k] + slope * from, origins[k] + slope * start_));
        high = std::floor(std::max(origins[k] + slope * from, origins[k] + slope * start_));
      }
      if (high - low < most_edges)
        for (double edge = low; edge <= high; ++edge) edges.push_back((edge - origins[k]) / slope);
      continue;
    }
    auto value = [&](double time) {
      evaluate(hybrid_.roots, time, roots);
      return mode_value(m.kind, roots[k]);
    };
    double left = from, at_left = value(left);
    for (int i = 1; i <= clock_points; ++i) {
      const double next = from + (start_ - from) * i / clock_points, at_next = value(next);
      double right = next;
      while (at_next != at_left) {
        const double middle = 0.5 * (left + right);
        if (middle <= left || middle >= right) {
          edges.push_back(right);
          break;
        }
        (value(middle) == at_left ? left : right) = middle;
      }
      left = next;
      at_left = at_next;
    }
  }
  std::erase_if(edges, [&](double time) { return !(time > from && time < start_); });
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

// Phases before the start, which only conditions on time make.
void History::imagine_past(const double* y, double* parameters) {
  const std::size_t count = hybrid_.delayed.size();
  std::vector<double> p(parameters, parameters + program_.parameter_slots);
  phases_.assign(1, {-infinite, 0, modes_of(parameters), initial_, std::vector<Window>(count),
                     std::vector<signed char>(count, smooth)});
  first_own_ = 1;
  find_lags(start_, y, parameters);
  double longest = 0;
  std::vector<double> reach(count);
  for (std::size_t k = 0; k < count; ++k) {
    reach[k] = hybrid_.delayed[k].fixed_lag ? lags_[k] : 2 * lags_[k];
    double more = 0;
    for (int j : hybrid_.delayed[k].inputs) more = std::max(more, reach[j]);
    reach[k] += more;
    if (std::isfinite(reach[k])) longest = std::max(longest, reach[k]);
  }
  if (hybrid_.delay_modes.empty() || !(longest > 0)) return;
  const double from = start_ - longest;
  const std::vector<double> edges = clock_edges(from, y, p);
  auto modes_between = [&](double left, double right) {
    settle_modes(0.5 * (left + right), y, p);
    return modes_of(p.data());
  };
  phases_[0].modes = modes_between(from, edges.empty() ? start_ : edges.front());
  for (std::size_t i = 0;;) {  // edges, and what delays make of them for delays of delays
    double time = i < edges.size() ? edges[i] : infinite;
    if (!arrivals_.empty()) time = std::min(time, arrivals_.front().time);
    if (!(time < start_)) break;
    while (i < edges.size() && edges[i] <= time) ++i;
    std::vector<int> inputs(count, smooth);
    while (!arrivals_.empty() && arrivals_.front().time <= time) {
      int& order = inputs[arrivals_.front().delay];
      order = std::min(order, arrivals_.front().order);
      arrivals_.erase(arrivals_.begin());
    }
    if (open_phase(time, modes_between(time, i < edges.size() ? edges[i] : start_), y, smooth,
                   inputs)) {
      look_through(time);
      phases_.back().windows = windows_;
    }
  }
  first_own_ = static_cast<int>(phases_.size());
}

void History::begin(double start, const double* y, double* parameters) {
  start_ = start;
  initial_.assign(y, y + states_);
  begins_.clear();
  ends_.clear();
  values_.clear();
  arrivals_.clear();
  std::fill(moved_.begin(), moved_.end(), 0);
  std::fill(last_then_.begin(), last_then_.end(), -infinite);
  moment_ = true;
  imagine_past(y, parameters);
  // Everything stood still, and moves from here on.
  open_phase(start, modes_of(parameters), y, kink,
             std::vector<int>(hybrid_.delayed.size(), smooth));
  look_through(start);
  phases_.back().windows = before_windows_ = windows_;
}

void History::arrive(double t, const double* y, double* parameters) {
  moment_ = false;
  if (t != moved_time_) std::fill(moved_.begin(), moved_.end(), 0);
  before_.assign(y, y + states_);
  before_modes_.assign(parameters + program_.parameters,
                       parameters + program_.parameters + program_.modes);
  find_lags(t, y, parameters);
  before_lags_ = lags_;
  before_windows_ = windows_;
  moment_ = true;
}

void History::arrive_changed(double t, double* parameters) {
  std::vector<double> y(states_);
  state_in(static_cast<int>(phases_.size()) - 1, t, y.data());
  arrive(t, y.data(), parameters);
  std::fill(before_.begin(), before_.end(), NAN);  // nothing is as it was
}

void History::depart(double t, const double* y, double* parameters) {
  find_lags(t, y, parameters);
  moment_ = false;
  move_on(t);
}

// The windows just after t; a delay that is known to leave its window goes to the next one.
void History::move_on(double t) {
  const int count = static_cast<int>(phases_.size());
  for (std::size_t k = 0; k < windows_.size(); ++k) {
    const Window w = before_windows_[k];
    if (moved_[k] > 0 && w.last + 1 < count)
      windows_[k] = around(k, w.last + 1);
    else if (moved_[k] < 0 && w.first > 0)
      windows_[k] = around(k, w.first - 1);
    else
      windows_[k] = window_of(k, t, lags_[k]);
  }
}

void History::settled(double t, const double* y, double* parameters) {
  const std::size_t count = hybrid_.delayed.size();
  find_lags(t, y, parameters);
  std::vector<int> inputs(count, smooth);
  const double passed = t + rounding(t);
  while (!arrivals_.empty() && arrivals_.front().time <= passed) {
    int& order = inputs[arrivals_.front().delay];
    order = std::min(order, arrivals_.front().order);
    arrivals_.erase(arrivals_.begin());
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Window w = before_windows_[k];
    const auto next = static_cast<std::size_t>(w.last) + 1;
    if (moved_[k] > 0 && next < phases_.size())
      inputs[k] = std::min<int>(inputs[k], phases_[next].order[k]);
    if (moved_[k] < 0) inputs[k] = std::min<int>(inputs[k], phases_[w.first].order[k]);
    // Another delay at once: another value.
    if (std::fabs(lags_[k] - before_lags_[k]) > 1e-9 * std::fabs(lags_[k])) {
      inputs[k] = 0;
      moved_[k] = 0;
    }
  }
  int solution = smooth;
  for (int order : inputs) solution = std::min(solution, order + 1);
  for (int k : hybrid_.rhs_modes)
    if (parameters[program_.parameters + k] != before_modes_[k])
      solution = std::min(solution, kink);
  if (!std::equal(before_.begin(), before_.end(), y)) solution = 0;
  const bool opened = open_phase(t, modes_of(parameters), y, solution, inputs);
  move_on(t);
  if (opened) phases_.back().windows = windows_;
  std::fill(moved_.begin(), moved_.end(), 0);
}

}  // namespace stiffit::internal
