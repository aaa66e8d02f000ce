// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/growing_data.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stiffit::internal {
namespace {

// Noise alone turns at every second or third point.
constexpr std::size_t points_per_turn = 5;

using Series = std::map<double, std::pair<double, int>>;  // sum and number at each time

// What is compared: the measurement or its logarithm.
double compared(const Measurement& m, const ProblemObservable& o) {
  return o.transformation == Transformation::none ? m.value : std::log(m.value);
}

std::vector<Series> series_of(const FitProblem& problem) {
  std::map<std::vector<int>, Series> found;
  for (const Measurement& m : problem.measurements) {
    const double value = compared(m, problem.observables[m.observable]);
    if (!std::isfinite(m.time) || !std::isfinite(value)) continue;
    // Measurements with other scales or offsets are another series.
    std::vector<int> key{m.experiment, m.observable};
    for (const PlaceholderValue& p : m.placeholders) key.push_back(p.parameter);
    auto& [sum, count] = found[key][m.time];
    sum += value;
    ++count;
  }
  std::vector<Series> all;
  for (auto& [key, series] : found) all.push_back(std::move(series));
  for (const FitProblem& part : problem.parts)
    for (Series& series : series_of(part)) all.push_back(std::move(series));
  return all;
}

// Times of the highest and lowest points between swings of a quarter of the range.
std::vector<double> turns(const Series& series) {
  double low = INFINITY, high = -INFINITY;
  for (auto& [time, sum] : series) {
    low = std::min(low, sum.first / sum.second);
    high = std::max(high, sum.first / sum.second);
  }
  const double swing = 0.25 * (high - low);
  std::vector<double> found;
  if (!(swing > 0)) return found;
  double top = -INFINITY, bottom = INFINITY, top_time = 0, bottom_time = 0;
  int direction = 0;
  for (auto& [time, sum] : series) {
    const double value = sum.first / sum.second;
    if (value > top) {
      top = value;
      top_time = time;
    }
    if (value < bottom) {
      bottom = value;
      bottom_time = time;
    }
    if (direction >= 0 && value < top - swing) {
      if (direction > 0) found.push_back(top_time);
      direction = -1;
      bottom = value;
      bottom_time = time;
    } else if (direction <= 0 && value > bottom + swing) {
      if (direction < 0) found.push_back(bottom_time);
      direction = 1;
      top = value;
      top_time = time;
    }
  }
  return found;
}

}  // namespace

std::vector<double> growing_ends(const FitProblem& problem, std::size_t most) {
  std::vector<double> longest;
  for (const Series& series : series_of(problem)) {
    std::vector<double> found = turns(series);
    if (points_per_turn * found.size() > series.size()) continue;
    if (found.size() > longest.size()) longest = std::move(found);
  }
  if (longest.size() < 3 || most == 0) return {};
  longest.erase(longest.begin());  // before the second turn there is no swing to be in step with
  if (longest.size() <= most) return longest;
  std::vector<double> ends;
  for (std::size_t k = 0; k < most; ++k)
    ends.push_back(longest[k * (longest.size() - 1) / std::max<std::size_t>(1, most - 1)]);
  return ends;
}

FitProblem until(const FitProblem& problem, double end) {
  FitProblem cut = problem;
  std::erase_if(cut.measurements,
                [&](const Measurement& m) { return m.time > end && std::isfinite(m.time); });
  for (FitProblem& part : cut.parts) part = until(part, end);
  int row = 0;
  for (Measurement& m : cut.measurements) m.row = row++;
  for (FitProblem& part : cut.parts)
    for (Measurement& m : part.measurements) m.row = row++;
  return cut;
}

}  // namespace stiffit::internal
