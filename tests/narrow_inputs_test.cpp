// Inputs that are smooth but narrow, into systems at rest: what a step may pass over. Closed forms
// of their integrals, for widths and times drawn at random.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/number.h"
#include "compiled_model.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

constexpr double patience = 100, rtol = 1e-6;

std::string text(double x) { return format_number(x); }

struct Input {
  std::string formula;
  double integral;  // from 0 to `end`
  double most = 0;  // on the way, if more
};
constexpr double end = 100;

// Around c, of width w and height a.
std::vector<Input> inputs(double c, double w, double a) {
  const std::string s = "((time - " + text(c) + ")/" + text(w) + ")", h = text(a) + "*";
  const double later = 4 * w;
  const std::string then = "((time - " + text(c + later) + ")/" + text(w) + ")";
  return {
      {h + "exp(-" + s + "^2)", a * w * std::sqrt(M_PI)},
      {h + "exp(-(time - " + text(c) + ")^2/(2*" + text(w) + "^2))", a * w * std::sqrt(2 * M_PI)},
      {h + "sech" + s + "^2", 2 * a * w},
      {h + "(tanh" + s + " - tanh" + then + ")", 2 * a * later},
      {h + "(1/(1 + exp(-" + s + ")) - 1/(1 + exp(-" + then + ")))", a * later},
      {h + "exp(-" + s + "^2) + 0.001*" + h + "sin(time)",
       a * w * std::sqrt(M_PI) + 0.001 * a * (1 - std::cos(end)), 0.002 * a},
      {h + "exp(-" + s + "^2)*exp(-0.01*time)",
       a * w * std::sqrt(M_PI) * std::exp(-0.01 * c + 0.25 * 1e-4 * w * w)}};
}

double result(const std::string& model, const std::string& method, int lanes, std::size_t state) {
  ProgramOptions compiled;
  compiled.lanes = lanes;
  CompiledModel m = compile_model(resolve_text("test", model), compiled);
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  const Trajectory run = simulate(m.problem, m.request({0, end}), options);
  EXPECT_EQ(run.outcome.status, Status::done)
      << describe(run.outcome, m.program().state_names) << "\n"
      << model;
  return run.states[static_cast<std::size_t>(m.program().states) + state];
}

TEST(NarrowInputs, AreSeenByEveryMethod) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  const std::vector<std::pair<std::string, int>> methods{
      {"automatic", 1}, {"bdf", 1},    {"radau", 1},   {"dopri5", 1},  {"dop853", 1},
      {"adams", 1},     {"cvodes", 1}, {"rodas5p", 4}, {"rodas5p", 8}, {"bdf", 8}};
  for (int i = 0; i < (sanitized ? 3 : 30); ++i) {
    const double c = i == 0 ? 50 : 5 + 85 * unit(random), w = std::pow(10, -5 + 4 * unit(random)),
                 a = std::pow(10, -3 + 6 * unit(random));
    const auto& [method, lanes] = methods[static_cast<std::size_t>(i) % methods.size()];
    for (const Input& input : inputs(c, w, a)) {
      if (method == "cvodes" && input.formula.find("sin") != std::string::npos)
        continue;  // from zero on, where its tolerances have no size yet
      const std::string model = "x' = " + input.formula + "; x = 0;";
      EXPECT_NEAR(result(model, method, lanes, 0), input.integral,
                  patience * rtol * std::max(std::fabs(input.integral), input.most))
          << method << " in " << lanes << " lanes\n"
          << model;
    }
  }
}

// Every period has one: sin^(2n) is narrow for large n, with the binomial's mean.
TEST(NarrowInputs, AreSeenAgainAndAgain) {
  double mean = 1;
  constexpr int n = 400;
  for (int k = 1; k <= n; ++k) mean *= (2.0 * k - 1) / (2 * k);
  for (const char* method : {"automatic", "bdf", "dopri5"})
    EXPECT_NEAR(result("x' = sin(pi*time/10)^800; x = 0;", method, 1, 0), end * mean,
                patience * rtol * end * mean)
        << method;
}

// Through a delay, and as a spike of a state that a delay brings back.
TEST(NarrowInputs, AreSeenThroughDelays) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < (sanitized ? 2 : 16); ++i) {
    const double c = 5 + 50 * unit(random), w = std::pow(10, -4 + 3 * unit(random)),
                 lag = 1 + 15 * unit(random);
    const std::string pulse = "exp(-((time - " + text(c) + ")/" + text(w) + ")^2)";
    const double area = w * std::sqrt(M_PI);
    const std::string method = i % 2 ? "bdf" : "automatic";
    EXPECT_NEAR(
        result("u := " + pulse + "; x' = delay(u, " + text(lag) + "); x = 0;", method, 1, 0), area,
        patience * rtol * area)
        << c << " " << w << " " << lag << " " << method;
    EXPECT_NEAR(result("x' = delay(0.5*(1 + tanh((time - " + text(c) + ")/" + text(w) + ")), " +
                           text(lag) + "); x = 0;",
                       method, 1, 0),
                end - c - lag, patience * rtol * (end - c - lag))
        << c << " " << w << " " << lag << " " << method;
    const double k = 1 / w;
    EXPECT_NEAR(result("s' = " + pulse + " - " + text(k) + "*s; s = 0; x' = delay(s, " + text(lag) +
                           "); x = 0;",
                       method, 1, 1),
                area / k, patience * rtol * area / k)
        << c << " " << w << " " << lag << " " << method;
  }
}

// What is wide is not slowed down: the steps are those of the error control alone.
TEST(NarrowInputs, WideOnesCostNothing) {
  CompiledModel m = compile_model(
      resolve_text("test", "x' = (1 + 0.5*sin(0.3*time))*exp(-0.01*time) - 0.1*x; x = 1;"));
  Problem blind = m.problem;
  auto program = std::make_shared<Program>(*m.problem.program);
  program->scan = nullptr;
  blind.program = program;
  const Trajectory seeing = simulate(m.problem, m.request({0, 300}), {});
  const Trajectory plain = simulate(blind, m.request({0, 300}), {});
  EXPECT_LE(static_cast<double>(seeing.outcome.counters.steps),
            1.03 * static_cast<double>(plain.outcome.counters.steps));
}

TEST(MaxStep, IsKeptByEveryMethodAndInLanes) {
  for (const auto& [method, lanes] : std::vector<std::pair<std::string, int>>{{"automatic", 1},
                                                                              {"bdf", 1},
                                                                              {"bdf", 8},
                                                                              {"rodas5p", 4},
                                                                              {"radau", 1},
                                                                              {"dopri5", 8},
                                                                              {"dop853", 1},
                                                                              {"taylor", 1},
                                                                              {"adams", 1},
                                                                              {"cvodes", 1},
                                                                              {"rkc", 1}}) {
    ProgramOptions compiled;
    compiled.lanes = lanes;
    CompiledModel m = compile_model(resolve_text("test", "x' = -0.1*x; x = 1;"), compiled);
    IntegrationOptions options;
    options.method = method;
    options.max_step = 0.125;
    const Trajectory run = simulate(m.problem, m.request({0, 10}), options);
    EXPECT_GE(run.outcome.counters.steps, 80) << method << lanes;
    EXPECT_NEAR(run.states[1], std::exp(-1.0), 1e-4) << method << lanes;
  }
}

}  // namespace
}  // namespace stiffit::internal
