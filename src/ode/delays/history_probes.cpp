// Whether a step sees what delays bring: what was narrow in the past comes back as narrow.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "compile/time_scan.h"
#include "ode/delays/history.h"

namespace stiffit::internal {
namespace {

// As in time_scan.cpp: two sets of probes into a step, both of which must show a share of it.
constexpr double share = 4;
constexpr std::array<double, 5> first_probes{0, 0.146, 0.386, 0.63, 1},
    second_probes{0, 0.25, 0.5, 0.75, 1};
constexpr std::size_t few = 3;  // steps of the past that one step sees well enough
constexpr int most_halvings = 40;

}  // namespace

// Whether the states between these times hold more than probes at a few of them show.
bool History::states_hide(std::size_t k, double from, double to,
                          const std::vector<double>& allowed) {
  const auto first = std::upper_bound(begins_.begin(), begins_.end(), from);
  const auto last = std::lower_bound(begins_.begin(), begins_.end(), to);
  if (last - first <= static_cast<long>(few)) return false;
  std::vector<double> low(states_, INFINITY), high(states_, -INFINITY), y(states_);
  for (auto step = first; step != last; ++step) {
    const std::size_t index = step - begins_.begin();
    if (ends_[index] > to) break;
    const double* at = values_.data() + index * nodes * states_;
    for (std::size_t j = 0; j < nodes; ++j)
      for (std::size_t i = 0; i < states_; ++i) {
        low[i] = std::min(low[i], at[j * states_ + i]);
        high[i] = std::max(high[i], at[j * states_ + i]);
      }
  }
  for (const auto& probes : {first_probes, second_probes}) {
    std::vector<double> least(states_, INFINITY), most(states_, -INFINITY);
    for (double theta : probes) {
      const double time = from + theta * (to - from);
      state_in(phase_at(windows_[k], time), time, y.data());
      for (std::size_t i = 0; i < states_; ++i) {
        least[i] = std::min(least[i], y[i]);
        most[i] = std::max(most[i], y[i]);
      }
    }
    for (std::size_t i = 0; i < states_; ++i)
      if (high[i] - low[i] > share * (most[i] - least[i]) + allowed[i]) return true;
  }
  return false;
}

// The same of delay k and of the delays in it.
bool History::hides(std::size_t k, double from, double to, double* parameters,
                    const std::vector<double>& allowed) {
  const HybridProgram::Delay& delay = hybrid_.delayed[k];
  if (delay.sees_states && states_hide(k, from, to, allowed)) return true;
  if (delay.scan) {
    const Phase& phase = phases_[phase_at(windows_[k], from)];
    std::vector<double> kept(phase.modes.size());
    swap_modes(phase.modes, parameters, kept);
    const double seen = delay.scan->resolved_step(from, to - from, phase.states.data(), parameters);
    double* slots = parameters + program_.parameters;
    for (std::size_t i = 0; i < kept.size(); ++i) slots[hybrid_.delay_modes[i]] = kept[i];
    if (seen < to - from) return true;
  }
  for (int j : delay.inputs) {
    const std::size_t inner = j;
    if (lags_[inner] > 0 &&
        hides(inner, from - lags_[inner], to - lags_[inner], parameters, allowed))
      return true;
  }
  return false;
}

std::vector<double> History::sizes_of_parts(double t, double* parameters) {
  std::vector<double> sizes(lags_.size(), 0.0), y(states_), kept(hybrid_.delay_modes.size());
  for (std::size_t k = 0; k < lags_.size(); ++k) {
    if (!hybrid_.delayed[k].scan || !(lags_[k] > 0)) continue;
    const double then = t - lags_[k];
    const int phase = phase_at(windows_[k], then);
    state_in(phase, then, y.data());
    swap_modes(phases_[phase].modes, parameters, kept);
    sizes[k] = hybrid_.delayed[k].scan->size_of_parts(then, y.data(), parameters);
    double* slots = parameters + program_.parameters;
    for (std::size_t i = 0; i < kept.size(); ++i) slots[hybrid_.delay_modes[i]] = kept[i];
  }
  return sizes;
}

double History::seen_step(double t, double h, double* parameters,
                          const std::vector<double>& allowed) {
  double shorter = h;
  for (int i = 0; i < most_halvings && t + shorter > t; ++i, shorter *= 0.5) {
    bool hidden = false;
    for (std::size_t k = 0; k < lags_.size() && !hidden; ++k)
      if (lags_[k] > 0)
        hidden = hides(k, t - lags_[k], t + shorter - lags_[k], parameters, allowed);
    if (!hidden) return shorter;
  }
  return h;
}

}  // namespace stiffit::internal
