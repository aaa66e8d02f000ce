// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/starts.h"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <numeric>

#include "base/splitmix.h"

namespace stiffit::internal {
namespace {

using Points = std::vector<std::vector<double>>;

Points uniform_points(std::size_t count, std::size_t n, SplitMix& random) {
  Points points(count, std::vector<double>(n));
  for (auto& point : points)
    for (double& u : point) u = random.unit();
  return points;
}

// Each of `count` equal slices of every axis holds exactly one point.
Points latin_points(std::size_t count, std::size_t n, SplitMix& random) {
  Points points(count, std::vector<double>(n));
  std::vector<std::size_t> slice(count);
  for (std::size_t j = 0; j < n; ++j) {
    std::iota(slice.begin(), slice.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(slice[i - 1], slice[random.next() % i]);
    for (std::size_t i = 0; i < count; ++i)
      points[i][j] = (static_cast<double>(slice[i]) + random.unit()) / static_cast<double>(count);
  }
  return points;
}

// Shifted around the torus by the seed, so that seeds differ and no point is on a bound.
Points sobol_points(std::size_t count, std::size_t n, SplitMix& random) {
  boost::random::sobol sequence(n);
  std::vector<double> shift(n);
  for (double& s : shift) s = random.unit();
  Points points(count, std::vector<double>(n));
  for (auto& point : points)
    for (std::size_t j = 0; j < n; ++j) {
      double u = static_cast<double>(sequence() >> 11) * 0x1p-53 + shift[j];
      u -= std::floor(u);
      point[j] = std::clamp(u, 1e-12, 1 - 1e-12);
    }
  return points;
}

}  // namespace

Quantile uniform_in_bounds(const std::vector<EstimatedParameter>& unknowns) {
  std::vector<double> low, width;
  for (const EstimatedParameter& u : unknowns) {
    double centre = std::isfinite(u.start) ? u.start : 0;
    double reach = 3 * std::max(1.0, std::abs(centre));
    double from = std::isfinite(u.lower)   ? u.lower
                  : std::isfinite(u.upper) ? std::min(centre, u.upper) - reach
                                           : centre - reach;
    double to = std::isfinite(u.upper) ? u.upper : std::max(centre, from) + reach;
    low.push_back(from);
    width.push_back(to - from);
  }
  return [low, width](std::size_t i, double u) { return low[i] + u * width[i]; };
}

std::vector<std::vector<double>> sample_starts(const std::vector<EstimatedParameter>& unknowns,
                                               std::size_t count, Sampling sampling,
                                               std::uint64_t seed, const Quantile& quantile) {
  SplitMix random(seed);
  std::size_t n = unknowns.size();
  Points points = sampling == Sampling::latin_hypercube ? latin_points(count, n, random)
                  : sampling == Sampling::sobol         ? sobol_points(count, n, random)
                                                        : uniform_points(count, n, random);
  for (auto& point : points)
    for (std::size_t j = 0; j < n; ++j)
      point[j] = std::clamp(quantile(j, point[j]), unknowns[j].lower, unknowns[j].upper);
  return points;
}

}  // namespace stiffit::internal
