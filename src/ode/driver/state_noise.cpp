// What rounding makes of the rates, so that it is not taken for an error.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "ode/driver/state_scales.h"

namespace stiffit::internal {
namespace {

constexpr int rounds_of_noise = 3;
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
// Differences of fourth order of rates along the time; what is smooth vanishes there, and noise of
// size 1 has sqrt(70) on average. Windows are in units of the step.
constexpr int terms_of_difference = 5, places_of_noise = 8;
constexpr double noise_weights[terms_of_difference] = {1, -4, 6, -4, 1};
constexpr double windows[] = {1.0 / 1024, 1.0 / 64, 1.0 / 4};
constexpr double wide_windows[] = {4, 64};
constexpr int halvings = 44;
constexpr double noise_of_difference = 1 / 8.366600265340756;
constexpr double times_noise = 32;   // differences of high order magnify it
constexpr double least_felt = 0.01;  // of the relative tolerance

// Of the rates of a state at all places: the root mean square of those that can be had, since one
// alone may vanish by chance.
double difference_of(const std::vector<double>& rates, std::size_t state) {
  const std::size_t n = rates.size() / places_of_noise;
  constexpr int count = places_of_noise - terms_of_difference + 1;
  double squares = 0;
  for (std::size_t first = 0; first < count; ++first) {
    double sum = 0;
    for (std::size_t k = 0; k < terms_of_difference; ++k)
      sum += noise_weights[k] * (rates[(first + k) * n + state] - rates[first * n + state]);
    squares += sum * sum;
  }
  return std::sqrt(squares / count);
}

}  // namespace

// What may grow again has no scale but itself: its noise falls with it.
void StateScales::follow_noise(int lane) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i)
    if (const std::size_t k = at(i, lane); relative_[k] > 0 && expected_[k] > 0) {
      expected_[k] = std::min(expected_[k], relative_[k] * std::fabs(group_.y[k]));
      group_.largest[k] = std::max(reached_[k], expected_[k]);
    }
}

// Hamming's table of differences, as in More and Wild, SIAM J. Sci. Comput. 33 (2011) 1292: the
// narrowest window counts in which a rate moves at all, before and after. In wider ones it might be
// the rate itself, unless that is a stair.
void StateScales::find_noise_of_inputs(int lane, double h) {
  const std::size_t n = group_.n, l = lane;
  if (program_.autonomous) return;
  if (jitter_.empty()) jitter_.assign(group_.y.size(), 0.0);
  for (std::size_t i = 0; i < n; ++i) jitter_[at(i, lane)] = 0;
  std::copy_n(group_.t.data(), lanes_.size(), time_.data());
  const double t = group_.t[l];
  std::vector<double> rates(static_cast<std::size_t>(places_of_noise) * n);  // [place][state]
  for (double window : windows) {
    for (double side : {-1.0, 1.0}) {
      std::vector<double>& noise = side < 0 ? linear_ : yield_;
      for (std::size_t k = 0; k < places_of_noise; ++k) {
        rates_at(lane, t + side * static_cast<double>(k) * window / places_of_noise * h);
        for (std::size_t i = 0; i < n; ++i) rates[k * n + i] = slope_[at(i, lane)];
      }
      for (std::size_t i = 0; i < n; ++i) noise[i] = noise_of_difference * difference_of(rates, i);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double here = std::min(linear_[i], yield_[i]);
      const bool moves = here > std::numeric_limits<double>::epsilon() * std::fabs(rates[i]);
      if (double& own = jitter_[at(i, lane)]; own == 0 && moves && std::isfinite(here)) own = here;
    }
  }
  for (double window : wide_windows)
    if (find_stair(lane, window * h)) return;
}

void StateScales::rates_at(int lane, double t) {
  time_[lane] = t;
  double* arrays[4] = {time_.data(), group_.y.data(), group_.parameters.data(), slope_.data()};
  program_.rhs(arrays);
}

// A jump in a rate that stands still on either side of it is a stair: one of rounding, since those
// of the model are known. Found by bisection; what moves smoothly does not jump.
bool StateScales::find_stair(int lane, double window) {
  const std::size_t n = group_.n;
  double left = group_.t[lane], right = left + window;
  auto keep = [&](std::vector<double>& f) {
    for (std::size_t i = 0; i < n; ++i) f[i] = slope_[at(i, lane)];
  };
  rates_at(lane, left);
  keep(linear_);
  rates_at(lane, right);
  keep(yield_);
  std::size_t moves = n;
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double change =
        std::fabs(yield_[i] - linear_[i]) / group_.weight(static_cast<int>(i), lane);
    if (jitter_[at(i, lane)] == 0 && change > most) {
      most = change;
      moves = i;
    }
  }
  if (moves == n) return false;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (left + right);
    if (!(left < middle && middle < right)) break;
    rates_at(lane, middle);
    const bool as_left = slope_[at(moves, lane)] == linear_[moves];
    keep(as_left ? linear_ : yield_);
    (as_left ? left : right) = middle;
  }
  for (std::size_t i = 0; i < n; ++i)
    if (double& own = jitter_[at(i, lane)]; own == 0) own = std::fabs(yield_[i] - linear_[i]);
  return true;
}

// Rounding in the flows through a state over the time that it remembers, and what that is to those
// it feeds. Steps that were rejected were too long for noise, perhaps: it is that of the longest.
bool StateScales::look(int lane) {
  Lane& own = lanes_[lane];
  own.look_at = group_.counters[lane].steps + steps_between_looks;
  prepare();
  differentiate(group_.t.data(), group_.y.data());
  const std::size_t n = group_.n;
  const Sparsity& pattern = program_.pattern;
  std::fill(inflow_.begin(), inflow_.end(), 0.0);
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const double size = std::fabs(group_.y[at(j, lane)]);
    for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      const std::size_t i = pattern.row[p];
      const double entry = std::fabs(jacobian_[at(static_cast<std::size_t>(p), lane)]);
      inflow_[i] += entry * size;
      if (i == j) diagonal_[i] = entry;
    }
  }
  const double h = group_.h[lane], wanted = std::max(h, own.tried);
  if (rejected_since_look(lane) >= many_rejections || own.rejections >= rejections_to_look ||
      !jitter_.empty())
    find_noise_of_inputs(lane, wanted);
  own.rejected = group_.counters[lane].rejected;
  auto jitter = [&](std::size_t i) { return jitter_.empty() ? 0.0 : jitter_[at(i, lane)]; };
  for (std::size_t i = 0; i < n; ++i) {
    size_[i] = wanted * diagonal_[i] > 1 ? 1 / diagonal_[i] : h;
    yield_[i] = inflow_[i] = (rounding * inflow_[i] + times_noise * jitter(i)) * size_[i];
  }
  for (int round = 0; round < rounds_of_noise; ++round) {
    passing_ = inflow_;
    for (std::size_t j = 0; j < n; ++j)
      for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        const std::size_t i = pattern.row[p];
        const double entry = std::fabs(jacobian_[at(static_cast<std::size_t>(p), lane)]);
        if (i != j) passing_[i] += size_[i] * entry * yield_[j];
      }
    yield_.swap(passing_);
  }
  const double unit = 1 / (group_.options.rtol * std::max(group_.relative_floor(), 1e-30));
  bool noisy = false, fading = false, more = false;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = at(i, lane);
    if (orphan_[k]) continue;
    const double noise = unit * yield_[i], before = group_.largest[k];
    if (own.settling > 0 && expected_[k] > 0) {
      reached_[k] = std::max(reached_[k], group_.share[k] * std::fabs(group_.y[k]));
    } else if (!own.noisy) {
      reached_[k] = group_.largest[k];
      expected_[k] = 0;
    } else if (expected_[k] > 0) {
      reached_[k] = std::max(reached_[k], group_.share[k] * std::fabs(group_.y[k]));
      expected_[k] = 0;
    } else {
      reached_[k] = group_.largest[k];
    }
    const double size = std::fabs(group_.y[k]);
    relative_[k] = 0;
    const bool felt = followed_ || yield_[i] > least_felt * group_.options.rtol * size;
    if (noise > reached_[k] && felt && std::isfinite(noise)) {
      expected_[k] = std::max(expected_[k], noise);
      if (own.settling > 0) rest_[k] = std::max(rest_[k], noise);
      if (group_.share[k] < 1 && size > 0) {
        relative_[k] = noise / size;
        fading = true;
      }
      noisy = true;
    }
    group_.largest[k] = std::max(reached_[k], expected_[k]);
    more |= group_.largest[k] > 2 * before;
  }
  own.noisy = noisy;
  own.fading_noise = fading;
  if (fading) busy_ |= 1u << lane;
  return more;
}

}  // namespace stiffit::internal
