// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/curvature_check.h"

#include <Eigen/Core>
#include <cmath>

#include "base/threads.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

// 2 (value - minimum) / unit at the end of the way that the covariance foretells, and what the
// others would take off it if they were fitted there. NaN: there is no such point.
struct AtLimit {
  double ratio = std::nan(""), gain = std::nan("");
};

AtLimit at_limit(const Objective& objective, const LocalFit& best, const FitStatistics& s,
                 std::size_t place, int direction, double unit) {
  const std::size_t m = s.free.size(), n = best.x.size();
  const double own = s.covariance[place * m + place];
  const double half = s.each[s.free[place]].free_single;
  std::vector<double> x = best.x;
  for (std::size_t b = 0; b < m; ++b) {
    const std::size_t i = s.free[b];
    x[i] += direction * half * s.covariance[place * m + b] / own;
    const EstimatedParameter& u = objective.unknowns()[i];
    if (!(x[i] > u.lower && x[i] < u.upper)) return {};
  }
  const Evaluation e = objective.evaluate(x, Need::fisher);
  if (!e.ok()) return {};
  AtLimit there;
  there.ratio = 2 * (e.value - best.at.value) / unit;
  const Eigen::Index rest = m - 1;
  there.gain = 0;
  if (rest == 0) return there;
  Eigen::MatrixXd f(rest, rest);
  Eigen::VectorXd g(rest);
  Eigen::Index row = 0;
  for (std::size_t a = 0; a < m; ++a) {
    if (a == place) continue;
    Eigen::Index column = 0;
    for (std::size_t b = 0; b < m; ++b)
      if (b != place) f(row, column++) = e.fisher[s.free[a] * n + s.free[b]];
    g(row++) = e.gradient[s.free[a]];
  }
  there.gain = g.dot(SymmetricFactors(f).solve(g)) / unit;
  return there;
}

}  // namespace

std::vector<std::size_t> curved_unknowns(const Objective& objective, const LocalFit& best,
                                         const FitStatistics& s, int threads, long& evaluations) {
  const double unit = value_unit(objective, best.at), wanted = s.single_quantile;
  const std::size_t m = s.free.size();
  std::vector<char> curved(2 * m, 0);
  std::vector<std::size_t> looked_at;
  for (std::size_t a = 0; a < m; ++a)
    if (has_both_limits(s.each[s.free[a]].identifiability) &&
        std::isfinite(s.covariance[a * m + a]))
      looked_at.push_back(a);
  for_each_index(2 * looked_at.size(), threads, [&](std::size_t k) {
    const AtLimit there = at_limit(objective, best, s, looked_at[k / 2], k % 2 ? 1 : -1, unit);
    const double profile = there.ratio - there.gain;
    curved[2 * looked_at[k / 2] + k % 2] =
        !(std::fabs(profile - wanted) < straight_enough * wanted &&
          there.gain < 2 * straight_enough * wanted);
  });
  evaluations += static_cast<long>(2 * looked_at.size());
  std::vector<std::size_t> found;
  for (std::size_t a : looked_at)
    if (curved[2 * a] || curved[2 * a + 1]) found.push_back(s.free[a]);
  return found;
}

}  // namespace stiffit::internal
