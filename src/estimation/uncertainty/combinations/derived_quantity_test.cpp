// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/derived_quantity.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/normal_draw.h"
#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"

using namespace stiffit::internal;

namespace {

Quantity ratio() {
  return {"r", "a/b", [](std::span<const double> v, std::vector<double>* g) {
            if (g) *g = {1 / v[1], -v[0] / (v[1] * v[1])};
            return v[0] / v[1];
          }};
}

// a and b measured by themselves, on a linear scale: Fieller's limits of their quotient.
TEST(DerivedQuantity, QuotientsHaveFiellersLimits) {
  for (auto [a, sa, b, sb] :
       {std::array{3.0, 0.2, 2.0, 0.3}, {0.4, 0.1, 5.0, 0.1}, {7.0, 1.0, 1.0, 0.2}}) {
    const TrialLeastSquares problem(
        {{"a", -100, 100, 1}, {"b", 1e-3, 100, 1}},
        [a = a, sa = sa, b = b, sb = sb](std::span<const double> p) -> std::vector<double> {
          return {(p[0] - a) / sa, (p[1] - b) / sb};
        });
    const LocalFit best = fit_trust_region(problem, std::vector<double>{1, 1}, {});
    const FitStatistics s = fit_statistics(problem, best);
    QuantityProfileOptions options;
    options.quantile = s.single_quantile;
    const DerivedQuantity d = derived_by_profile(problem, best, s, ratio(), options);
    const double q = s.single_quantile, c = b * b - q * sb * sb;
    const double root = std::sqrt(a * a * b * b - c * (a * a - q * sa * sa));
    EXPECT_NEAR(d.value, a / b, 1e-3);
    EXPECT_NEAR(d.limits.low, (a * b - root) / c, 0.01 * d.value);
    EXPECT_NEAR(d.limits.high, (a * b + root) / c, 0.02 * d.value);
    EXPECT_EQ(d.limits_by, "profile");
    EXPECT_GE(d.points.size(), 5u);
  }
}

// The truth is inside 95 of 100 limits.
TEST(DerivedQuantity, LimitsHoldAsOftenAsTheySay) {
  int inside = 0;
  const int sets = 400;
  for (int k = 0; k < sets; ++k) {
    SplitMix random = stream(k, 3);
    std::vector<double> y;
    for (int i = 0; i < 12; ++i) y.push_back(2 * std::exp(-0.3 * i) + 0.05 * normal_draw(random));
    const TrialLeastSquares problem(
        {{"a", -3, 3, 0, Scale::log10}, {"b", -3, 3, -0.3, Scale::log10}},
        [y](std::span<const double> p) {
          std::vector<double> r;
          for (std::size_t i = 0; i < y.size(); ++i)
            r.push_back(
                std::pow(10, p[0]) * std::exp(-std::pow(10, p[1]) * static_cast<double>(i)) - y[i]);
          return r;
        },
        true);
    const LocalFit best = fit_trust_region(problem, std::vector<double>{0, -0.3}, {});
    const FitStatistics s = fit_statistics(problem, best);
    QuantityProfileOptions options;
    options.quantile = s.single_quantile;
    options.unit = value_unit(problem, best.at);
    const DerivedQuantity d = derived_by_profile(problem, best, s, ratio(), options);
    inside += d.limits.low <= 2 / 0.3 && 2 / 0.3 <= d.limits.high;
  }
  RecordProperty("inside", inside);
  EXPECT_NEAR(inside, 0.95 * sets, 3 * std::sqrt(0.95 * 0.05 * sets));
}

TEST(DerivedQuantity, DrawsGiveQuantiles) {
  std::vector<double> drawn;
  for (int i = 0; i <= 1000; ++i) drawn.push_back(10 + 0.001 * i);
  const DerivedQuantity d = derived_by_draws(ratio(), 10.5, drawn, 0.95);
  EXPECT_NEAR(d.limits.low, 10.025, 1e-9);
  EXPECT_NEAR(d.limits.high, 10.975, 1e-9);
  EXPECT_EQ(d.grade, Identifiability::determined);
}

TEST(DerivedQuantity, WithoutAMinimumNothingIsJudged) {
  const TrialLeastSquares problem({{"a", -9, 9, 1}, {"b", 1, 9, 1}},
                                  [](std::span<const double> p) -> std::vector<double> {
                                    return {p[0] - 1, p[1] - 2};
                                  });
  LocalFit best = fit_trust_region(problem, std::vector<double>{1, 1}, {});
  const FitStatistics s = fit_statistics(problem, best);
  best.outcome = FitOutcome::iterations;
  const DerivedQuantity d = derived_by_profile(problem, best, s, ratio(), {});
  EXPECT_EQ(d.grade, Identifiability::not_judged);
  EXPECT_TRUE(std::isnan(d.limits.low) && std::isnan(d.limits.high));
}

}  // namespace
