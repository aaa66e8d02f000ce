// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/statistics.h"

#include <gtest/gtest.h>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/confidence_interval.h"
#include "estimation/uncertainty/plain_words.h"
#include "estimation/uncertainty/rivals.h"
#include "estimation/uncertainty/verdict.h"

using namespace stiffit::internal;

namespace {

LocalFit fitted(const Objective& o) {
  std::vector<double> x;
  for (const EstimatedParameter& u : o.unknowns()) x.push_back(u.start);
  return fit_trust_region(o, x, {});
}

TrialLeastSquares line(bool unknown_noise) {
  return TrialLeastSquares(
      {{"a", -100, 100, 0}, {"b", -100, 100, 0}},
      [](std::span<const double> p) -> std::vector<double> {
        return {p[0] - 1, p[0] + p[1] - 3, p[0] + 2 * p[1] - 2, p[0] + 3 * p[1] - 5};
      },
      unknown_noise);
}

// By hand: a = b = 1.1, S = 2.7, A'A = [4 6; 6 14], its inverse [0.7 -0.3; -0.3 0.2]; tables give
// F_0.95(2,2) = 19.00 and F_0.95(1,2) = 18.513.
TEST(Statistics, LinearRegressionOfUnknownNoise) {
  TrialLeastSquares problem = line(true);
  FitStatistics s = fit_statistics(problem, fitted(problem));
  EXPECT_NEAR(s.sum_of_squares, 2.7, 1e-8);
  EXPECT_NEAR(s.variance, 1.35, 1e-8);
  EXPECT_NEAR(s.joint_quantile, 38, 1e-6);
  EXPECT_NEAR(s.single_quantile, 18.513, 1e-3);
  EXPECT_NEAR(s.each[0].theta, 1.1, 1e-4);
  EXPECT_NEAR(s.each[0].error, std::sqrt(1.35 * 0.7), 1e-7);
  EXPECT_NEAR(s.each[1].error, std::sqrt(1.35 * 0.2), 1e-7);
  EXPECT_NEAR(s.covariance[1], -1.35 * 0.3, 1e-7);
  EXPECT_NEAR(s.correlation[1], -0.3 / std::sqrt(0.14), 1e-7);
  EXPECT_NEAR(s.each[0].held, std::sqrt(38 * 1.35 / 4), 1e-6);
  EXPECT_NEAR(s.each[0].free, std::sqrt(38 * 1.35 * 0.7), 1e-6);
  EXPECT_NEAR(s.each[0].held_single, std::sqrt(s.single_quantile * 1.35 / 4), 1e-6);
  EXPECT_NEAR(s.each[1].free_single, std::sqrt(s.single_quantile * 1.35 * 0.2), 1e-6);
  EXPECT_NEAR(s.each[0].free_limits.low, 1.1 - std::sqrt(38 * 1.35 * 0.7), 1e-4);
  // Eigenvalues of A'A: 9 -+ sqrt(61).
  ASSERT_EQ(s.axes.size(), 2u);
  EXPECT_NEAR(s.axes[0].half_length, std::sqrt(38 * 1.35 / (9 - std::sqrt(61.0))), 1e-6);
  EXPECT_NEAR(s.axes[1].half_length, std::sqrt(38 * 1.35 / (9 + std::sqrt(61.0))), 1e-6);
  double slope = s.axes[0].direction[1] / s.axes[0].direction[0];
  EXPECT_NEAR(slope, (9 - std::sqrt(61.0) - 4) / 6, 1e-7);
  EXPECT_EQ(s.rank, 2);
}

// The same with errors of size one: chi-square 3.841 and 5.991.
TEST(Statistics, KnownNoise) {
  TrialLeastSquares problem = line(false);
  FitStatistics s = fit_statistics(problem, fitted(problem));
  EXPECT_EQ(s.variance, 1);
  EXPECT_NEAR(s.single_quantile, 3.841459, 1e-5);
  EXPECT_NEAR(s.joint_quantile, 5.991465, 1e-5);
  EXPECT_NEAR(s.each[0].error, std::sqrt(0.7), 1e-7);
  EXPECT_NEAR(s.each[0].free, std::sqrt(5.991465 * 0.7), 1e-5);
  EXPECT_EQ(s.each[0].identifiability, Identifiability::determined);
}

TEST(Statistics, NoMoreDataThanUnknowns) {
  TrialLeastSquares problem(
      {{"a", 0, 10, 1}, {"b", 0, 10, 1}},
      [](std::span<const double> p) -> std::vector<double> {
        return {p[0] - 1, p[1] - 2};
      },
      true);
  FitStatistics s = fit_statistics(problem, fitted(problem));
  EXPECT_TRUE(std::isnan(s.variance));
  ASSERT_FALSE(s.notes.empty());
  EXPECT_NE(s.notes[0].find("no more data than estimated parameters"), std::string::npos);
  EXPECT_NE(s.each[0].identifiability, Identifiability::determined);
}

// y = a b exp(-c t): only the product is determined, and that is said.
TEST(Statistics, ProductIsDeterminedOnlyTogether) {
  TrialLeastSquares problem(
      {{"a", -3, 3, 0.2, Scale::log10},
       {"b", -3, 3, 0.1, Scale::log10},
       {"c", -5, 5, 0.1, Scale::log}},
      [](std::span<const double> p) {
        std::vector<double> r;
        for (int i = 0; i < 8; ++i)
          r.push_back(100 * (std::pow(10, p[0] + p[1]) * std::exp(-std::exp(p[2]) * i) -
                             2 * std::exp(-0.5 * i)));
        return r;
      });
  LocalFit fit = fitted(problem);
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  FitStatistics s = fit_statistics(problem, fit);
  EXPECT_EQ(s.rank, 2);
  EXPECT_EQ(s.each[0].identifiability, Identifiability::in_combination) << s.each[0].verdict;
  EXPECT_EQ(s.each[0].with, std::vector<std::string>{"b"});
  EXPECT_EQ(s.each[0].verdict, "determined only in combination with b");
  EXPECT_EQ(s.each[1].with, std::vector<std::string>{"a"});
  EXPECT_EQ(s.each[2].identifiability, Identifiability::determined) << s.each[2].verdict;
  EXPECT_TRUE(s.undetermined.empty());  // until it was tested
  test_null_directions(s, problem, fit, 1);
  ASSERT_EQ(s.undetermined.size(), 1u);
  EXPECT_EQ(s.undetermined[0], "the data do not change if a is multiplied by c and b by c^-1");
  EXPECT_TRUE(std::isinf(s.each[0].error));
  EXPECT_NEAR(s.each[2].value, 0.5, 1e-4);
}

// The data tell a + b. At one point that looks like a product of powers, and is not.
TEST(Statistics, WhatHoldsAtOnePointAloneIsNotSaid) {
  TrialLeastSquares problem({{"a", -3, 3, 0.1, Scale::log10}, {"b", -3, 3, 0.3, Scale::log10}},
                            [](std::span<const double> p) -> std::vector<double> {
                              const double sum = std::pow(10, p[0]) + std::pow(10, p[1]);
                              return {50 * (sum - 3), 20 * (sum - 3.01)};
                            });
  const LocalFit fit = fitted(problem);
  FitStatistics s = fit_statistics(problem, fit);
  ASSERT_EQ(s.null_directions.size(), 1u);
  test_null_directions(s, problem, fit, 1);
  EXPECT_TRUE(s.undetermined.empty()) << s.undetermined.front();
}

TEST(Statistics, NoEffectOneSidedAndAtABound) {
  // d has no effect; k is so small that only an upper limit is known; b wants beyond its bound.
  TrialLeastSquares problem({{"d", -2, 2, 0.5, Scale::log10}, {"k", 0, 10, 1}, {"b", 0, 2, 1}},
                            [](std::span<const double> p) -> std::vector<double> {
                              return {p[1] - 0.5, p[1] - 0.3, p[2] - 3 + 0 * p[0]};
                            });
  const LocalFit fit = fitted(problem);
  FitStatistics s = fit_statistics(problem, fit);
  EXPECT_EQ(s.each[0].identifiability, Identifiability::not_determined);
  EXPECT_EQ(s.each[1].identifiability, Identifiability::one_sided);
  EXPECT_EQ(s.each[1].verdict.find("one-sided: at most"), 0u) << s.each[1].verdict;
  EXPECT_EQ(s.each[2].identifiability, Identifiability::at_bound);
  EXPECT_EQ(s.each[2].at_bound, 1);
  EXPECT_EQ(s.each[2].value, 2);
  EXPECT_EQ(s.unknowns, 2);
  test_null_directions(s, problem, fit, 1);
  ASSERT_EQ(s.undetermined.size(), 1u);
  EXPECT_EQ(s.undetermined[0], "d has no effect on what was measured");
}

// Limits of a logarithmic unknown are factors, not differences.
TEST(Statistics, LogarithmicLimitsAreTransformedBack) {
  TrialLeastSquares problem(
      {{"k", -3, 3, 0.1, Scale::log10}},
      [](std::span<const double> p) -> std::vector<double> { return {(p[0] - 0.5) / 0.1}; });
  FitStatistics s = fit_statistics(problem, fitted(problem));
  double half = std::sqrt(3.841459) * 0.1;
  EXPECT_NEAR(s.each[0].free_single_limits.low, std::pow(10, 0.5 - half), 1e-5);
  EXPECT_NEAR(s.each[0].free_single_limits.high, std::pow(10, 0.5 + half), 1e-5);
  EXPECT_NEAR(s.each[0].value_error, 0.1 * std::log(10.0) * std::pow(10, 0.5), 1e-6);
}

TEST(Statistics, StrongCorrelationIsSaid) {
  TrialLeastSquares problem({{"k1", -50, 50, 0}, {"k2", -50, 50, 0}},
                            [](std::span<const double> p) -> std::vector<double> {
                              return {p[0] + p[1] - 2, p[0] + 1.1 * p[1] - 2.1};
                            });
  FitStatistics s = fit_statistics(problem, fitted(problem));
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_EQ(s.notes[0].find("k1 and k2 are strongly correlated (r = -0.99"), 0u) << s.notes[0];
}

// b is at its bound, where the data push it; a goes with it, c does not.
TEST(Statistics, PartnersOfAParameterAtABoundAreSaidToDependOnIt) {
  TrialLeastSquares problem(
      {{"a", 0.01, 10, 1}, {"b", 1, 5, 1}, {"c", 0.01, 10, 1}},
      [](std::span<const double> p) -> std::vector<double> {
        return {100 * (p[0] + p[1] - 1.9), 10 * (p[0] - p[1] - 0.2), 100 * (p[2] - 2)};
      });
  const LocalFit fit = fit_trust_region(problem, std::vector<double>{1, 1.5, 1}, {});
  const FitStatistics s = fit_statistics(problem, fit);
  ASSERT_EQ(s.each[1].at_bound, -1);
  EXPECT_EQ(s.each[0].sheltered_by, std::vector<std::string>{"b"});
  EXPECT_NE(s.each[0].verdict.find("as long as b stays at its bound"), std::string::npos);
  EXPECT_TRUE(s.each[2].sheltered_by.empty());
  EXPECT_EQ(doubtful_unknowns(s).front(), 0u);
}

// Two minima, x near -1 and near 1, that differ by less than the threshold, or by more.
TEST(Statistics, VerdictsHoldInEveryMinimumThatFits) {
  for (double tilt : {0.2, 3.0}) {
    TrialLeastSquares problem({{"x", -3, 3, -1}, {"y", -3, 3, 0}},
                              [&](std::span<const double> p) -> std::vector<double> {
                                return {40 * (p[0] * p[0] - 1), tilt * (p[0] + 1), 50 * (p[1] - 2)};
                              });
    const LocalFit best = fit_trust_region(problem, std::vector<double>{-1.2, 0}, {});
    const LocalFit other = fit_trust_region(problem, std::vector<double>{1.1, 0}, {});
    ASSERT_GT(other.x[0], 0.9);
    FitStatistics s = fit_statistics(problem, best);
    EXPECT_EQ(s.each[0].identifiability, Identifiability::determined);
    for (const Rival& rival : rivals_among(s, problem, best, {&other}))
      judge_over_rival(s, problem, rival);
    EXPECT_EQ(s.rivals.size(), tilt < 1 ? 1u : 0u);
    if (tilt < 1) {
      EXPECT_NE(s.each[0].identifiability, Identifiability::determined) << s.each[0].verdict;
      EXPECT_GT(s.each[0].limits.high, other.x[0]);
      EXPECT_LT(s.each[0].limits.low, best.x[0]);
      EXPECT_NE(plain_words(s).front().find("another minimum fits these data as well"),
                std::string::npos);
    } else {
      EXPECT_EQ(s.each[0].identifiability, Identifiability::determined);
    }
    EXPECT_EQ(s.each[1].identifiability, Identifiability::determined) << "the same in both";
  }
}

}  // namespace
