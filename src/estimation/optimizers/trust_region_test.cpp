// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/trust_region.h"

#include <gtest/gtest.h>

#include "estimation/optimizers/secant.h"
#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region_subproblem.h"

using namespace stiffit::internal;

namespace {

std::vector<double> starts_of(const Objective& o) {
  std::vector<double> x;
  for (const EstimatedParameter& u : o.unknowns()) x.push_back(u.start);
  return x;
}

// No other point of the ball has a lower value: checked on many, and by the conditions of More and
// Sorensen.
void expect_solves(const Eigen::MatrixXd& b, const Eigen::VectorXd& g, double radius) {
  TrustRegionSubproblem subproblem(b);
  Eigen::VectorXd s = subproblem.solve(g, radius);
  EXPECT_LE(s.norm(), radius * (1 + 1e-9));
  double value = quadratic_value(b, g, s);
  srand(3);
  for (int k = 0; k < 2000; ++k) {
    Eigen::VectorXd other = Eigen::VectorXd::Random(g.size());
    other *= radius * (k % 2 ? 1 : std::abs(Eigen::VectorXd::Random(1)(0))) / other.norm();
    EXPECT_LE(value, quadratic_value(b, g, other) + 1e-9 * (1 + std::abs(value)));
  }
}

TEST(TrustRegionSubproblem, InteriorBoundaryIndefiniteAndHardCases) {
  Eigen::MatrixXd b(3, 3);
  b << 4, 1, 0, 1, 3, 0.5, 0, 0.5, 2;
  Eigen::VectorXd g(3);
  g << 1, -2, 0.5;
  expect_solves(b, g, 10);
  expect_solves(b, g, 0.1);
  b(2, 2) = -5;
  expect_solves(b, g, 2);
  Eigen::MatrixXd d = Eigen::Vector3d(-2, 1, 5).asDiagonal();
  Eigen::VectorXd orthogonal = Eigen::Vector3d(0, 1, 1);
  expect_solves(d, orthogonal, 3);  // nothing along the lowest eigenvector
  Eigen::MatrixXd singular = Eigen::Vector3d(0, 0, 5).asDiagonal();
  expect_solves(singular, Eigen::Vector3d(1e-3, 0, 1), 3);
  expect_solves(singular, Eigen::Vector3d(0, 0, 1), 3);
}

TEST(TrustRegion, RosenbrockInsideAndAtABound) {
  for (HessianKind kind : {HessianKind::fisher, HessianKind::hybrid, HessianKind::bfgs}) {
    LocalOptions options;
    options.hessian = kind;
    TrialLeastSquares free = trial_rosenbrock();
    LocalFit fit = fit_trust_region(free, starts_of(free), options);
    EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
    EXPECT_NEAR(fit.x[0], 1, 1e-3);
    EXPECT_NEAR(fit.x[1], 1, 2e-3);
    EXPECT_LT(fit.at.value, 1e-6);
    // With x <= 0.5 the minimum is at the bound: (0.5, 0.25), value 1/8.
    TrialLeastSquares bounded = trial_rosenbrock(0.5);
    fit = fit_trust_region(bounded, starts_of(bounded), options);
    EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
    EXPECT_EQ(fit.x[0], 0.5);
    EXPECT_NEAR(fit.x[1], 0.25, 1e-3);
    EXPECT_NEAR(fit.at.value, 0.125, 1e-6);
  }
}

// Large residuals: the Fisher information alone crawls or oscillates, the correction does not.
TEST(TrustRegion, HybridIsQuickWhereResidualsAreLarge) {
  auto residuals = [](std::span<const double> p) -> std::vector<double> {
    std::vector<double> r;  // Brown and Dennis, residuals of the order 300 at the minimum
    for (int i = 1; i <= 20; ++i) {
      double t = i / 5.0;
      double a = p[0] + t * p[1] - std::exp(t), b = p[2] + p[3] * std::sin(t) - std::cos(t);
      r.push_back(a * a + b * b);
    }
    return r;
  };
  TrialLeastSquares problem(
      {{"a", -100, 100, 25}, {"b", -100, 100, 5}, {"c", -100, 100, -5}, {"d", -100, 100, -1}},
      residuals);
  LocalOptions options;
  options.max_iterations = 2000;
  LocalFit hybrid = fit_trust_region(problem, starts_of(problem), options);
  EXPECT_EQ(hybrid.outcome, FitOutcome::converged) << hybrid.message;
  EXPECT_NEAR(2 * hybrid.at.value, 85822.2, 0.1);  // published
  options.hessian = HessianKind::fisher;
  LocalFit plain = fit_trust_region(problem, starts_of(problem), options);
  EXPECT_NEAR(2 * plain.at.value, 85822.2, 10);
  EXPECT_LT(2 * hybrid.gradients, plain.gradients);
}

TEST(TrustRegion, NoiseParameter) {
  std::vector<double> t{0, 1, 2, 3, 4, 5}, y{1.1, 2.9, 5.2, 6.8, 9.1, 11.2};
  TrialNoiseLine problem(t, y);
  LocalFit fit = fit_trust_region(problem, starts_of(problem), {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  // The line of least squares, and the root mean square of its residuals.
  double slope = 0, mean = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    slope += (t[i] - 2.5) * y[i] / 17.5;
    mean += y[i] / 6;
  }
  EXPECT_NEAR(fit.x[1], slope, 1e-6);
  EXPECT_NEAR(fit.x[0], mean - 2.5 * slope, 1e-6);
  double s = 0;
  for (std::size_t i = 0; i < 6; ++i) s += std::pow(y[i] - fit.x[0] - fit.x[1] * t[i], 2);
  EXPECT_NEAR(std::exp(fit.x[2]), std::sqrt(s / 6), 1e-4);
}

TEST(TrustRegion, FailuresRejectStepsAndAreCounted) {
  TrialLeastSquares problem = trial_rosenbrock();
  problem.fails = [](std::span<const double> p) { return p[1] < -0.2 || p[0] * p[0] > p[1] + 1.5; };
  LocalFit fit = fit_trust_region(problem, std::vector<double>{-1.2, 1}, {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_NEAR(fit.x[0], 1, 1e-3);
  problem.fails = [](std::span<const double> p) { return p[0] > -1; };
  fit = fit_trust_region(problem, std::vector<double>{-1.2, 1}, {});
  EXPECT_GT(fit.failures, 0);
  EXPECT_EQ(fit.last_failure, "cannot be integrated here");
  EXPECT_LE(fit.x[0], -1);
  EXPECT_NE(fit.outcome,
            FitOutcome::converged);  // the edge of what can be integrated is no minimum
  problem.fails = [](std::span<const double>) { return true; };
  fit = fit_trust_region(problem, std::vector<double>{-1.2, 1}, {});
  EXPECT_EQ(fit.outcome, FitOutcome::failed);
  EXPECT_EQ(fit.failures, 1);
}

// y = a exp(-b t) where a is so small or b so large that nothing is felt: the gradient vanishes,
// and that is no minimum.
TEST(TrustRegion, PlateauIsNotConverged) {
  std::vector<double> t{0.5, 1, 2, 4}, y{60, 36, 13, 1.8};
  auto residuals = [&](std::span<const double> p) {
    std::vector<double> r;
    for (std::size_t i = 0; i < t.size(); ++i)
      r.push_back(std::exp(p[0]) * std::exp(-std::exp(p[1]) * t[i]) - y[i]);
    return r;
  };
  TrialLeastSquares problem({{"a", -10, 10, 0, Scale::log}, {"b", -10, 10, 0, Scale::log}},
                            residuals);
  LocalFit flat = fit_trust_region(problem, std::vector<double>{0, 5}, {});
  EXPECT_EQ(flat.outcome, FitOutcome::flat) << flat.message;
  EXPECT_EQ(flat.insensitive.size(), 2u);
  LocalFit good = fit_trust_region(problem, std::vector<double>{2, 1}, {});
  EXPECT_EQ(good.outcome, FitOutcome::converged) << good.message;
  EXPECT_NEAR(std::exp(good.x[1]), 1.02, 0.02);
}

// Data of the order 1e-6 with unknown noise: tolerances follow the data's own scatter.
TEST(TrustRegion, SmallUnitsOfUnknownNoise) {
  auto residuals = [](std::span<const double> p) {
    std::vector<double> r, noise{0.02, -0.015, 0.01, 0.012, -0.02, 0.004};
    for (int i = 0; i < 6; ++i)
      r.push_back(1e-6 * (std::exp(p[0]) * std::exp(-std::exp(p[1]) * i) - 2 * std::exp(-0.7 * i) +
                          noise[static_cast<std::size_t>(i)]));
    return r;
  };
  TrialLeastSquares problem({{"a", -5, 5, -1, Scale::log}, {"b", -5, 5, 1, Scale::log}}, residuals,
                            true);
  LocalFit fit = fit_trust_region(problem, starts_of(problem), {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_NEAR(std::exp(fit.x[0]), 2, 0.05);
  EXPECT_NEAR(std::exp(fit.x[1]), 0.7, 0.05);
  double g = std::max(std::abs(fit.at.gradient[0]), std::abs(fit.at.gradient[1]));
  EXPECT_LT(g, 1e-3 * fit.at.value);
}

TEST(TrustRegion, Interrupt) {
  std::atomic<bool> stop{true};
  LocalOptions options;
  options.interrupt = &stop;
  TrialLeastSquares problem = trial_rosenbrock();
  LocalFit fit = fit_trust_region(problem, starts_of(problem), options);
  EXPECT_EQ(fit.outcome, FitOutcome::interrupted);
  EXPECT_TRUE(fit.usable());
}

}  // namespace
