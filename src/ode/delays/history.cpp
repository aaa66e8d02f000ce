// SPDX-License-Identifier: Apache-2.0
#include "ode/delays/history.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"

namespace stiffit::internal {
History::History(const Program& program, int felt)
    : program_(program),
      hybrid_(*program.hybrid),
      states_(static_cast<std::size_t>(program.states)),
      felt_(felt) {
  const std::size_t count = hybrid_.delayed.size();
  windows_.resize(count);
  moved_.assign(count, 0);
  lags_.assign(count, 0);
  last_then_.assign(count, -infinite);
  scratch_.resize(count + 1);
  for (Scratch& s : scratch_) {
    s.lags.resize(count);
    s.result.resize(count);
    s.past.resize(states_);
    s.modes.resize(hybrid_.delay_modes.size());
  }
  for (const HybridProgram::Delay& delay : hybrid_.delayed) varies_ |= !delay.fixed_lag;
}

// Chebyshev's, which interpolate well up to the ends.
double History::place(int node) {
  static const std::vector<double> places = [] {
    std::vector<double> x(nodes);
    for (int k = 0; k < nodes; ++k) x[k] = 0.5 - 0.5 * std::cos(M_PI * k / (nodes - 1));
    x[nodes / 2] = 0.5;
    return x;
  }();
  return places[node];
}

double* History::append(double begin, double end) {
  begins_.push_back(begin);
  ends_.push_back(end);
  values_.resize(values_.size() + nodes * states_);
  negative_ = -1;  // what has been met on the way did not matter
  return values_.data() + values_.size() - nodes * states_;
}

// The polynomial of a recorded step, by the barycentric formula.
void History::interpolate(std::size_t step, double time, double* out) const {
  const double* at = values_.data() + step * nodes * states_;
  const double width = ends_[step] - begins_[step];
  const double x = width > 0 ? (time - begins_[step]) / width : 0;
  double weight[nodes], sum = 0;
  for (int k = 0; k < nodes; ++k) {
    const double distance = x - place(k);
    if (distance == 0) {
      std::copy_n(at + static_cast<std::size_t>(k) * states_, states_, out);
      return;
    }
    const double end = k == 0 || k == nodes - 1 ? 0.5 : 1;
    sum += weight[k] = (k % 2 ? -end : end) / distance;
  }
  for (double& w : weight) w /= sum;
  for (std::size_t i = 0; i < states_; ++i) {
    double value = 0;
    for (std::size_t k = 0; k < nodes; ++k) value += weight[k] * at[k * states_ + i];
    out[i] = value;
  }
}

// The state at that time by the steps of one phase, continued where it lies beyond them.
void History::state_in(int phase, double time, double* out) const {
  const std::size_t at = phase;
  const std::size_t first = phases_[at].first_step;
  const std::size_t end = at + 1 < phases_.size() ? phases_[at + 1].first_step : begins_.size();
  if (phase < first_own_ || first == end) {
    std::copy(phases_[at].states.begin(), phases_[at].states.end(), out);
    return;
  }
  const auto from = begins_.begin() + static_cast<long>(first);
  const auto found = std::upper_bound(from, begins_.begin() + static_cast<long>(end), time);
  interpolate(found == from ? first : static_cast<std::size_t>(found - begins_.begin()) - 1, time,
              out);
}

int History::phase_at(Window window, double time) const {
  int phase = window.last;
  while (phase > window.first && phases_[phase].begin > time) --phase;
  return phase;
}

void History::swap_modes(const std::vector<double>& modes, double* parameters,
                         std::vector<double>& kept) const {
  double* slots = parameters + program_.parameters;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    double& slot = slots[hybrid_.delay_modes[i]];
    kept[i] = slot;
    slot = modes[i];
  }
}

// What delay k looks at, at the time `then`.
double History::past_value(std::size_t k, std::size_t depth, double then, double* parameters,
                           const std::vector<Window>* windows) {
  Scratch& s = scratch_[depth];
  const HybridProgram::Delay& delay = hybrid_.delayed[k];
  double value = 0;
  double* arrays[4] = {&then, s.past.data(), parameters, &value};
  if (!windows) {  // of this very moment: what begins there has begun
    const double near = rounding(then);
    const int phase = phase_at({0, static_cast<int>(phases_.size()) - 1}, then + near);
    const Phase& found = phases_[phase];
    if (then - found.begin <= near) {
      then = found.begin;
      s.past = found.states;
      arrays[1] = s.past.data();
    } else {
      state_in(phase, then, s.past.data());
    }
    if (delay.nested_value) fill_first(k, depth + 1, then, s.past.data(), parameters, nullptr);
    delay.value_now(arrays);
    return value;
  }
  const int phase = phase_at((*windows)[k], then);
  state_in(phase, then, s.past.data());
  swap_modes(phases_[phase].modes, parameters, s.modes);
  if (delay.nested_value)
    fill_first(k, depth + 1, then, s.past.data(), parameters, &phases_[phase].windows);
  delay.value(arrays);
  double* slots = parameters + program_.parameters;
  for (std::size_t i = 0; i < s.modes.size(); ++i) slots[hybrid_.delay_modes[i]] = s.modes[i];
  return value;
}

// The first `count` delays; what a delayed value is made of comes before it.
void History::fill_first(std::size_t count, std::size_t depth, double t, const double* y,
                         double* parameters, const std::vector<Window>* windows) {
  Scratch& s = scratch_[depth];
  double* inputs = parameters + program_.parameters + program_.modes;
  double* arrays[4] = {&t, const_cast<double*>(y), parameters, s.lags.data()};
  const Kernel& lags = windows ? hybrid_.lags : hybrid_.lags_now;
  lags(arrays);
  for (std::size_t k = 0; k < count; ++k) {
    const HybridProgram::Delay& delay = hybrid_.delayed[k];
    if (delay.nested_lag) {
      std::copy_n(s.result.begin(), k, inputs);
      lags(arrays);
    }
    const double lag = s.lags[k];
    if (lag > 0) {
      s.result[k] = past_value(k, depth, t - lag, parameters, windows);
    } else if (lag == 0) {
      std::copy_n(s.result.begin(), k, inputs);
      double* now[4] = {&t, const_cast<double*>(y), parameters, &s.result[k]};
      (windows ? delay.value : delay.value_now)(now);
    } else {  // the step must not end here
      s.result[k] = NAN;
      if (lag < 0) {
        negative_ = static_cast<int>(k);
        negative_lag_ = lag;
      }
    }
  }
  std::copy_n(s.result.begin(), count, inputs);
}

void History::fill(double t, const double* y, double* parameters) {
  fill_first(lags_.size(), 0, t, y, parameters, moment_ ? nullptr : &windows_);
}

void History::find_lags(double t, const double* y, double* parameters) {
  fill(t, y, parameters);
  lags_ = scratch_[0].lags;
}

std::string History::trouble() const {
  if (negative_ < 0) return {};
  return "'" + hybrid_.delayed[negative_].text + "' asks for the future: its delay is " +
         format_short(negative_lag_);
}

double History::next_break(double after) const {
  const double passed = after + rounding(after);
  for (const Arrival& a : arrivals_)
    if (a.time > passed) return a.time;
  return infinite;
}

double History::longest_step(double t, const double* y, double* parameters) {
  if (varies_) find_lags(t, y, parameters);
  double longest = infinite;
  for (double lag : lags_)
    if (lag > 0) longest = std::min(longest, lag);
  if (!varies_) return longest;
  // A delay that is about to leave its window is looked at beyond it only a little.
  constexpr double ahead = 1.25, least = 0.05;
  double leave = infinite;
  for (std::size_t k = 0; k < lags_.size(); ++k) {
    const double then = t - lags_[k];
    const Window w = windows_[k];
    const auto next = static_cast<std::size_t>(w.last) + 1;
    if (!hybrid_.delayed[k].fixed_lag && next < phases_.size()) {
      const double pace = (then - last_then_[k]) / (t - last_time_);
      leave = std::min(leave, ahead * (phases_[next].begin - then) /
                                  (std::isfinite(pace) && pace > 0 ? pace : 1));
    }
    last_then_[k] = then;
  }
  last_time_ = t;
  return std::min(longest, std::max(leave, least * longest));
}

// By how much a delay that varies is outside its window; with the side.
double History::outside(std::size_t k, double t, double lag, int* side) const {
  const double then = t - lag;
  const Window w = windows_[k];
  const auto next = static_cast<std::size_t>(w.last) + 1;
  const double above = next < phases_.size() ? then - phases_[next].begin : -infinite;
  const double below = phases_[w.first].begin - then;
  *side = above > below ? 1 : -1;
  return std::max(above, below) - (rounding(t) + rounding(lag));
}

std::optional<double> History::crossing(double t, double h, const Interpolant& state,
                                        double* parameters) {
  if (!varies_) return std::nullopt;
  constexpr int samples = 8;
  std::vector<double> y(states_);
  int side = 0;
  auto look = [&](double theta) {  // the delay that is farthest outside
    state(theta, y.data());
    find_lags(t + theta * h, y.data(), parameters);
    double most = -infinite;
    for (std::size_t k = 0; k < lags_.size(); ++k)
      if (!hybrid_.delayed[k].fixed_lag && lags_[k] > 0)
        most = std::max(most, outside(k, t + theta * h, lags_[k], &side));
    return most;
  };
  double left = 0;
  for (int i = 1; i <= samples; ++i) {
    double right = static_cast<double>(i) / samples;
    if (!(look(right) > 0)) {
      left = right;
      continue;
    }
    const double resolution = std::max(1e-15, 4e-16 * std::fabs(t) / h);
    while (right - left > resolution) {
      const double middle = 0.5 * (left + right);
      (look(middle) > 0 ? right : left) = middle;
    }
    look(right);
    for (std::size_t k = 0; k < lags_.size(); ++k)
      if (!hybrid_.delayed[k].fixed_lag && lags_[k] > 0)
        moved_[k] = outside(k, t + right * h, lags_[k], &side) > 0 ? side : 0;
    moved_time_ = t + right * h;
    return right;
  }
  return std::nullopt;
}

}  // namespace stiffit::internal
