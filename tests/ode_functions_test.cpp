// Systems given as functions: every method against closed forms, against CVODES, with and without a
// Jacobian; and the same numbers as the compiled model of the same equations.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiled_model.h"
#include "ode/method_registry.h"
#include "stiffit/integrate.h"

namespace stiffit::internal {
namespace {

using api::IntegrateOptions;
using api::OdeFunctions;

// y1' = -2 y1 + sin t, y2' = y1 - y2, a linear system that depends on time.
OdeFunctions driven() {
  OdeFunctions f;
  f.rates = [](double t, const double* x, double* out) {
    out[0] = -2 * x[0] + std::sin(t);
    out[1] = x[0] - x[1];
  };
  return f;
}
OdeFunctions driven_with_derivatives() {
  OdeFunctions f = driven();
  f.jacobian = [](double, const double*, double* j) { j[0] = -2, j[2] = 1, j[3] = -1; };
  f.time_derivative = [](double t, const double*, double* out) {
    out[0] = std::cos(t);
    out[1] = 0;
  };
  return f;
}
// From (1, 0).
std::vector<double> driven_exact(double t) {
  const double a = 1.2, e2 = a * std::exp(-2 * t);
  const double y1 = 0.4 * std::sin(t) - 0.2 * std::cos(t) + e2;
  // y2 = -e2 + p sin t + q cos t + r e^-t with p - q = 0.4 ... from y2' + y2 = y1
  const double p = 0.1, q = -0.3, r = a - q;
  return {y1, p * std::sin(t) + q * std::cos(t) - e2 + r * std::exp(-t)};
}

class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  static const MethodEntry& entry() { return *find_method(GetParam()); }
  static IntegrateOptions options(double rtol) {
    IntegrateOptions o;
    o.method = GetParam();
    o.rtol = rtol;
    o.max_steps = 5'000'000;
    if (entry().fixed_step_only) o.step = 1e-3;
    return o;
  }
  // What the order of the method leaves: not all go to the tightest tolerances.
  static double rtol() { return entry().order < 2 ? 1e-4 : entry().order < 3 ? 1e-5 : 1e-7; }
};

double error(const api::TimeCourse& course, const std::function<std::vector<double>(double)>& y) {
  double worst = 0;
  for (std::size_t row = 0; row < course.times.size(); ++row) {
    const std::vector<double> exact = y(course.times[row]);
    for (std::size_t k = 0; k < exact.size(); ++k)
      worst = std::max(worst, std::fabs(course.at(row, k) - exact[k]));
  }
  return worst;
}

TEST_P(EveryMethod, SolvesAClosedForm) {
  for (const OdeFunctions& f : {driven(), driven_with_derivatives()}) {
    const api::TimeCourse course =
        integrate(f, {1, 0}, {0, 0.3, 1, 2.5, 7}, options(rtol())).or_throw();
    ASSERT_EQ(course.times.size(), 5u);
    EXPECT_EQ(course.at(0, 0), 1);
    // In units of the tolerance, whose errors add up over the run.
    const double allowed = entry().fixed_step_only ? 1e-3 : 100 * rtol();
    EXPECT_LT(error(course, driven_exact), allowed) << f.time_derivative.operator bool();
    EXPECT_GT(course.f, course.steps / 2);
  }
}

// Robertson's reaction, autonomous and stiff, against CVODES on the same functions.
OdeFunctions robertson() {
  OdeFunctions f;
  f.rates = [](double, const double* x, double* out) {
    const double a = 0.04 * x[0], b = 1e4 * x[1] * x[2], c = 3e7 * x[1] * x[1];
    out[0] = b - a, out[1] = a - b - c, out[2] = c;
  };
  f.autonomous = true;
  f.names = {"A", "B", "C"};
  return f;
}
OdeFunctions robertson_with_jacobian() {
  OdeFunctions f = robertson();
  // Without the entry that is zero, and not in the order of columns.
  f.pattern = {{2, 1}, {0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}};
  f.jacobian = [](double, const double* x, double* j) {
    const double b1 = 1e4 * x[2], b2 = 1e4 * x[1], c1 = 6e7 * x[1];
    const double values[] = {c1, -0.04, b1, b2, 0.04, -b1 - c1, -b2};
    std::copy(std::begin(values), std::end(values), j);
  };
  return f;
}

class StiffMethods : public EveryMethod {};

TEST_P(StiffMethods, AgreeWithCvodesOnStiffFunctions) {
  const std::vector<double> times{0, 0.4, 40, 4000};
  IntegrateOptions trusted;
  trusted.method = "cvodes";
  trusted.rtol = 1e-11;
  const api::TimeCourse expected = integrate(robertson_with_jacobian(), {1, 0, 0}, times, trusted);
  ASSERT_TRUE(expected.done()) << expected.explanation;
  for (const OdeFunctions& f : {robertson(), robertson_with_jacobian()}) {
    const api::TimeCourse course = integrate(f, {1, 0, 0}, times, options(rtol())).or_throw();
    for (std::size_t k = 0; k < expected.values.size(); ++k)
      EXPECT_NEAR(course.values[k], expected.values[k],
                  300 * rtol() * std::fabs(expected.values[k]) + 1e-3 * rtol())
          << k;
  }
}

std::vector<std::string> methods_for_functions(bool stiff) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_entries())
    if (!entry.refuses && (!stiff || (entry.stiff && !entry.fixed_step_only)))
      names.emplace_back(entry.info.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, StiffMethods, testing::ValuesIn(methods_for_functions(true)),
                         [](const auto& test) { return test_name(test.param); });
INSTANTIATE_TEST_SUITE_P(All, EveryMethod, testing::ValuesIn(methods_for_functions(false)),
                         [](const auto& test) { return test_name(test.param); });

// The order itself, through the same driver.
TEST(OdeFunctions, FixedStepsHaveTheOrderOfTheMethod) {
  for (const char* method : {"rk4", "dopri5", "rodas5p", "trbdf2", "esdirk54", "radau"}) {
    double errors[2];
    for (int k = 0; k < 2; ++k) {
      IntegrateOptions o;
      o.method = method;
      o.step = 0.1 / (1 + k);
      o.rtol = 1e-12;  // of Newton
      errors[k] = error(integrate(driven_with_derivatives(), {1, 0}, {0, 2}, o), driven_exact);
    }
    EXPECT_GT(std::log2(errors[0] / errors[1]), find_method(method)->order - 0.4) << method;
    EXPECT_LT(errors[0], 1e-2) << method;
  }
}

// Functions and compiled equations go the same way, step by step.
TEST(OdeFunctions, TakeTheStepsOfTheCompiledModel) {
  const CompiledModel model = compile_model(
      resolve_text("r",
                   "species A, B, C; A' = 1e4*B*C - 0.04*A; B' = 0.04*A - 1e4*B*C - 3e7*B*B; "
                   "C' = 3e7*B*B; A = 1; B = 0; C = 0;\n"));
  for (const char* method : {"rodas5p", "bdf", "radau", "esdirk54", "cvodes"}) {
    IntegrationOptions compiled;
    compiled.method = method;
    const Trajectory run = simulate(model.problem, model.request({0, 40, 4000}), compiled);
    IntegrateOptions o;
    o.method = method;
    const api::TimeCourse course =
        integrate(robertson_with_jacobian(), {1, 0, 0}, {0, 40, 4000}, o).or_throw();
    EXPECT_NEAR(static_cast<double>(course.steps), static_cast<double>(run.outcome.counters.steps),
                0.1 * static_cast<double>(course.steps))
        << method;
    for (std::size_t k = 0; k < course.values.size(); ++k)
      EXPECT_NEAR(course.values[k], run.states[k], 1e-4 * std::fabs(run.states[k]) + 1e-12);
  }
}

struct OwnError {};

TEST(OdeFunctions, WhatAFunctionThrowsComesOut) {
  for (const MethodEntry& entry : method_entries()) {
    if (entry.refuses) continue;
    int after = 0;  // calls of a function that has thrown
    bool thrown = false;
    OdeFunctions f;
    f.rates = [&](double t, const double* x, double* out) {
      after += thrown;
      thrown |= t > 0.5;
      if (thrown) throw OwnError{};
      out[0] = -x[0];
    };
    IntegrateOptions o;
    o.method = entry.info.name;
    if (entry.fixed_step_only) o.step = 0.01;
    EXPECT_THROW(integrate(f, {1}, {0, 1}, o), OwnError) << entry.info.name;
    EXPECT_EQ(after, 0) << entry.info.name;
  }
}

// x' = x^2 has no solution beyond 1. What a run that has blown up leaves behind must not make the
// Jacobian of another so large that Newton's iteration changes nothing and takes that for an
// answer.
TEST(OdeFunctions, APoleIsNoAnswer) {
  OdeFunctions f;
  f.rates = [](double, const double* x, double* out) { out[0] = x[0] * x[0]; };
  for (const MethodEntry& entry : method_entries()) {
    if (entry.refuses || entry.fixed_step_only) continue;
    IntegrateOptions o;
    o.method = entry.info.name;
    o.rtol = entry.order < 2 ? 1e-4 : 1e-6;
    const api::TimeCourse course = integrate(f, {1}, {0, 0.5, 2}, o);
    EXPECT_FALSE(course.done()) << entry.info.name;
    ASSERT_EQ(course.times.size(), 2u) << entry.info.name;
    EXPECT_NEAR(course.at(1, 0), 2, 1e-2) << entry.info.name;
    EXPECT_NEAR(course.reached, 1, 2e-2) << entry.info.name;
  }
}

TEST(OdeFunctions, AnInterruptEndsTheRunWithWhatItHas) {
  std::atomic<bool> stop{false};
  OdeFunctions f;
  f.rates = [&](double t, const double* x, double* out) {
    if (t > 1) stop = true;
    out[0] = x[0] * std::cos(t);
  };
  IntegrateOptions o;
  o.run.interrupt = &stop;
  const api::TimeCourse course = integrate(f, {1}, {0, 0.5, 1e6}, o);
  EXPECT_EQ(course.status, "interrupted");
  EXPECT_EQ(course.times.size(), 2u);
}

TEST(OdeFunctions, SaysWhatIsWrongWithAnInput) {
  const auto says = [](OdeFunctions f, std::vector<double> x0, std::vector<double> times,
                       IntegrateOptions o = {}) -> std::string {
    try {
      integrate(f, x0, times, o);
    } catch (const api::InputError& error) {
      return error.what();
    }
    return "";
  };
  IntegrateOptions wrong, taylor;
  wrong.method = "rodas5";
  taylor.method = "taylor";
  EXPECT_NE(says(driven(), {1, 0}, {0, 1}, wrong).find("did you mean 'rodas5p'?"),
            std::string::npos);
  EXPECT_NE(says(driven(), {1, 0}, {0, 1}, taylor).find("needs the equations"), std::string::npos);
  EXPECT_NE(says(driven(), {1, NAN}, {0, 1}).find("initial state"), std::string::npos);
  EXPECT_NE(says(driven(), {1, 0}, {1, 0}).find("ascending"), std::string::npos);
  EXPECT_NE(says({}, {1, 0}, {0, 1}).find("rates"), std::string::npos);
  OdeFunctions twice = driven();
  twice.pattern = {{0, 0}, {0, 0}};
  EXPECT_NE(says(twice, {1, 0}, {0, 1}).find("twice"), std::string::npos);
  twice.pattern = {{0, 5}};
  EXPECT_NE(says(twice, {1, 0}, {0, 1}).find("beyond 2 states"), std::string::npos);
}

// A chain of 60: with its pattern, differences need three evaluations, not sixty.
TEST(OdeFunctions, APatternSavesEvaluations) {
  constexpr int n = 60;
  OdeFunctions f;
  f.rates = [](double, const double* x, double* out) {
    for (int i = 0; i < n; ++i) out[i] = (i > 0 ? 100 * x[i - 1] : 0) - 100 * x[i];
  };
  f.autonomous = true;
  std::vector<double> x0(n, 0);
  x0[0] = 1;
  IntegrateOptions o;
  o.method = "rodas5p";
  const api::TimeCourse dense = integrate(f, x0, {0, 1}, o).or_throw();
  for (int i = 0; i < n; ++i) {
    f.pattern.emplace_back(i, i);
    if (i > 0) f.pattern.emplace_back(i, i - 1);
  }
  const api::TimeCourse sparse = integrate(f, x0, {0, 1}, o).or_throw();
  EXPECT_GT(dense.f, 4 * sparse.f);
  for (std::size_t k = 0; k < sparse.values.size(); ++k)
    EXPECT_NEAR(sparse.values[k], dense.values[k], 1e-6);
}

}  // namespace
}  // namespace stiffit::internal
