// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/flow/gradient_flow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimation/optimizers/flow/rosenbrock23.h"
#include "estimation/optimizers/flow/surrogate.h"
#include "estimation/optimizers/trial_objectives.h"

using namespace stiffit::internal;

namespace {

TEST(Monomials, AreAllOfThem) {
  const Monomials m(3, 4);
  EXPECT_EQ(m.size(), 35);
  EXPECT_EQ(Surrogate::coefficients(3, 3), 34);
  const Eigen::Vector3d u(2, 3, 5);
  const Eigen::VectorXd v = m.values(u);
  for (int k = 0; k < m.size(); ++k) {
    double expected = 1;
    for (int i = 0; i < 3; ++i)
      expected *= std::pow(u(i), m[k].exponents[static_cast<std::size_t>(i)]);
    EXPECT_EQ(v(k), expected);
  }
}

// A cubic potential is found again exactly, with its derivatives.
TEST(Surrogate, ReproducesACubic) {
  auto value = [](const Eigen::VectorXd& x) {
    return 3 * x(0) - x(1) + x(0) * x(0) + 0.5 * x(0) * x(1) - 2 * x(1) * x(1) * x(0) +
           0.25 * x(0) * x(0) * x(0);
  };
  auto gradient = [](const Eigen::VectorXd& x) {
    return Eigen::Vector2d(3 + 2 * x(0) + 0.5 * x(1) - 2 * x(1) * x(1) + 0.75 * x(0) * x(0),
                           -1 + 0.5 * x(0) - 4 * x(1) * x(0));
  };
  std::vector<FlowSample> samples;
  for (auto [a, b] : {std::pair{0.9, 2.0}, {1.1, 2.0}, {1.0, 1.7}, {1.0, 2.2}, {1.1, 2.3}}) {
    const Eigen::Vector2d x(a, b);
    samples.push_back({x, gradient(x), value(x)});
  }
  std::vector<const FlowSample*> list;
  for (auto& s : samples) list.push_back(&s);
  const FlowBox box{Eigen::Vector2d(1, 2), Eigen::Vector2d(0.2, 0.4)};
  const Surrogate surrogate(box, 2, list);
  for (auto [a, b] : {std::pair{0.0, 0.0}, {0.7, -0.9}, {-1.0, 1.0}}) {
    const Eigen::Vector2d u(a, b);
    const Eigen::VectorXd x = box.outside(u);
    const Eigen::VectorXd g = surrogate.gradient(u).cwiseQuotient(box.radius);
    EXPECT_NEAR((g - gradient(x)).norm(), 0, 1e-9);
    const double h = 1e-5;
    Eigen::VectorXd up = u, down = u;
    up(1) += h;
    down(1) -= h;
    EXPECT_NEAR(((surrogate.gradient(up) - surrogate.gradient(down)) / (2 * h) -
                 surrogate.hessian(u).col(1))
                    .norm(),
                0, 1e-7);
  }
}

// A quadratic's flow is exponential: Taylor series, and implicit steps where it is stiff.
TEST(Surrogate, FlowsAreExact) {
  auto samples_of = [](double a, double b) {
    std::vector<FlowSample> samples;
    for (auto [x, y] : {std::pair{0.0, 0.0}, {0.5, 0.1}, {-0.4, 0.6}, {0.2, -0.7}, {0.8, 0.8}})
      samples.push_back(
          {Eigen::Vector2d(x, y), Eigen::Vector2d(a * x, b * y), 0.5 * (a * x * x + b * y * y)});
    return samples;
  };
  auto flow = [&](double a, double b, double time) {
    const std::vector<FlowSample> samples = samples_of(a, b);
    std::vector<const FlowSample*> list;
    for (auto& s : samples) list.push_back(&s);
    const FlowBox box{Eigen::Vector2d::Zero(), Eigen::Vector2d::Ones()};
    return surrogate_flow(Surrogate(box, 2, list), Eigen::Vector2d(0.5, 0.8), {0, 0}, time);
  };
  FlowStretch s = flow(1, 3, 0.7);
  EXPECT_EQ(s.end, FlowEnd::time);
  EXPECT_NEAR(s.u(0), 0.5 * std::exp(-0.7), 1e-7);
  EXPECT_NEAR(s.u(1), 0.8 * std::exp(-2.1), 1e-7);
  s = flow(-1, 3, 100);  // leaves where 0.5 e^t = 1
  EXPECT_EQ(s.end, FlowEnd::left);
  EXPECT_NEAR(s.time, std::log(2.0), 1e-7);
  s = flow(1, 1e5, 2);
  EXPECT_EQ(s.end, FlowEnd::time);
  EXPECT_EQ(s.implicit_steps, 12);
  EXPECT_NEAR(s.u(0), 0.5 * std::exp(-2.0), 1e-6);
  s = flow(-1, 1e5, 100);  // the same where it is stiff
  EXPECT_EQ(s.end, FlowEnd::left);
  EXPECT_EQ(s.implicit_steps, 8);
  EXPECT_NEAR(s.time, std::log(2.0), 1e-5);
  EXPECT_NEAR(s.u(0), 1, 1e-5);
  s = flow(1, 3, INFINITY);
  EXPECT_EQ(s.end, FlowEnd::rest);
  EXPECT_NEAR(s.u.norm(), 0, 1e-6);
}

TEST(Rosenbrock23, IsOfOrderTwoWithAnyMatrix) {
  auto error = [](double h, double matrix) {
    Rosenbrock23 method([](const Eigen::VectorXd& y) { return Eigen::VectorXd(-y.cwiseAbs2()); },
                        1e9, 1e9);
    Eigen::VectorXd y = Eigen::VectorXd::Constant(1, 1.0);
    for (double t = 0; t < 1 - 1e-9; t += h)
      y = method.step(y, -y.cwiseAbs2(), Eigen::MatrixXd::Constant(1, 1, matrix), h).y;
    return std::fabs(y(0) - 0.5);
  };
  for (double matrix : {0.0, -1.0, -3.0}) {
    const double order = std::log2(error(0.05, matrix) / error(0.025, matrix));
    EXPECT_NEAR(order, 2, 0.25) << matrix;
  }
}

constexpr FlowKind all_kinds[] = {FlowKind::accelerated, FlowKind::stiff, FlowKind::runge_kutta};

TEST(GradientFlow, EndsInTheMinimumAndKeepsItsPath) {
  const TrialLeastSquares objective({{"a", -10, 10, 2}, {"b", -10, 10, 2}},
                                    [](std::span<const double> p) -> std::vector<double> {
                                      return {p[0] - 1, 3 * (p[1] + 0.5) + 0.2 * p[0] * p[0], 0.3};
                                    });
  std::vector<double> at_one;  // where each is at tau = 1, between its points
  long accelerated = 0, stiff = 0;
  for (FlowKind kind : all_kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    FlowOptions o;
    o.kind = kind;
    std::vector<FlowPoint> path;
    o.on_point = [&](const FlowPoint& p) { path.push_back(p); };
    const LocalFit fit = fit_gradient_flow(objective, std::vector<double>{2, 2}, {}, o);
    ASSERT_TRUE(fit.usable()) << fit.message;
    EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
    EXPECT_NEAR(fit.x[0], 1, 2e-4);
    EXPECT_NEAR(fit.x[1], -0.5 - 0.2 / 3, 2e-4);
    ASSERT_GT(path.size(), 3u);
    for (std::size_t k = 1; k < path.size(); ++k) {
      EXPECT_GT(path[k].tau, path[k - 1].tau);
      EXPECT_LE(path[k].value, path[k - 1].value);
    }
    o.most_tau = 1;
    at_one.push_back(fit_gradient_flow(objective, std::vector<double>{2, 2}, {}, o).x[0]);
    (kind == FlowKind::accelerated ? accelerated : stiff) = fit.gradients;
  }
  // Of a way of 0.86, and a quarter of the gradient may be missed: near, not exact. How near is a
  // matter of what may be missed.
  EXPECT_NEAR(at_one[0], at_one[2], 5e-2);
  FlowOptions exact;
  exact.missed = 0.01;
  exact.degree = 4;
  exact.most_tau = 1;
  EXPECT_NEAR(fit_gradient_flow(objective, std::vector<double>{2, 2}, {}, exact).x[0], at_one[2],
              2e-3);
  EXPECT_NEAR(at_one[1], at_one[2], 2e-3);
  EXPECT_LT(accelerated, stiff);
}

TEST(GradientFlow, StopsAtBounds) {
  const TrialLeastSquares objective({{"a", 1.5, 10, 2}, {"b", -10, 10, 2}},
                                    [](std::span<const double> p) -> std::vector<double> {
                                      return {p[0] - 1, p[1] + p[0]};
                                    });
  for (FlowKind kind : all_kinds) {
    FlowOptions o;
    o.kind = kind;
    const LocalFit fit = fit_gradient_flow(objective, std::vector<double>{3, 2}, {}, o);
    EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
    EXPECT_NEAR(fit.x[0], 1.5, 1e-9) << static_cast<int>(kind);
    EXPECT_NEAR(fit.x[1], -1.5, 1e-3) << static_cast<int>(kind);
  }
}

TEST(GradientFlow, SaysWhyItEnds) {
  TrialLeastSquares objective = trial_rosenbrock();
  FlowOptions o;
  o.max_gradients = 10;
  EXPECT_EQ(fit_gradient_flow(objective, std::vector<double>{-1.2, 1}, {}, o).outcome,
            FitOutcome::iterations);
  objective.fails = [](std::span<const double>) { return true; };
  EXPECT_EQ(fit_gradient_flow(objective, std::vector<double>{-1.2, 1}, {}, {}).outcome,
            FitOutcome::failed);
}

}  // namespace
