// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/quantity_profile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"

using namespace stiffit::internal;

namespace {

LocalFit fit_of(const Objective& o) {
  std::vector<double> x;
  for (const EstimatedParameter& u : o.unknowns()) x.push_back(u.start);
  return fit_trust_region(o, x, {});
}

Quantity sum_of(double a, double b) {
  return {"", "sum", [a, b](std::span<const double> v, std::vector<double>* g) {
            if (g) *g = {a, b};
            return a * v[0] + b * v[1];
          }};
}
Quantity product() {
  return {"", "product", [](std::span<const double> v, std::vector<double>* g) {
            if (g) *g = {v[1], v[0]};
            return v[0] * v[1];
          }};
}

// Independent measurements a = 2 +- 0.5 and b = -1 +- 0.2.
TrialLeastSquares two_measured(double bound = 100) {
  return TrialLeastSquares({{"a", -bound, bound, 0}, {"b", -bound, bound, 0}},
                           [](std::span<const double> p) -> std::vector<double> {
                             return {(p[0] - 2) / 0.5, (p[1] + 1) / 0.2};
                           });
}

// Of linear functions of a linear model the limits are those of the textbook.
TEST(QuantityProfile, LinearFunctionsHaveTheirStandardLimits) {
  const TrialLeastSquares problem = two_measured();
  const LocalFit best = fit_of(problem);
  for (auto [a, b] : {std::pair{1.0, 0.0}, {1.0, 1.0}, {1.0, 2.0}, {3.0, -0.5}, {-1.0, 7.0}}) {
    const QuantityProfile p = profile_quantity(problem, best, sum_of(a, b), {});
    const double value = 2 * a - b, half = std::sqrt(3.841 * (0.25 * a * a + 0.04 * b * b));
    EXPECT_NEAR(p.value, value, 1e-4);
    EXPECT_NEAR(p.error, half / std::sqrt(3.841), 1e-3 * half);
    EXPECT_NEAR(p.lower.limit, value - half, 0.02 * half) << a << " " << b;
    EXPECT_NEAR(p.upper.limit, value + half, 0.02 * half) << a << " " << b;
  }
}

// The lowest chi-square among all points of a hyperbola a*b = c, by a fine scan.
double chi2_on_hyperbola(double c) {
  double least = INFINITY;
  for (double a = 0.02; a < 6; a *= 1.0002) {
    const double b = c / a;
    least = std::min(least, std::pow((a - 2) / 0.5, 2) + std::pow((b + 1) / 0.2, 2));
  }
  return least;
}

TEST(QuantityProfile, NonlinearFunctionsEndWhereTheConstrainedMinimumDoes) {
  const TrialLeastSquares problem = two_measured();
  const QuantityProfile p = profile_quantity(problem, fit_of(problem), product(), {});
  ASSERT_TRUE(p.complete());
  EXPECT_LT(p.lower.limit, -2);
  EXPECT_GT(p.upper.limit, -2);
  EXPECT_NEAR(chi2_on_hyperbola(p.lower.limit), 3.841, 0.08);
  EXPECT_NEAR(chi2_on_hyperbola(p.upper.limit), 3.841, 0.08);
}

// Only the product of a and b is measured: its limits are those of one number, and the quotient's
// there are none within the bounds.
TEST(QuantityProfile, WhatIsNotDeterminedHasNoLimits) {
  const TrialLeastSquares problem(
      {{"a", -3, 3, 0.5, Scale::log10}, {"b", -6, 6, 0.1, Scale::log10}},
      [](std::span<const double> p) -> std::vector<double> {
        return {20 * (std::pow(10, p[0] + p[1]) - 2)};
      });
  const LocalFit best = fit_of(problem);
  const QuantityProfile known = profile_quantity(problem, best, product(), {});
  EXPECT_NEAR(known.lower.limit, 2 - std::sqrt(3.841) / 20, 2e-3);
  EXPECT_NEAR(known.upper.limit, 2 + std::sqrt(3.841) / 20, 2e-3);
  const Quantity quotient{"", "a/b", [](std::span<const double> v, std::vector<double>* g) {
                            if (g) *g = {1 / v[1], -v[0] / (v[1] * v[1])};
                            return v[0] / v[1];
                          }};
  const QuantityProfile open = profile_quantity(problem, best, quotient, {});
  EXPECT_TRUE(std::isnan(open.lower.limit));
  EXPECT_TRUE(std::isnan(open.upper.limit));
  EXPECT_TRUE(open.complete()) << open.lower.message << "; " << open.upper.message;
}

// With the bounds of a at 2.2 the sum cannot grow as far as the data would let it.
TEST(QuantityProfile, BoundsOfTheParametersCount) {
  const TrialLeastSquares problem({{"a", 0, 2.2, 1}, {"b", -1.1, 0, -0.5}},
                                  [](std::span<const double> p) -> std::vector<double> {
                                    return {(p[0] - 2) / 0.5, (p[1] + 1) / 0.2};
                                  });
  const QuantityProfile p = profile_quantity(problem, fit_of(problem), sum_of(1, 1), {});
  // a stays at 2.2: (0.2/0.5)^2 + ((b + 1)/0.2)^2 = 3.841
  EXPECT_NEAR(p.upper.limit, 2.2 - 1 + 0.2 * std::sqrt(3.841 - 0.16), 0.01);
  // b stays at -1.1
  EXPECT_NEAR(p.lower.limit, 2 - 0.5 * std::sqrt(3.841 - 0.25) - 1.1, 0.02);
}

// A cliff: the limit is where it stands.
TEST(QuantityProfile, Cliffs) {
  const TrialLeastSquares problem(
      {{"a", -10, 10, 0}, {"b", -10, 10, 0}}, [](std::span<const double> p) -> std::vector<double> {
        const double s = p[0] + p[1];
        return {0.1 * (p[0] - p[1]), 0.05 * (s - 1), s > 3 ? 500 * (s - 3) : 0.0};
      });
  const QuantityProfile p = profile_quantity(problem, fit_of(problem), sum_of(1, 1), {});
  EXPECT_NEAR(p.upper.limit, 3, 0.02);
}

}  // namespace
