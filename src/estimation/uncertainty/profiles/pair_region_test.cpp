// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/profiles/pair_region.h"

#include <gtest/gtest.h>

#include <numbers>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"

using namespace stiffit::internal;

namespace {

LocalFit lowest(const Objective& o) {
  std::vector<double> x;
  for (const EstimatedParameter& u : o.unknowns()) x.push_back(u.start);
  return fit_trust_region(o, x, {});
}

// Area by the shoelace rule.
double area(const std::vector<PairPoint>& points) {
  double sum = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const PairPoint &p = points[k], &q = points[(k + 1) % points.size()];
    sum += p.a * q.b - q.a * p.b;
  }
  return std::fabs(sum) / 2;
}

// Of a linear model: the ellipse d' V^-1 d = quantile, with V the covariance of the two, whose area
// is pi quantile sqrt(det V). A third unknown is fitted along.
TEST(PairRegion, OfALinearModelIsAnEllipse) {
  const TrialLeastSquares problem({{"a", -100, 100, 0}, {"c", -100, 100, 0}, {"b", -100, 100, 0}},
                                  [](std::span<const double> p) -> std::vector<double> {
                                    return {p[0] - 1, p[0] + p[2] - 3, p[0] + 2 * p[2] - 2,
                                            p[0] + 3 * p[2] + 0.5 * p[1] - 5, 2 * p[1] - p[2]};
                                  });
  const LocalFit best = lowest(problem);
  for (const auto& [first, second] : {std::pair<std::size_t, std::size_t>{0, 2}, {2, 0}}) {
    const PairRegion r = follow_pair(problem, best, first, second, {});
    ASSERT_TRUE(r.closed) << r.message;
    EXPECT_NEAR(r.threshold, 5.991465, 1e-5);
    EXPECT_GE(r.points.size(), 20u);
    // V by hand: the information, inverted, of a and b.
    const Evaluation e = problem.evaluate(best.x, Need::fisher);
    const auto f = [&](int i, int j) { return e.fisher[i * 3 + j]; };
    // Without the third unknown: f_xy - f_xc f_cy / f_cc.
    const double aa = f(0, 0) - f(0, 1) * f(1, 0) / f(1, 1),
                 ab = f(0, 2) - f(0, 1) * f(1, 2) / f(1, 1),
                 bb = f(2, 2) - f(2, 1) * f(1, 2) / f(1, 1);
    for (const PairPoint& p : r.points) {
      const double da = (first == 0 ? p.a : p.b) - best.x[0],
                   db = (first == 0 ? p.b : p.a) - best.x[2];
      EXPECT_NEAR(aa * da * da + 2 * ab * da * db + bb * db * db, r.threshold, 0.03 * r.threshold);
    }
    const double whole = std::numbers::pi * r.threshold / std::sqrt(aa * bb - ab * ab);
    EXPECT_NEAR(area(r.points), whole, 0.05 * whole);
  }
}

// A curved valley, ((b - a^2)/w)^2 + (a/s)^2: every point of the contour fulfils the equation, and
// the area is that of the ellipse that a shear of b makes of it, pi w s quantile.
TEST(PairRegion, FollowsABentValley) {
  for (const double w : {0.5, 0.2, 0.08}) {
    const double s = 1.5;
    const TrialLeastSquares problem({{"a", -50, 50, 0.1}, {"b", -500, 500, 0.3}},
                                    [&](std::span<const double> p) -> std::vector<double> {
                                      return {(p[1] - p[0] * p[0]) / w, p[0] / s};
                                    });
    ProfileOptions options;
    options.level = 0.9;
    const PairRegion r = follow_pair(problem, lowest(problem), 0, 1, options);
    ASSERT_TRUE(r.closed) << r.message << " after " << r.points.size();
    EXPECT_NEAR(r.threshold, 4.605170, 1e-5);
    double left = 0, right = 0;
    for (const PairPoint& p : r.points) {
      const double x = (p.b - p.a * p.a) / w, y = p.a / s;
      EXPECT_NEAR(x * x + y * y, r.threshold, 0.03 * r.threshold);
      left = std::min(left, p.a);
      right = std::max(right, p.a);
    }
    EXPECT_NEAR(left, -s * std::sqrt(r.threshold), 0.05 * s);
    EXPECT_NEAR(right, s * std::sqrt(r.threshold), 0.05 * s);
    const double whole = std::numbers::pi * w * s * r.threshold;
    EXPECT_NEAR(area(r.points), whole, 0.08 * whole);
  }
}

// A product alone is known: the region runs to the bounds, and that is said.
TEST(PairRegion, ThatReachesABoundIsOpen) {
  const TrialLeastSquares problem(
      {{"a", -2, 2, 0.5, Scale::log10}, {"b", -3, 3, 0.1, Scale::log10}},
      [](std::span<const double> p) -> std::vector<double> {
        return {20 * (p[0] + p[1] - 0.4), 20 * (p[0] + p[1] - 0.45)};
      });
  const PairRegion r = follow_pair(problem, lowest(problem), 0, 1, {});
  EXPECT_FALSE(r.closed);
  EXPECT_FALSE(r.at_bounds.empty()) << r.message;
  for (const PairPoint& p : r.points)
    EXPECT_NEAR(2 * 400 * std::pow(p.a + p.b - 0.425, 2), r.threshold, 0.05 * r.threshold);
}

}  // namespace
