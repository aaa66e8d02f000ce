// The Taylor series method: recurrences of every function, lanes, singular starts, and the
// guaranteed bound against the truth in extended precision.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "base/splitmix.h"
#include "compiled_model.h"
#include "ode/methods/taylor/taylor_bound.h"
#include "ode/methods/taylor/taylor_jet.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

Trajectory run(const CompiledModel& model, const std::vector<double>& times,
               const std::string& method, double rtol) {
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  return simulate(model.problem, model.request(times), options);
}

class TaylorFunction : public testing::TestWithParam<const char*> {};

// All coefficients up to order 16 are right if a run with that order is.
TEST_P(TaylorFunction, HasTheRightRecurrence) {
  const std::string text =
      "species x, y; x = 0.4; y = 0.7; n = 2.3; m = 3\nx' = y*cos(time) - x/5 + 0.1*(" +
      std::string(GetParam()) + ")\ny' = -x*y + 0.3\n";
  for (Isa isa : possible_isas())
    for (int lanes : {1, 4, 8}) {
      ProgramOptions options;
      options.isa = isa;
      options.lanes = lanes;
      CompiledModel model = compile_model(resolve_text("functions", text), options);
      const std::vector<double> times{0.3, 0.5, 1};
      const Trajectory taylor = run(model, times, "taylor", 1e-13);
      const Trajectory other = run(model, times, "dop853", 1e-13);
      ASSERT_EQ(taylor.outcome.status, Status::done);
      ASSERT_EQ(other.outcome.status, Status::done);
      EXPECT_LT(taylor.outcome.counters.steps * 2, other.outcome.counters.steps);
      for (std::size_t i = 0; i < other.states.size(); ++i)
        EXPECT_NEAR(taylor.states[i], other.states[i], 1e-11) << i << " lanes " << lanes;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, TaylorFunction,
    testing::Values("x*y", "x^2 - y^3", "x/y", "1/(1 + x^4)", "exp(-x*y)", "ln(x + 2)",
                    "log10(x + y + 1)", "sqrt(x + 1)", "sin(2*x)", "cos(x*y)", "tan(x)", "sinh(x)",
                    "cosh(y)", "tanh(3*x)", "asin(x/2)", "acos(y/3)", "atan(2*x)", "asinh(x)",
                    "acosh(x + 3)", "atanh(x/3)", "(x + 1)^n", "(x + 1)^(-1.5)", "n^x", "(x + 1)^y",
                    "x^m", "sec(x) + csc(y + 1) + cot(y + 1)", "sech(x) + asec(x + 3)",
                    "sqrt(time + 1)*ln(time + 2)", "piecewise(x, n > 2, y)", "abs(x - 5)*max(x, 9)",
                    "0*x + n*m - exp(n)/m^n"),
    [](const auto& one) { return "function" + std::to_string(one.index); });

TEST(Taylor, OrderFollowsTheTolerance) {
  CompiledModel model = compile_model(resolve_library("lotka"));
  const Trajectory loose = run(model, {20}, "taylor", 1e-6),
                   tight = run(model, {20}, "taylor", 1e-14);
  EXPECT_LT(tight.outcome.counters.steps, 2 * loose.outcome.counters.steps);
  const double exact[] = {4.37457227641958e-03, 3.72459741711332e-04, 4.67743371495473e-01,
                          5.29509596486396e-01};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(tight.states[i] / exact[i], 1, 3e-13);
}

TEST(Taylor, RowsDoNotDependOnOtherRows) {
  CompiledModel model = compile_model(resolve_library("vdp1"));
  const Trajectory few = run(model, {1.3, 7}, "taylor", 1e-8);
  const Trajectory many = run(model, {0.1, 1.3, 2, 3, 7, 9.5}, "taylor", 1e-8);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(few.states[i], many.states[2 + i]);
    EXPECT_EQ(few.states[2 + i], many.states[8 + i]);
  }
}

// Where the solution starts, its second derivative does not exist.
TEST(Taylor, LeavesASingularStart) {
  CompiledModel model =
      compile_model(resolve_text("start", "species x; x' = 1 + x^0.6 - x; x = 0; k = 1\n"));
  const Trajectory taylor = run(model, {0.5, 2}, "taylor", 1e-8);
  const Trajectory other = run(model, {0.5, 2}, "dopri5", 1e-10);
  ASSERT_EQ(taylor.outcome.status, Status::done);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(taylor.states[i], other.states[i], 1e-6);
}

// A species that is zero and stays so has all derivatives of its powers, whatever recurrences that
// divide by it say: nothing holds the steps back. y' = 1 - y, beside terms that are zero.
TEST(Taylor, NothingHappensAtAZeroThatStays) {
  for (const char* term : {"z^n", "z^m", "sqrt(z)", "z^n/(1 + z^n)", "asin(1 - z) - asin(1)",
                           "z^n*y*(1 + tanh(time - 3))", "(z*y)^n", "acosh(1 + z)"}) {
    const std::string text =
        "species y, z; y = 0; z = 0; n = 2; m = 1.5; z' = -z*y; y' = 1 - y + " + std::string(term) +
        "\n";
    const CompiledModel model = compile_model(resolve_text("rest", text));
    for (const char* method : {"taylor", "automatic"}) {
      const Trajectory x = run(model, {1, 5, 40}, method, 1e-11);
      ASSERT_EQ(x.outcome.status, Status::done) << term << " " << method;
      EXPECT_LT(x.outcome.counters.steps, 300) << term << " " << method;
      for (std::size_t row : {0u, 1u, 2u})
        EXPECT_NEAR(x.states[2 * row],
                    -std::expm1(row == 0   ? -1
                                : row == 1 ? -5
                                           : -40.0),
                    1e-9)
            << term << " " << method;
    }
  }
}

// Where a power of what is nearly zero leaves the range of numbers the series crawls; the default
// goes on without it.
TEST(Taylor, TheDefaultDoesNotCrawlAlong) {
  const CompiledModel model = compile_model(
      resolve_text("tiny",
                   "species x, v, z; x = 1; v = 0; z = 1e-307; n = 2.5\nx' = v; v' = -x; z' = -z; "
                   "at (time > 3): z = 1e-310\nw' = z^n - w; w = 1\n"));
  const Trajectory x = run(model, {5, 50}, "automatic", 1e-11);
  ASSERT_EQ(x.outcome.status, Status::done);
  // Not much more than the implicit method alone.
  const Trajectory implicit = run(model, {5, 50}, "rodas5p", 1e-11);
  EXPECT_LT(x.outcome.counters.steps, 1.5 * static_cast<double>(implicit.outcome.counters.steps));
  EXPECT_NEAR(x.states[4], std::cos(50.0), 1e-8);
}

TEST(Taylor, APoleIsAnError) {
  CompiledModel model = compile_model(resolve_text("pole", "species x; x' = x^2; x = 1;\n"));
  const Trajectory burst = run(model, {0.5, 2}, "taylor", 1e-8);
  EXPECT_NE(burst.outcome.status, Status::done);
  EXPECT_NEAR(burst.outcome.time, 1, 1e-6);
  EXPECT_EQ(burst.rows_reached, 1u);
}

TEST(Taylor, SaysWhatItCannotRun) {
  auto why = [](const char* text, const char* method) {
    CompiledModel model = compile_model(resolve_text("model", text));
    IntegrationOptions options;
    options.method = method;
    return refusal(model.problem, options);
  };
  EXPECT_NE(why("species x; x' = -delay(x, 1); x = 1;\n", "taylor").find("delays"),
            std::string::npos);
  EXPECT_NE(why("species x; x' = 1/(1 + x); x = 1;\n", "taylor-guaranteed").find("polynomial"),
            std::string::npos);
  EXPECT_EQ(why("species x; x' = -k*x^3/K + 2; x = 1; k = 1; K = 3\n", "taylor-guaranteed"), "");
}

// The guaranteed bound.
__extension__ typedef __float128 Quad;

// x_k' = a_k + sum b_kl x_l + sum c_kij x_i x_j.
struct QuadraticSystem {
  int n = 0;
  std::vector<double> a, b, c, start;
};

// Coefficients of the series by the recurrence for quadratic systems.
std::vector<std::vector<Quad>> series(const QuadraticSystem& s, const std::vector<Quad>& x0,
                                      int order) {
  const auto n = static_cast<std::size_t>(s.n);
  std::vector<std::vector<Quad>> x(n, std::vector<Quad>(static_cast<std::size_t>(order) + 1, 0));
  for (std::size_t k = 0; k < n; ++k) x[k][0] = x0[k];
  for (std::size_t m = 0; m < static_cast<std::size_t>(order); ++m)
    for (std::size_t k = 0; k < n; ++k) {
      Quad sum = m == 0 ? s.a[k] : 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += Quad(s.b[k * n + i]) * x[i][m];
        for (std::size_t j = 0; j < n; ++j) {
          if (s.c[(k * n + i) * n + j] == 0) continue;
          Quad product = 0;
          for (std::size_t p = 0; p <= m; ++p) product += x[i][p] * x[j][m - p];
          sum += Quad(s.c[(k * n + i) * n + j]) * product;
        }
      }
      x[k][m + 1] = sum / Quad(m + 1);
    }
  return x;
}
Quad polynomial(const std::vector<Quad>& x, Quad h, int order) {
  Quad sum = 0;
  for (std::size_t m = static_cast<std::size_t>(order) + 1; m-- > 0;) sum = x[m] + h * sum;
  return sum;
}
std::vector<Quad> truth(const QuadraticSystem& s, double h) {
  constexpr int pieces = 6, order = 24;  // for steps up to half the radius: to 1e-18
  std::vector<Quad> x(s.start.begin(), s.start.end());
  for (int i = 0; i < pieces; ++i) {
    const auto coefficients = series(s, x, order);
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = polynomial(coefficients[k], Quad(h) / pieces, order);
  }
  return x;
}

std::string as_text(const QuadraticSystem& s) {
  auto number = [](double x) {
    char text[40];
    std::snprintf(text, sizeof text, "(%.17g)", x);
    return std::string(text);
  };
  const auto n = static_cast<std::size_t>(s.n);
  std::string text;
  for (std::size_t k = 0; k < n; ++k) {
    const std::string x = "x" + std::to_string(k);
    text += "species " + x + " = " + number(s.start[k]) + "\n" + x + "' = " + number(s.a[k]);
    for (std::size_t i = 0; i < n; ++i) {
      if (s.b[k * n + i] != 0) text += " + " + number(s.b[k * n + i]) + "*x" + std::to_string(i);
      for (std::size_t j = 0; j < n; ++j)
        if (const double c = s.c[(k * n + i) * n + j]; c != 0)
          text += " + " + number(c) + "*x" + std::to_string(i) + "*x" + std::to_string(j);
    }
    text += "\n";
  }
  return text;
}

// Returns how far the bound is above the error at best.
double expect_bound_holds(const QuadraticSystem& s) {
  CompiledModel model = compile_model(resolve_text("quadratic", as_text(s)));
  const Program& program = model.program();
  EXPECT_EQ(taylor_bound_refusal(program), "");
  AlignedArray parameters(static_cast<std::size_t>(program.parameter_slots));
  for (std::size_t i = 0; i < program.parameter_values.size(); ++i)
    parameters[i] = program.parameter_values[i];
  double* arrays[] = {parameters.data()};
  program.prepare(arrays);
  TaylorMajorant majorant(program);
  majorant.set_parameters(parameters.data(), 1);
  const auto n = static_cast<std::size_t>(s.n);
  double tightest = INFINITY;
  for (int order : {1, 5, 16}) {
    for (double rtol : {1e-3, 1e-9}) {
      std::vector<double> allowed(n, rtol);
      TaylorBound bound;
      const double longest = majorant.find(s.start.data(), 1, allowed.data(), order, bound);
      EXPECT_GT(longest, 0);
      for (double h : {std::min(longest, 0.5 * bound.radius), 0.4 * bound.radius}) {
        const auto coefficients = series(s, {s.start.begin(), s.start.end()}, order);
        const std::vector<Quad> exact = truth(s, h);
        const double share = bound.share(h, order);
        for (std::size_t k = 0; k < n; ++k) {
          const Quad left = exact[k] - polynomial(coefficients[k], h, order);
          const double error = std::fabs(static_cast<double>(left)), most = bound.size[k] * share;
          EXPECT_LE(error, most) << "order " << order << " h/rho " << h / bound.radius;
          if (h <= longest) {
            EXPECT_LE(most, rtol * (1 + 1e-9));
          }
          if (error > 1e-15 * bound.size[k]) tightest = std::min(tightest, most / error);
        }
      }
    }
  }
  return tightest;
}

TEST(TaylorBound, OfASquareIsTheErrorItself) {
  for (double start : {0.5, 2.0, -3.0}) {
    const QuadraticSystem s{1, {0}, {0}, {1}, {start}};
    EXPECT_NEAR(expect_bound_holds(s), 1, 1e-3) << start;
  }
}

TEST(TaylorBound, HoldsOnLotka) {
  QuadraticSystem s{4, {0, 0, 0, 0}, std::vector<double>(16), std::vector<double>(64), {}};
  const double k1 = 1, k2 = 1.5, k3 = 0.1;
  s.c[0 * 16 + 0 * 4 + 1] = -k1;
  s.c[1 * 16 + 0 * 4 + 1] = k1;
  s.c[1 * 16 + 1 * 4 + 2] = -k2;
  s.c[2 * 16 + 1 * 4 + 2] = k2;
  s.b[2 * 4 + 2] = -k3;
  s.b[3 * 4 + 2] = k3;
  for (auto start : {std::array{1.0, 0.001, 0.001, 0.0}, std::array{0.3, 0.4, 0.2, 0.1}}) {
    s.start.assign(start.begin(), start.end());
    EXPECT_GE(expect_bound_holds(s), 1);
  }
}

TEST(TaylorBound, HoldsOnRandomQuadraticSystems) {
  SplitMix random(7);
  auto uniform = [&] { return 2 * random.unit() - 1; };
  constexpr int systems = sanitized ? 20 : 200;
  for (int i = 0; i < systems; ++i) {
    QuadraticSystem s;
    s.n = 1 + i % 4;
    const auto n = static_cast<std::size_t>(s.n);
    for (std::size_t k = 0; k < n; ++k) {
      s.a.push_back(i % 3 == 0 ? uniform() : 0);
      s.start.push_back(std::pow(10, 1.5 * uniform()) * (uniform() > -0.5 ? 1 : -1));
    }
    for (std::size_t k = 0; k < n * n; ++k) s.b.push_back(uniform() > 0 ? uniform() : 0);
    for (std::size_t k = 0; k < n * n * n; ++k) s.c.push_back(uniform() > 0.2 ? 3 * uniform() : 0);
    s.c[0] += 0.1;  // something moves
    EXPECT_GE(expect_bound_holds(s), 1) << i;
    if (testing::Test::HasFailure()) break;
  }
}

// A whole run keeps to it: the steps' bounds add up to no more than the tolerance each.
TEST(TaylorBound, GuaranteedRunsAreCloseToTheTruth) {
  CompiledModel model = compile_model(resolve_library("lotka"));
  const double exact[] = {4.37457227641958e-03, 3.72459741711332e-04, 4.67743371495473e-01,
                          5.29509596486396e-01};
  const Trajectory run_to_end = run(model, {20}, "taylor-guaranteed", 1e-9);
  ASSERT_EQ(run_to_end.outcome.status, Status::done);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(run_to_end.states[i] / exact[i], 1, 1e-9);
}

}  // namespace
}  // namespace stiffit::internal
