// Exploratory chains look for places that the fit has not been to: many walkers begin hot, half of
// them anywhere between the bounds, and cool down to the warmer level, whose chains begin where
// they end. Part of the warm-up: no draw comes from them. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/normal_draw.h"
#include "base/reflected.h"
#include "estimation/uncertainty/sampling/sampler.h"

namespace stiffit::internal {
namespace {

constexpr double hottest = 0.03;  // coldness at the beginning
constexpr std::size_t for_each_chain = 8;

}  // namespace

std::vector<Sampler::Walker> Sampler::first_explorers() {
  const std::vector<EstimatedParameter>& unknowns = objective_.unknowns();
  std::vector<std::vector<double>> points;
  for (std::size_t k = 0; k < for_each_chain * options_.chains; ++k) {
    SplitMix random = stream_of(k, 300);
    std::vector<double> point = places_[k % places_.size()];
    for (std::size_t i = 0; k % 2 == 1 && i < n_; ++i)
      point[i] = reflected(point[i] + width_(i) * (random.unit() - 0.5), unknowns[i].lower,
                           unknowns[i].upper);
    points.push_back(std::move(point));
  }
  const std::vector<Evaluation> values = objective_.values(points, options_.threads);
  std::vector<Walker> explorers;
  for (std::size_t k = 0; k < points.size(); ++k)
    if (const double u = value_of(values[k]); std::isfinite(u)) {
      explorers.emplace_back();
      explorers.back().x = points[k];
      explorers.back().u = u;
    }
  return explorers;
}

// One unknown by a step of any length, all of them as the Fisher information says, or along the
// difference of two others.
std::vector<double> Sampler::explored(const std::vector<Walker>& explorers, std::size_t k,
                                      double coldness, SplitMix& random) const {
  const std::vector<EstimatedParameter>& unknowns = objective_.unknowns();
  std::vector<double> point = explorers[k].x;
  const double kind = random.unit();
  if (kind < 0.4) {
    const std::size_t i = random.below(static_cast<int>(n_));
    const double length = width_(i) * std::pow(10, -3 * random.unit());
    point[i] = reflected(point[i] + 0.5 * length * normal_draw(random), unknowns[i].lower,
                         unknowns[i].upper);
    return point;
  }
  const double usual = 2.38 / std::sqrt(static_cast<double>(n_));
  Eigen::VectorXd step(width_.size());
  if (kind < 0.6) {
    for (double& x : step) x = normal_draw(random);
    step = usual / std::sqrt(coldness) * std::pow(10, -random.unit()) *
           (levels_.front().factor * step);
  } else {
    const std::size_t a = random.below(static_cast<int>(explorers.size()));
    const std::size_t b = random.below(static_cast<int>(explorers.size()));
    const double length = kind < 0.65 ? 1 : usual * std::sqrt(0.5) * (0.5 + random.unit());
    for (std::size_t i = 0; i < n_; ++i) step(i) = length * (explorers[a].x[i] - explorers[b].x[i]);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    point[i] += step(i);
    if (point[i] < unknowns[i].lower || point[i] > unknowns[i].upper) return {};
  }
  return point;
}

// Those that are low enough to have weight, each as far from those before as can be: places that
// few have found are not lost.
std::vector<Sampler::Walker> Sampler::most_distant(const std::vector<Walker>& explorers,
                                                   double coldness) const {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Walker& w : explorers) lowest = std::min(lowest, w.u);
  std::vector<const Walker*> sound;
  for (const Walker& w : explorers)
    if (w.u <= lowest + (0.5 * static_cast<double>(n_) + 6) / coldness) sound.push_back(&w);
  std::vector<double> distance(sound.size(), std::numeric_limits<double>::infinity());
  std::vector<Walker> chosen;
  std::size_t next = 0;
  for (std::size_t k = 1; k < sound.size(); ++k)
    if (sound[k]->u < sound[next]->u) next = k;
  while (chosen.size() < static_cast<std::size_t>(options_.chains)) {
    chosen.push_back(*sound[next]);
    for (std::size_t k = 0; k < sound.size(); ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < n_; ++i)
        sum += std::pow((sound[k]->x[i] - chosen.back().x[i]) / width_(i), 2);
      distance[k] = std::min(distance[k], sum);
    }
    next = std::max_element(distance.begin(), distance.end()) - distance.begin();
  }
  return chosen;
}

void Sampler::explore() {
  std::vector<Walker> explorers = first_explorers();
  if (explorers.empty()) return;
  const long iterations = 300 + 75 * static_cast<long>(n_);
  const double end = coldness_[1];
  for (long t = 0; t < iterations; ++t) {
    if (options_.interrupt && options_.interrupt->load()) return;
    const double coldness =
        hottest *
        std::pow(end / hottest, std::min(1.0, 1.2 * static_cast<double>(t) / double(iterations)));
    std::vector<SplitMix> random;
    std::vector<std::vector<double>> points;
    std::vector<std::size_t> whose;
    for (std::size_t k = 0; k < explorers.size(); ++k) {
      random.push_back(stream_of(static_cast<std::uint64_t>(t), 10000 + k));
      std::vector<double> point = explored(explorers, k, coldness, random[k]);
      if (point.empty()) continue;
      points.push_back(std::move(point));
      whose.push_back(k);
    }
    const std::vector<Evaluation> values = objective_.values(points, options_.threads);
    for (std::size_t p = 0; p < points.size(); ++p) {
      Walker& w = explorers[whose[p]];
      const double u = value_of(values[p]);
      if (!std::isfinite(u) || random[whose[p]].unit() >= std::exp(coldness * (w.u - u))) continue;
      w.x = std::move(points[p]);
      w.u = u;
    }
  }
  const std::vector<Walker> found = most_distant(explorers, end);
  for (std::size_t chain = 0; chain < found.size(); ++chain) {
    walker(1, chain) = found[chain];
    if (std::find(scouted_.begin(), scouted_.end(), found[chain].x) == scouted_.end())
      scouted_.push_back(found[chain].x);
  }
}

}  // namespace stiffit::internal
