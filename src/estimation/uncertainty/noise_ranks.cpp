// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/noise_ranks.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/interrupt.h"
#include "base/normal_draw.h"

namespace stiffit::internal {
namespace {

constexpr int most_draws = 1999, fewest_draws = 199;
constexpr double most_products = 1e8;  // for all draws

}  // namespace

double noise_draw(SplitMix& random, NoiseKind kind, double freedom) {
  if (kind == NoiseKind::normal) return normal_draw(random);
  if (kind == NoiseKind::student_t)
    return boost::math::quantile(boost::math::students_t(freedom),
                                 std::clamp(random.unit(), 1e-15, 1 - 1e-15));
  const double u = random.unit() - 0.5;
  return (u < 0 ? 1 : -1) * std::log(1 - 2 * std::abs(u));
}

NoiseRanks::NoiseRanks(Eigen::MatrixXd draws) : draws_(std::move(draws)) {
  for (Eigen::Index j = 0; j < draws_.cols(); ++j) {
    std::vector<double> sorted(draws_.col(j).begin(), draws_.col(j).end());
    std::sort(sorted.begin(), sorted.end());
    sorted_.push_back(std::move(sorted));
  }
}

double NoiseRanks::p_value(Eigen::Index test, double statistic) const {
  return (1.0 + at_least(test, statistic)) / static_cast<double>(draws() + 1);
}

double NoiseRanks::joint(const std::vector<Eigen::Index>& tests,
                         const std::vector<double>& values) const {
  double least = 1;
  for (Eigen::Index j : tests) least = std::min(least, p_value(j, values[j]));
  double count = 0;
  for (Eigen::Index b = 0; b < draws(); ++b) {
    double own = 1;
    for (Eigen::Index j : tests)
      own = std::min(own, at_least(j, draws_(b, j)) / static_cast<double>(draws()));
    count += own <= least ? 1 : 0;
  }
  return (1 + count) / static_cast<double>(draws() + 1);
}

double NoiseRanks::at_least(Eigen::Index test, double statistic) const {
  const std::vector<double>& s = sorted_[test];
  return static_cast<double>(s.end() - std::lower_bound(s.begin(), s.end(), statistic));
}

double tested_residual(double residual, NoiseKind kind, double freedom) {
  if (kind != NoiseKind::student_t) return residual;
  return residual * (freedom + 1) / (freedom + residual * residual);
}

Eigen::MatrixXd tests_of_noise(const ResidualTests& tests, const Eigen::MatrixXd& directions,
                               const Eigen::MatrixXd& share, const std::vector<NoiseKind>& kinds,
                               const std::vector<double>& freedom, std::uint64_t seed) {
  const Eigen::Index n = kinds.size(), columns = directions.cols();
  const double each = static_cast<double>(n) * static_cast<double>(2 * columns + 10);
  const Eigen::Index draws = std::clamp<Eigen::Index>(
      static_cast<Eigen::Index>(most_products / std::max(1.0, each)), fewest_draws, most_draws);
  Eigen::MatrixXd result(draws, static_cast<Eigen::Index>(tests.tests().size()));
  Eigen::VectorXd noise(directions.rows());
  for (Eigen::Index b = 0; b < draws; ++b) {
    if (InterruptScope::raised()) throw Interrupted();
    SplitMix random = stream(seed, static_cast<std::uint64_t>(b));
    // What a fit follows of noise with heavy tails is its influence, not its size.
    for (Eigen::Index k = 0; k < noise.size(); ++k)
      noise(k) =
          k < n ? tested_residual(noise_draw(random, kinds[k], freedom[k]), kinds[k], freedom[k])
                : noise_draw(random, NoiseKind::normal, 0);
    const Eigen::VectorXd left = noise - directions * (share * noise);
    const std::vector<double> values =
        tests.statistics(std::span(left.data(), static_cast<std::size_t>(n)));
    for (std::size_t j = 0; j < values.size(); ++j) result(b, j) = values[j];
  }
  return result;
}

}  // namespace stiffit::internal
