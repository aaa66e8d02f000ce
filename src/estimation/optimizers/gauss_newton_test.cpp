// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/gauss_newton.h"

#include <gtest/gtest.h>

#include "estimation/optimizers/trial_objectives.h"

using namespace stiffit::internal;

namespace {

// Exactly one Gauss-Newton step solves a linear problem.
TEST(GaussNewton, LinearProblemInOneStep) {
  std::vector<double> y{1, 3, 2, 5};
  TrialLeastSquares line({{"a", -10, 10, 5}, {"b", -10, 10, -5}}, [&](std::span<const double> p) {
    std::vector<double> r;
    for (int i = 0; i < 4; ++i) r.push_back(p[0] + p[1] * i - y[static_cast<std::size_t>(i)]);
    return r;
  });
  LocalOptions options;
  options.max_iterations = 1;
  LocalFit fit = fit_gauss_newton(line, std::vector<double>{5, -5}, options);
  EXPECT_NEAR(fit.x[0], 1.1, 1e-8);  // by hand
  EXPECT_NEAR(fit.x[1], 1.1, 1e-8);
}

// Rosenbrock from (-1.2, 1): the first Gauss-Newton step goes to (1, -3.84), where S is larger; the
// steepest descent step and its relaxations follow, each as the formulas say.
TEST(GaussNewton, StepsAsHemkerHasThem) {
  std::vector<std::vector<double>> seen;
  TrialLeastSquares plain = trial_rosenbrock();
  auto sum = [&](double x, double y) {
    return plain.evaluate(std::vector<double>{x, y}, Need::value).chi2;
  };
  LocalOptions options;
  options.max_iterations = 1;
  LocalFit fit = fit_gauss_newton(plain, std::vector<double>{-1.2, 1}, options);
  double s = sum(-1.2, 1);
  ASSERT_GT(sum(1, -3.84), s);
  // A = [[24, 10], [-1, 0]], Y = (-4.4, 2.2).
  double r0 = -(24 * -4.4 - 2.2), r1 = -(10 * -4.4);
  double ar0 = 24 * r0 + 10 * r1, ar1 = -r0;
  double t = (r0 * r0 + r1 * r1) / (ar0 * ar0 + ar1 * ar1);
  double dx = t * r0, dy = t * r1;
  while (sum(-1.2 + dx, 1 + dy) >= s) {
    double relax = s / (s + sum(-1.2 + dx, 1 + dy));
    dx *= relax;
    dy *= relax;
  }
  EXPECT_NEAR(fit.x[0], -1.2 + dx, 1e-8);
  EXPECT_NEAR(fit.x[1], 1 + dy, 1e-8);
}

TEST(GaussNewton, ConvergesAndRespectsBounds) {
  TrialLeastSquares free = trial_rosenbrock();
  LocalFit fit = fit_gauss_newton(free, std::vector<double>{-1.2, 1}, {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_NEAR(fit.x[0], 1, 1e-3);
  TrialLeastSquares bounded = trial_rosenbrock(0.5);
  fit = fit_gauss_newton(bounded, std::vector<double>{-1.2, 1}, {});
  EXPECT_LE(fit.x[0], 0.5);
}

TEST(GaussNewton, FailuresAreRelaxedAway) {
  TrialLeastSquares problem = trial_rosenbrock();
  problem.fails = [](std::span<const double> p) { return p[1] < -0.5; };
  LocalFit fit = fit_gauss_newton(problem, std::vector<double>{-1.2, 1}, {});
  EXPECT_GT(fit.failures, 0);
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_NEAR(fit.x[0], 1, 1e-3);
}

}  // namespace
