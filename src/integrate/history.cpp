// SPDX-License-Identifier: Apache-2.0
#include "integrate/history.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiffit {

History::History(const Program& program)
    : program_(program),
      hybrid_(*program.hybrid),
      states_(static_cast<std::size_t>(program.states)),
      lags_(hybrid_.fixed_lag.size()) {}

void History::begin(double start, const double* y, const double* parameters) {
  start_ = start;
  initial_.assign(y, y + states_);
  begins_.clear();
  ends_.clear();
  values_.clear();
  breaks_.clear();
  std::vector<double> p(parameters, parameters + program_.parameter_slots);
  note_break(start, y, p.data());
}

double* History::append(double begin, double end) {
  begins_.push_back(begin);
  ends_.push_back(end);
  values_.resize(values_.size() + nodes * states_);
  return values_.data() + values_.size() - nodes * states_;
}

// A kink in x shows again in x' one delay later, one derivative higher: followed a few times.
void History::note_break(double time, const double* y, double* parameters) {
  double* arrays[4] = {&time, const_cast<double*>(y), parameters, lags_.data()};
  hybrid_.lags(arrays);
  // What lies behind is of no use any more.
  breaks_.erase(breaks_.begin(), std::upper_bound(breaks_.begin(), breaks_.end(), time));
  std::vector<double> level{time};
  for (int depth = 0; depth < kink_levels && !level.empty(); ++depth) {
    std::vector<double> next;
    for (double from : level)
      for (std::size_t k = 0; k < lags_.size(); ++k)
        if (double to = from + lags_[k]; hybrid_.fixed_lag[k] && lags_[k] > 0 && std::isfinite(to))
          next.push_back(to);
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    breaks_.insert(breaks_.end(), next.begin(), next.end());
    level = std::move(next);
    if (breaks_.size() > 10000) break;
  }
  std::sort(breaks_.begin(), breaks_.end());
}

double History::next_break(double after) const {
  // Kinks closer together than rounding are one.
  auto found = std::upper_bound(breaks_.begin(), breaks_.end(), after + 1e-13 * std::fabs(after));
  return found == breaks_.end() ? std::numeric_limits<double>::infinity() : *found;
}

double History::longest_step(double t, const double* y, double* parameters) {
  double* arrays[4] = {&t, const_cast<double*>(y), parameters, lags_.data()};
  hybrid_.lags(arrays);
  double longest = std::numeric_limits<double>::infinity();
  for (double lag : lags_)
    if (lag > 0) longest = std::min(longest, lag);
  return longest;
}

void History::state_at(double time, double* out) const {
  if (time <= start_ || begins_.empty()) {
    std::copy(initial_.begin(), initial_.end(), out);
    return;
  }
  // The last step that begins before; a time past the end of what is known continues it.
  auto found = std::lower_bound(begins_.begin(), begins_.end(), time);
  auto step = static_cast<std::size_t>(found - begins_.begin());
  if (step > 0) --step;
  const double width = ends_[step] - begins_[step];
  const double x = width > 0 ? (time - begins_[step]) / width * (nodes - 1) : 0;
  double weight[nodes];  // Lagrange, nodes 0, 1, .., 4
  for (int k = 0; k < nodes; ++k) {
    weight[k] = 1;
    for (int j = 0; j < nodes; ++j)
      if (j != k) weight[k] *= (x - j) / (k - j);
  }
  const double* at = values_.data() + step * nodes * states_;
  for (std::size_t i = 0; i < states_; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < nodes; ++k) sum += weight[k] * at[k * states_ + i];
    out[i] = sum;
  }
}

void History::fill(double t, const double* y, double* parameters) {
  fill_first(lags_.size(), t, y, parameters);
}

void History::fill_first(std::size_t count, double t, const double* y, double* parameters) {
  std::vector<double> lags(lags_.size()), past(states_), value(lags_.size()), result(count);
  double* inputs = parameters + program_.parameters + program_.modes;
  double* arrays[4] = {&t, const_cast<double*>(y), parameters, lags.data()};
  hybrid_.lags(arrays);
  for (std::size_t k = 0; k < count; ++k) {
    if (hybrid_.nested_lag[k]) {
      std::copy_n(result.begin(), k, inputs);
      hybrid_.lags(arrays);
    }
    double then = t - std::max(0.0, lags[k]);
    const double* state = y;
    if (lags[k] > 0) {
      state_at(then, past.data());
      state = past.data();
    }
    if (hybrid_.nested_value[k]) fill_first(k, then, state, parameters);
    double* there[4] = {&then, const_cast<double*>(state), parameters, value.data()};
    hybrid_.delayed(there);
    result[k] = value[k];
  }
  std::copy(result.begin(), result.end(), inputs);
}

}  // namespace stiffit
