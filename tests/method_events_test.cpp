// Every method, with what the driver does through its interpolant: events found inside steps,
// delays, restarts, rows between the steps, counters.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "compiled_model.h"
#include "ode/method_registry.h"

namespace stiffit::internal {
namespace {

class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  static const MethodEntry& entry() { return *find_method(GetParam()); }
  // Four digits are asked of all, also of those that need a step and have the first order.
  static double allowed() { return entry().fixed_step_only ? 5e-3 : 5e-4; }

  static Trajectory run(const std::string& text, std::vector<double> times, double step = 1e-3) {
    CompiledModel model = compile_model(resolve_text("test", text));
    IntegrationOptions options;
    options.method = GetParam();
    options.rtol = 1e-5;
    options.max_steps = 2'000'000;
    if (entry().fixed_step_only) options.fixed_step = step;
    return simulate(model.problem, model.request(std::move(times)), options);
  }
};

TEST_P(EveryMethod, FindsEventsInsideItsSteps) {
  const Trajectory ball =
      run("species x, v; x' = v; v' = -2; x = 1; v = 0;\n"
          "at (x < 0): v = -v/2;\n",
          {0.5, 1.25, 1.5, 2.25});
  ASSERT_EQ(ball.outcome.status, Status::done);
  // After 1: speed 1, so x = s - s^2 until 2; then speed 1/2: x = s/2 - s^2.
  const double expected[] = {0.75, 0.1875, 0.25, 0.0625};
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_NEAR(ball.states[2 * row], expected[row], allowed()) << row;
}

TEST_P(EveryMethod, GoesOnAfterADose) {
  // Decay with a dose of one at 1 and at 2, seen between the steps.
  const Trajectory dosed =
      run("species x; x' = -3*x; x = 1;\n"
          "at (time >= 1): x = x + 1;\n"
          "at (time >= 2): x = x + 1;\n",
          {0.37, 1.5, 2.71});
  ASSERT_EQ(dosed.outcome.status, Status::done);
  const double expected[] = {std::exp(-1.11), (std::exp(-3.0) + 1) * std::exp(-1.5),
                             ((std::exp(-3.0) + 1) * std::exp(-3.0) + 1) * std::exp(-2.13)};
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_NEAR(dosed.states[row], expected[row], allowed()) << row;
}

TEST_P(EveryMethod, GoesOnWithoutEquations) {
  const Trajectory still = run("k = 2; y := k*time;\n", {0, 1, 3}, 1e-2);
  ASSERT_EQ(still.outcome.status, Status::done);
  ASSERT_EQ(still.rows_reached, 3u);
}

// The second dose comes one rounding after the first.
TEST_P(EveryMethod, GoesOnToAnEndWithinRounding) {
  const Trajectory dosed =
      run("species x; x' = -0.1*x; x = 1;\n"
          "at (time > 47.61999999999999): x = x + 1;\n"
          "at (time > 47.62): x = x + 1;\n",
          {47, 48}, 1e-2);
  ASSERT_EQ(dosed.outcome.status, Status::done);
  EXPECT_EQ(dosed.events.size(), 2u);
  EXPECT_NEAR(dosed.states[1], (std::exp(-4.762) + 2) * std::exp(-0.038), 2 * allowed());
}

// x' = -x(t - 1) with x = 1 before: 1 - t until 1, then 1 - t + (t - 1)^2/2.
TEST_P(EveryMethod, FollowsDelays) {
  if (entry().info.family == "Taylor series") GTEST_SKIP() << "says that it cannot";
  const Trajectory late = run("species x; x' = -delay(x, 1); x = 1;\n", {0.5, 1, 1.5, 2});
  ASSERT_EQ(late.outcome.status, Status::done);
  const double expected[] = {0.5, 0, -0.375, -0.5};
  for (std::size_t row = 0; row < 4; ++row) EXPECT_NEAR(late.states[row], expected[row], allowed());
}

// x + y = A and x - y^3 = A - 1 beside a decay: y + y^3 = 1.
TEST_P(EveryMethod, SolvesAlgebraicEquationsIfItSaysSo) {
  if (!entry().algebraic_equations) GTEST_SKIP() << "does not say so";
  const Trajectory pair =
      run("species A; A' = -A; A = 1;\n"
          "var x = 0.5, y = 0.5; 0 = x + y - A; 0 = x - y^3 - A + 1;\n",
          {0.3, 1, 2.5});
  ASSERT_EQ(pair.outcome.status, Status::done);
  const std::size_t n = pair.outputs.size() / 3;
  ASSERT_GE(n, 3u);
  const double times[] = {0.3, 1, 2.5};
  for (std::size_t row = 0; row < 3; ++row) {
    const double a = pair.outputs[row * n], x = pair.outputs[row * n + 1],
                 y = pair.outputs[row * n + 2];
    EXPECT_NEAR(a, std::exp(-times[row]), allowed());
    EXPECT_NEAR(x + y, a, 1e-4) << row;
    EXPECT_NEAR(x - y * y * y, a - 1, 1e-4) << row;
    EXPECT_NEAR(y + y * y * y, 1, 1e-4) << row;
  }
}

TEST_P(EveryMethod, CountsItsWork) {
  const Trajectory run_of = run("species x; x' = -x; x = 1;\n", {1});
  ASSERT_EQ(run_of.outcome.status, Status::done);
  const Counters& c = run_of.outcome.counters;
  EXPECT_GT(c.steps, 0);
  EXPECT_GT(c.f, 0);
  EXPECT_GE(c.f, c.lu > 0 ? 1 : c.steps);  // what never solves must evaluate
  EXPECT_NEAR(run_of.states[0], std::exp(-1.0), allowed());
}

TEST_P(EveryMethod, EndsWithAnOutcomeWhereTheSolutionDoes) {
  const Trajectory blown = run("species x; x' = x^2; x = 1;\n", {0.5, 2}, 0.01);
  EXPECT_NE(blown.outcome.status, Status::done);
  EXPECT_LT(blown.outcome.time, 1.2);
  EXPECT_TRUE(std::isnan(blown.states[1]));
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_entries()) names.emplace_back(entry.info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryMethod, testing::ValuesIn(all_methods()),
                         [](const testing::TestParamInfo<std::string>& test) {
                           return test_name(test.param);
                         });

}  // namespace
}  // namespace stiffit::internal
