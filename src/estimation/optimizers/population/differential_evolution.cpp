// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/population/differential_evolution.h"

#include <algorithm>
#include <cmath>

#include "base/normal_draw.h"
#include "base/splitmix.h"

namespace stiffit::internal {

DifferentialEvolution::DifferentialEvolution(const std::vector<EstimatedParameter>& unknowns,
                                             SearchOptions options)
    : unknowns_(unknowns), options_(std::move(options)) {
  const int n = static_cast<int>(unknowns_.size());
  if (options_.offspring <= 0) options_.offspring = std::clamp(10 * n, 24, 200);
  options_.offspring = std::max(options_.offspring, 5);
}

Points DifferentialEvolution::ask() {
  const std::size_t n = unknowns_.size(), size = options_.offspring;
  SplitMix random = stream(options_.seed, static_cast<std::uint64_t>(generation_));
  Points points(size, std::vector<double>(n));
  if (members_.empty()) {
    for (std::vector<double>& point : points)
      for (std::size_t i = 0; i < n; ++i)
        point[i] = options_.from[i] + random.unit() * (options_.to[i] - options_.from[i]);
    trial_weights_.assign(size, 0.5);
    trial_crossings_.assign(size, 0.9);
    return points;
  }
  std::vector<std::size_t> order(size);
  for (std::size_t k = 0; k < size; ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values_[a] < values_[b]; });
  const int leaders = std::max(2, options_.offspring / 10);
  for (std::size_t k = 0; k < size; ++k) {
    trial_weights_[k] = random.chance(10) ? 0.1 + 0.9 * random.unit() : weights_[k];
    trial_crossings_[k] = random.chance(10) ? random.unit() : crossings_[k];
    auto other = [&] { return static_cast<std::size_t>(random.below(options_.offspring)); };
    std::size_t a, b, c;
    do a = other();
    while (a == k);
    do b = other();
    while (b == k || b == a);
    do c = other();
    while (c == k || c == a || c == b);
    // Half of them start from one of the best.
    const std::size_t leader = order[random.below(leaders)];
    const bool led = random.chance(50);
    const std::size_t sure = random.below(static_cast<int>(n));
    for (std::size_t i = 0; i < n; ++i) {
      const bool crosses = i == sure || random.unit() < trial_crossings_[k];
      const double base =
          led ? members_[k][i] + trial_weights_[k] * (members_[leader][i] - members_[k][i])
              : members_[a][i];
      const double moved = base + trial_weights_[k] * (members_[b][i] - members_[c][i]);
      points[k][i] =
          crosses ? reflected(moved, unknowns_[i].lower, unknowns_[i].upper) : members_[k][i];
    }
  }
  return points;
}

void DifferentialEvolution::tell(const Points& points, const std::vector<double>& values) {
  ++generation_;
  if (members_.empty()) {
    members_ = points;
    values_ = values;
    weights_ = trial_weights_;
    crossings_ = trial_crossings_;
    return;
  }
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (values[k] > values_[k]) continue;
    members_[k] = points[k];
    values_[k] = values[k];
    weights_[k] = trial_weights_[k];
    crossings_[k] = trial_crossings_[k];
  }
}

bool DifferentialEvolution::at_rest(double unit) {
  if (values_.empty()) return false;
  const auto [low, high] = std::minmax_element(values_.begin(), values_.end());
  return std::isfinite(*high) && *high - *low < 1e-9 * unit;
}

void DifferentialEvolution::save(RecordWriter& out) const {
  out.whole(generation_);
  save_points(out, members_);
  out.numbers(values_);
  out.numbers(weights_);
  out.numbers(crossings_);
}

void DifferentialEvolution::restore(RecordReader& from) {
  generation_ = from.whole();
  members_ = restored_points(from, unknowns_.size());
  values_ = from.numbers();
  weights_ = trial_weights_ = from.numbers();
  crossings_ = trial_crossings_ = from.numbers();
  if (values_.size() != members_.size() || weights_.size() != members_.size() ||
      crossings_.size() != members_.size() ||
      members_.size() > static_cast<std::size_t>(options_.offspring))
    throw BadRecord("another problem's population");
}

}  // namespace stiffit::internal
