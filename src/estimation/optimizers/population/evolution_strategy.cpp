// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/population/evolution_strategy.h"

#include <algorithm>
#include <cmath>

#include "base/normal_draw.h"

namespace stiffit::internal {

EvolutionStrategy::EvolutionStrategy(const std::vector<EstimatedParameter>& unknowns,
                                     SearchOptions options)
    : unknowns_(unknowns), options_(std::move(options)) {
  if (options_.parents <= 0) options_.parents = 15;
  if (options_.offspring <= 0) options_.offspring = 100;
  options_.offspring = std::max(options_.offspring, options_.parents);
  for (std::size_t i = 0; i < unknowns_.size(); ++i)
    smallest_.push_back(1e-9 * (options_.to[i] - options_.from[i]));
}

Points EvolutionStrategy::ask() {
  const std::size_t n = unknowns_.size();
  const double all = 1 / std::sqrt(2.0 * static_cast<double>(n));           // tau'
  const double own = 1 / std::sqrt(2 * std::sqrt(static_cast<double>(n)));  // tau
  SplitMix random = stream(options_.seed, static_cast<std::uint64_t>(generation_));
  Points points(options_.offspring, std::vector<double>(n));
  steps_.assign(points.size(), std::vector<double>(n));
  const auto parents = static_cast<int>(parents_.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (parents_.empty()) {
      for (std::size_t i = 0; i < n; ++i) {
        points[k][i] = options_.from[i] + random.unit() * (options_.to[i] - options_.from[i]);
        steps_[k][i] = std::max(smallest_[i], (options_.to[i] - options_.from[i]) / 6);
      }
      continue;
    }
    const Individual& a = parents_[random.below(parents)];
    const Individual& b = parents_[random.below(parents)];
    const double common = all * normal_draw(random);
    for (std::size_t i = 0; i < n; ++i) {
      double x = a.x[i], sigma = a.sigma[i];
      if (options_.recombination == Recombination::discrete && random.chance(50)) x = b.x[i];
      if (options_.recombination == Recombination::intermediate) x = 0.5 * (x + b.x[i]);
      if (options_.recombination != Recombination::none) sigma = std::sqrt(sigma * b.sigma[i]);
      sigma = std::max(smallest_[i], sigma * std::exp(common + own * normal_draw(random)));
      steps_[k][i] = sigma;
      points[k][i] =
          reflected(x + sigma * normal_draw(random), unknowns_[i].lower, unknowns_[i].upper);
    }
  }
  return points;
}

void EvolutionStrategy::tell(const Points& points, const std::vector<double>& values) {
  std::vector<Individual> all;
  if (options_.plus) all = std::move(parents_);
  for (std::size_t k = 0; k < points.size(); ++k) all.push_back({points[k], steps_[k], values[k]});
  std::stable_sort(all.begin(), all.end(),
                   [](const Individual& a, const Individual& b) { return a.value < b.value; });
  if (all.size() > static_cast<std::size_t>(options_.parents)) all.resize(options_.parents);
  parents_ = std::move(all);
  ++generation_;
}

bool EvolutionStrategy::at_rest(double unit) {
  if (parents_.empty() || !std::isfinite(parents_.back().value)) return false;
  if (parents_.back().value - parents_.front().value > 1e-9 * unit) return false;
  for (const Individual& parent : parents_)
    for (std::size_t i = 0; i < unknowns_.size(); ++i)
      if (parent.sigma[i] > 1e3 * smallest_[i]) return false;
  return true;
}

void EvolutionStrategy::save(RecordWriter& out) const {
  out.whole(generation_);
  out.whole(parents_.size());
  for (const Individual& parent : parents_) {
    out.numbers(parent.x);
    out.numbers(parent.sigma);
    out.number(parent.value);
  }
}

void EvolutionStrategy::restore(RecordReader& from) {
  generation_ = from.whole();
  parents_.resize(from.length(sizeof(double)));
  for (Individual& parent : parents_) {
    parent.x = from.numbers();
    parent.sigma = from.numbers();
    parent.value = from.number();
    if (parent.x.size() != unknowns_.size() || parent.sigma.size() != unknowns_.size())
      throw BadRecord("another problem's population");
  }
}

}  // namespace stiffit::internal
