// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/cvodes/cvodes_runner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace stiffit::internal {
namespace {

// Robertson's three species; J lacks the diagonal entry of the last.
struct Robertson {
  static constexpr int n = 3;
  Sparsity pattern{3, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 0, 1}};
  std::vector<double> y0{1, 0, 0};
  static void rhs(void*, double, const double* y, double* f) {
    const double a = 0.04 * y[0], b = 1e4 * y[1] * y[2], c = 3e7 * y[1] * y[1];
    f[0] = b - a;
    f[1] = a - b - c;
    f[2] = c;
  }
  static void jacobian(void*, double, const double* y, double* j) {
    const double b1 = 1e4 * y[2], b2 = 1e4 * y[1], c1 = 6e7 * y[1];
    j[0] = -0.04, j[1] = 0.04;
    j[2] = b1, j[3] = -b1 - c1, j[4] = c1;
    j[5] = b2, j[6] = -b2;
  }
};

// Van der Pol with mu = 1000; J has no entry at (0, 0).
struct VanDerPol {
  static constexpr int n = 2;
  Sparsity pattern{2, {0, 1, 3}, {1, 0, 1}};
  std::vector<double> y0{2, 0};
  static void rhs(void*, double, const double* y, double* f) {
    f[0] = y[1];
    f[1] = 1e3 * (1 - y[0] * y[0]) * y[1] - y[0];
  }
  static void jacobian(void*, double, const double* y, double* j) {
    j[0] = -2e3 * y[0] * y[1] - 1;
    j[1] = 1;
    j[2] = 1e3 * (1 - y[0] * y[0]);
  }
};

// y' = rate (cos t - y) - sin t with y = cos t; the context is the rate.
struct Chase {
  static constexpr int n = 1;
  Sparsity pattern{1, {0, 1}, {0}};
  std::vector<double> y0{1};
  static void rhs(void* rate, double t, const double* y, double* f) {
    f[0] = *static_cast<double*>(rate) * (std::cos(t) - y[0]) - std::sin(t);
  }
  static void jacobian(void* rate, double, const double*, double* j) {
    j[0] = -*static_cast<double*>(rate);
  }
};

template <class Problem>
CvodesProblem problem_of(const Problem& p, void* context = nullptr) {
  return {Problem::n, &p.pattern, Problem::rhs, Problem::jacobian, context};
}

struct Rows {
  int n;
  std::vector<std::size_t> index;
  std::vector<double> t;
  std::vector<std::vector<double>> y;
  static void sink(void* context, std::size_t index, double t, const double* y) {
    auto& rows = *static_cast<Rows*>(context);
    rows.index.push_back(index);
    rows.t.push_back(t);
    rows.y.emplace_back(y, y + rows.n);
  }
};

CvodesOutcome run(CvodesRunner& runner, const std::vector<double>& y0,
                  const std::vector<double>& times, Rows* rows) {
  *rows = Rows{static_cast<int>(y0.size()), {}, {}, {}};
  return runner.run(0.0, y0.data(), times.data(), times.size(), Rows::sink, rows);
}

CvodesOptions with(const std::vector<double>& atol, double rtol) {
  CvodesOptions options;
  options.rtol = rtol;
  options.atol = atol.data();
  return options;
}

class CvodesLinearTest : public testing::TestWithParam<std::tuple<CvodesLinear, KluOrdering>> {
 protected:
  CvodesOptions options(const std::vector<double>& atol, double rtol) const {
    CvodesOptions o = with(atol, rtol);
    std::tie(o.linear, o.ordering) = GetParam();
    return o;
  }
};

// Reference: y at t = 40 and 4e5 as printed by several papers on this problem.
TEST_P(CvodesLinearTest, Robertson) {
  const Robertson p;
  const std::vector<double> atol{1e-10, 1e-14, 1e-10};
  auto runner = make_cvodes_runner(problem_of(p), options(atol, 1e-9));
  Rows rows;
  const CvodesOutcome o = run(*runner, p.y0, {0, 40, 4e5}, &rows);
  ASSERT_EQ(o.status, CvodesStatus::done) << o.message;
  EXPECT_EQ(o.message, "");
  EXPECT_EQ(o.delivered, 3u);
  EXPECT_GE(o.t, 4e5);
  EXPECT_EQ(rows.t, (std::vector<double>{0, 40, 4e5}));
  EXPECT_EQ(rows.y[0], p.y0);
  EXPECT_NEAR(rows.y[1][0], 0.7158270688, 2e-7);
  EXPECT_NEAR(rows.y[1][1], 9.185534765e-6, 1e-11);
  EXPECT_NEAR(rows.y[1][2], 0.2841637457, 2e-7);
  EXPECT_NEAR(rows.y[2][0], 4.940e-3, 3e-6);
  for (const auto& y : rows.y) EXPECT_NEAR(y[0] + y[1] + y[2], 1, 1e-8);
  EXPECT_GT(o.counters.steps, 100);
  EXPECT_GT(o.counters.rhs, o.counters.steps);
  EXPECT_GT(o.counters.newton_iterations, o.counters.steps);
  EXPECT_GT(o.counters.factorisations, o.counters.jacobian);
  EXPECT_GT(o.counters.jacobian, 1);
  EXPECT_LT(o.counters.jacobian, o.counters.steps / 5);  // J is right: it is kept for many steps
}

TEST_P(CvodesLinearTest, VanDerPolAgainstTighterRun) {
  const VanDerPol p;
  const std::vector<double> times{100, 800, 900, 1700};  // one jump of the relaxation between
  const std::vector<double> coarse(2, 1e-8), fine(2, 1e-12);
  Rows a, b;
  ASSERT_EQ(run(*make_cvodes_runner(problem_of(p), options(coarse, 1e-6)), p.y0, times, &a).status,
            CvodesStatus::done);
  ASSERT_EQ(run(*make_cvodes_runner(problem_of(p), options(fine, 1e-11)), p.y0, times, &b).status,
            CvodesStatus::done);
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(a.y[i][0], b.y[i][0], 1e-3 * std::abs(b.y[i][0])) << times[i];
  EXPECT_GT(b.y[0][0], 1.5);   // before the jump
  EXPECT_LT(b.y[2][0], -1.5);  // after it
}

TEST_P(CvodesLinearTest, OutputGridDoesNotTouchTheSteps) {
  const Robertson p;
  const std::vector<double> atol{1e-8, 1e-12, 1e-8};
  auto runner = make_cvodes_runner(problem_of(p), options(atol, 1e-6));
  std::vector<double> dense;
  for (int i = 0; i <= 4000; ++i) dense.push_back(i * 0.01);
  const std::vector<double> coarse{1, 7, 40};
  Rows a, b;
  const CvodesOutcome first = run(*runner, p.y0, dense, &a);
  const CvodesOutcome second = run(*runner, p.y0, coarse, &b);
  ASSERT_EQ(first.status, CvodesStatus::done);
  ASSERT_EQ(second.status, CvodesStatus::done);
  EXPECT_EQ(first.counters.steps, second.counters.steps);
  EXPECT_EQ(first.counters.rhs, second.counters.rhs);
  EXPECT_EQ(a.y[100], b.y[0]);
  EXPECT_EQ(a.y[700], b.y[1]);
  EXPECT_EQ(a.y[4000], b.y[2]);
}

TEST_P(CvodesLinearTest, RunsAreAllAlike) {
  const Robertson p;
  const std::vector<double> atol(3, 1e-10);
  auto runner = make_cvodes_runner(problem_of(p), options(atol, 1e-7));
  Rows a, b;
  const CvodesOutcome first = run(*runner, p.y0, {10, 1e4}, &a);
  run(*runner, {0.5, 0, 0.5}, {3}, &b);
  const CvodesOutcome again = run(*runner, p.y0, {10, 1e4}, &b);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(first.counters.steps, again.counters.steps);
  EXPECT_EQ(first.counters.jacobian, again.counters.jacobian);
  EXPECT_EQ(first.counters.newton_iterations, again.counters.newton_iterations);
}

using Solver = std::tuple<CvodesLinear, KluOrdering>;

std::string solver_name(const testing::TestParamInfo<Solver>& info) {
  const char* orderings[] = {"KluAmd", "KluColamd", "KluNatural"};
  const auto [linear, ordering] = info.param;
  return linear == CvodesLinear::dense ? "Dense" : orderings[static_cast<int>(ordering)];
}

INSTANTIATE_TEST_SUITE_P(Solvers, CvodesLinearTest,
                         testing::Values(Solver{CvodesLinear::dense, KluOrdering::amd},
                                         Solver{CvodesLinear::klu, KluOrdering::amd},
                                         Solver{CvodesLinear::klu, KluOrdering::colamd},
                                         Solver{CvodesLinear::klu, KluOrdering::natural}),
                         solver_name);

TEST(CvodesRunner, StiffScalarByBdfAndMildOneByAdams) {
  const Chase p;
  const std::vector<double> atol{1e-10};
  CvodesOptions options = with(atol, 1e-9);
  for (const bool adams : {false, true}) {
    options.adams = adams;
    double rate = adams ? 2 : 1e5;
    auto runner = make_cvodes_runner(problem_of(p, &rate), options);
    Rows rows;
    const CvodesOutcome o = run(*runner, p.y0, {0.5, 3, 10}, &rows);
    ASSERT_EQ(o.status, CvodesStatus::done) << o.message;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(rows.y[i][0], std::cos(rows.t[i]), 1e-7);
    EXPECT_EQ(o.counters.jacobian > 0, !adams);
    EXPECT_LT(o.counters.steps, 1000);
  }
}

TEST(CvodesRunner, AdamsNeedsNoJacobian) {
  double rate = 1;
  const std::vector<double> atol{1e-8};
  CvodesOptions options = with(atol, 1e-6);
  const CvodesProblem bare{1, nullptr, Chase::rhs, nullptr, &rate};
  EXPECT_THROW(make_cvodes_runner(bare, options), std::invalid_argument);
  options.adams = true;
  Rows rows;
  EXPECT_EQ(run(*make_cvodes_runner(bare, options), {1}, {5}, &rows).status, CvodesStatus::done);
}

TEST(CvodesRunner, OwnWeightsGiveTheSameAsTolerances) {
  const Robertson p;
  const std::vector<double> atol{1e-8, 1e-12, 1e-8};
  CvodesOptions options = with(atol, 1e-6);
  Rows a, b;
  run(*make_cvodes_runner(problem_of(p), options), p.y0, {40}, &a);
  options.atol = nullptr;
  options.weights = [](void*, const double* y, double* w) {
    const double atols[] = {1e-8, 1e-12, 1e-8};
    for (int i = 0; i < 3; ++i) w[i] = 1 / (1e-6 * std::abs(y[i]) + atols[i]);
  };
  run(*make_cvodes_runner(problem_of(p), options), p.y0, {40}, &b);
  EXPECT_EQ(a.y, b.y);
}

TEST(CvodesRunner, OptionsBoundTheSteps) {
  const Chase p;
  double rate = 1;
  const std::vector<double> atol{1e-8};
  CvodesOptions options = with(atol, 1e-6);
  Rows rows;
  options.max_step = 0.01;
  const auto small = run(*make_cvodes_runner(problem_of(p, &rate), options), p.y0, {2}, &rows);
  EXPECT_GE(small.counters.steps, 200);
  options.max_step = 0;
  const auto high = run(*make_cvodes_runner(problem_of(p, &rate), options), p.y0, {2}, &rows);
  EXPECT_LT(high.counters.steps, 100);
  options.max_order = 1;
  const auto low = run(*make_cvodes_runner(problem_of(p, &rate), options), p.y0, {2}, &rows);
  EXPECT_GT(low.counters.steps, 3 * high.counters.steps);
}

TEST(CvodesRunner, StopsAtTheMostSteps) {
  const Robertson p;
  const std::vector<double> atol{1e-8, 1e-12, 1e-8};
  CvodesOptions options = with(atol, 1e-6);
  options.max_steps = 30;
  auto runner = make_cvodes_runner(problem_of(p), options);
  Rows rows;
  const CvodesOutcome o = run(*runner, p.y0, {1e-6, 1e-5, 1e-4, 1e9}, &rows);
  EXPECT_EQ(o.status, CvodesStatus::too_many_steps);
  EXPECT_EQ(o.counters.steps, 30);  // of the whole run, not since the last output
  EXPECT_NE(o.message, "");
  EXPECT_LT(o.t, 1e9);
  EXPECT_GT(o.t, 1e-4);
  EXPECT_EQ(rows.index, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(o.delivered, 3u);
  EXPECT_EQ(run(*runner, p.y0, {1e-4}, &rows).status, CvodesStatus::done);  // fit for more
}

TEST(CvodesRunner, Interrupts) {
  struct Stop {
    std::atomic<bool> flag{false};
    int calls = 0;
  } stop;
  const Sparsity pattern{1, {0, 1}, {0}};
  const CvodesProblem p{1, &pattern,
                        [](void* c, double, const double* y, double* f) {
                          auto& s = *static_cast<Stop*>(c);
                          f[0] = -y[0];
                          if (++s.calls == 20) s.flag = true;
                        },
                        [](void*, double, const double*, double* j) { j[0] = -1; }, &stop};
  const std::vector<double> atol{1e-12};
  CvodesOptions options = with(atol, 1e-10);
  options.interrupt = &stop.flag;
  auto runner = make_cvodes_runner(p, options);
  Rows rows;
  const CvodesOutcome o = run(*runner, {1}, {0, 100}, &rows);
  EXPECT_EQ(o.status, CvodesStatus::interrupted);
  EXPECT_EQ(stop.calls, 20);
  EXPECT_EQ(o.delivered, 1u);
  EXPECT_LT(o.t, 100);
  stop.flag = false;
  EXPECT_EQ(run(*runner, {1}, {0, 1}, &rows).status, CvodesStatus::done);
}

TEST(CvodesRunner, RightHandSideNotFinite) {
  const Sparsity pattern{1, {0, 1}, {0}};
  const auto rhs = [](void*, double t, const double*, double* f) {
    f[0] = t > 1 ? std::numeric_limits<double>::quiet_NaN() : 1;
  };
  const auto jacobian = [](void*, double, const double*, double* j) { j[0] = 0; };
  const std::vector<double> atol{1e-8};
  for (const bool adams : {false, true}) {
    CvodesOptions options = with(atol, 1e-6);
    options.adams = adams;
    auto runner = make_cvodes_runner({1, &pattern, rhs, jacobian, nullptr}, options);
    Rows rows;
    const CvodesOutcome o = run(*runner, {0}, {0.5, 2}, &rows);
    EXPECT_EQ(o.status, CvodesStatus::rhs_failure);
    EXPECT_NE(o.message, "");
    EXPECT_LE(o.t, 1);
    ASSERT_EQ(o.delivered, 1u);
    EXPECT_NEAR(rows.y[0][0], 0.5, 1e-6);
    // At the start already.
    EXPECT_EQ(runner->run(5, atol.data(), atol.data(), 0, Rows::sink, &rows).status,
              CvodesStatus::done);
    const double times[] = {6};
    EXPECT_EQ(runner->run(5, atol.data(), times, 1, Rows::sink, &rows).status,
              CvodesStatus::rhs_failure);
  }
}

TEST(CvodesRunner, BlowsUp) {  // y' = y^2 has a pole at t = 1
  const Sparsity pattern{1, {0, 1}, {0}};
  const auto rhs = [](void*, double, const double* y, double* f) { f[0] = y[0] * y[0]; };
  const auto jacobian = [](void*, double, const double* y, double* j) { j[0] = 2 * y[0]; };
  const std::vector<double> atol{1e-8};
  auto runner = make_cvodes_runner({1, &pattern, rhs, jacobian, nullptr}, with(atol, 1e-6));
  Rows rows;
  testing::internal::CaptureStderr();
  const CvodesOutcome o = run(*runner, {1}, {0.5, 2}, &rows);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(o.status, CvodesStatus::step_too_small);
  EXPECT_NE(o.message, "");
  EXPECT_NEAR(o.t, 1, 1e-3);
  EXPECT_EQ(o.delivered, 1u);
}

TEST(CvodesRunner, TimesAtAndNextToTheStart) {
  const Chase p;
  double rate = 1;
  const std::vector<double> atol{1e-8};
  auto runner = make_cvodes_runner(problem_of(p, &rate), with(atol, 1e-6));
  Rows rows;
  const double near[] = {1, 1, std::nextafter(1.0, 2.0)};
  CvodesOutcome o = runner->run(1, p.y0.data(), near, 3, Rows::sink, &(rows = {1, {}, {}, {}}));
  EXPECT_EQ(o.status, CvodesStatus::done) << o.message;
  EXPECT_EQ(rows.y, (std::vector<std::vector<double>>(3, {1})));
  EXPECT_EQ(o.counters.steps, 0);
  EXPECT_EQ(run(*runner, p.y0, {2, 1}, &rows).status, CvodesStatus::illegal_input);
  EXPECT_EQ(run(*runner, p.y0, {-1}, &rows).status, CvodesStatus::illegal_input);
  EXPECT_EQ(run(*runner, p.y0, {std::nan("")}, &rows).status, CvodesStatus::illegal_input);
  EXPECT_EQ(run(*runner, p.y0, {2, 2}, &rows).delivered, 2u);
  EXPECT_EQ(rows.y[0], rows.y[1]);
}

TEST(CvodesRunner, NamesBadTolerances) {
  const Robertson p;
  const std::vector<double> zero(3, 0);  // with y = 0: a weight without bound
  Rows rows;
  const auto o = run(*make_cvodes_runner(problem_of(p), with(zero, 1e-6)), p.y0, {1}, &rows);
  EXPECT_EQ(o.status, CvodesStatus::illegal_input);
  EXPECT_NE(o.message, "");
  const std::vector<double> negative(3, -1);
  EXPECT_THROW(make_cvodes_runner(problem_of(p), with(negative, 1e-6)), std::invalid_argument);
  EXPECT_THROW(make_cvodes_runner(problem_of(p), CvodesOptions{}), std::invalid_argument);
}

}  // namespace
}  // namespace stiffit::internal
