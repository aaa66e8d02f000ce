// Runs that cannot succeed say so: what stopped them, when, and which state is to blame. And runs
// that look dangerous but are not, succeed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "compiled_model.h"
#include "ode/method_registry.h"

namespace stiffit::internal {
namespace {

CompiledModel text_model(const std::string& text, int lanes = 1) {
  ProgramOptions options;
  options.lanes = lanes;
  return compile_model(resolve_text("test", text), options);
}

class Failing : public testing::TestWithParam<std::string> {
 protected:
  static IntegrationOptions options() {
    IntegrationOptions options;
    options.method = GetParam();
    if (coarse()) options.rtol = 1e-4;
    return options;
  }
  // Of order one: four digits are what it can reach in half a million steps.
  static bool coarse() { return GetParam() == "backward-euler"; }
  static double slack() { return coarse() ? 50 : 1; }
};

TEST_P(Failing, ABlowUpNamesItsTimeAndItsSpecies) {
  CompiledModel model = text_model(
      "species calm, wild; calm' = -calm; wild' = wild^2;\n"
      "calm = 1; wild = 1;\n");
  const Trajectory run = simulate(model.problem, model.request(even_times(2.2, 8)), options());
  EXPECT_TRUE(run.outcome.status == Status::step_too_small ||
              run.outcome.status == Status::not_finite);
  EXPECT_NEAR(run.outcome.time, 1, 1e-4 * slack());
  EXPECT_EQ(run.rows_reached, 4u);  // 0, 0.275, 0.55, 0.825
  EXPECT_NEAR(run.states[3 * 2 + 1] * 0.175, 1, 1e-3 * slack());
  EXPECT_TRUE(std::isnan(run.states[5 * 2 + 1]));
  EXPECT_TRUE(std::isnan(run.outputs.back()));
  ASSERT_EQ(run.outcome.state, 1);
  const std::string text = describe(run.outcome, model.program().state_names);
  EXPECT_NE(text.find("wild"), std::string::npos) << text;
}

TEST_P(Failing, AToleranceBelowRoundingIsNotReached) {
  CompiledModel model = compile_model(resolve_library("oregonator"));
  IntegrationOptions impossible = options();
  impossible.rtol = 1e-18;
  impossible.atol = 0;
  impossible.max_steps = 20'000;
  const Trajectory run = simulate(model.problem, model.request({40}), impossible);
  EXPECT_NE(run.outcome.status, Status::done);
  EXPECT_LT(run.outcome.time, 40);
  EXPECT_EQ(run.rows_reached, 0u);
}

TEST_P(Failing, TheLimitOnStepsHolds) {
  CompiledModel model = compile_model(resolve_library("oregonator"));
  IntegrationOptions few = options();
  few.max_steps = 50;
  const Trajectory run = simulate(model.problem, model.request({40}), few);
  EXPECT_EQ(run.outcome.status, Status::too_many_steps);
  // CVODES counts accepted steps only.
  const long rejected = GetParam() == "cvodes" ? 0 : run.outcome.counters.rejected;
  EXPECT_LE(run.outcome.counters.steps + rejected, 50);
  EXPECT_GT(run.outcome.time, 0);
  const std::string text = describe(run.outcome, model.program().state_names);
  EXPECT_NE(text.find("gave up after"), std::string::npos) << text;
}

TEST_P(Failing, AnInterruptStopsTheRun) {
  CompiledModel model = compile_model(resolve_library("oregonator"));
  std::atomic<bool> stop{true};
  IntegrationOptions stopped = options();
  stopped.interrupt = &stop;
  if (!coarse()) stopped.rtol = 1e-10;
  const Trajectory run = simulate(model.problem, model.request({40}), stopped);
  EXPECT_EQ(run.outcome.status, Status::interrupted);
  EXPECT_LT(run.outcome.time, 40);
}

TEST_P(Failing, ADivisionByZeroAtTheStartIsFoundThere) {
  CompiledModel model = text_model("species a, b; a' = -a; b' = 1/(a - 1); a = 1; b = 0;\n");
  const Trajectory run = simulate(model.problem, model.request(even_times(1, 4)), options());
  EXPECT_EQ(run.outcome.status, Status::not_finite);
  EXPECT_EQ(run.outcome.time, 0);
  EXPECT_EQ(run.outcome.state, 1);
}

TEST_P(Failing, AnEquationThatEndsIsNotFollowedBeyond) {
  // x = sqrt(1 - 2t): no real slope from t = 1/2 on.
  CompiledModel model = text_model("species x; x' = -1/x; x = 1;\n");
  const Trajectory run = simulate(model.problem, model.request({0.25, 1}), options());
  EXPECT_NE(run.outcome.status, Status::done);
  EXPECT_NEAR(run.outcome.time, 0.5, 1e-3 * slack());
  EXPECT_NEAR(run.states[0], std::sqrt(0.5), 1e-4 * slack());
}

// Zero reached in finite time: x = (1 - t)^2 and then 0. The law has no value below zero.
TEST_P(Failing, ASquareRootLawThatReachesZero) {
  CompiledModel model = text_model("species x, y; x -> y; 2*sqrt(x); x = 1; y = 0;\n");
  const Trajectory run = simulate(model.problem, model.request({0.5, 0.9, 2}), options());
  EXPECT_NEAR(run.states[0], 0.25, 1e-4 * slack());
  EXPECT_NEAR(run.states[2], 0.01, 1e-4 * slack());
  if (run.outcome.status == Status::done) {
    EXPECT_NEAR(run.states[4], 0, 1e-4 * slack());
    EXPECT_NEAR(run.states[4] + run.states[5], 1, 1e-12);
  } else {
    EXPECT_NEAR(run.outcome.time, 1, 1e-2);
    EXPECT_EQ(run.outcome.state, 0);
  }
}

std::vector<std::string> adaptive_methods() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_entries())
    // taylor-guaranteed takes polynomials only, and is taylor but for its steps.
    if (!entry.fixed_step_only && entry.info.name != "taylor-guaranteed")
      names.emplace_back(entry.info.name);
  return names;
}

// Both ends of a step are finite, but not what the interpolant is made of: three times their
// difference is no double. Rows that are written are numbers; where one is not, the run has failed.
TEST_P(Failing, ARowThatOverflowsIsNotWritten) {
  for (int lanes : {1, 4}) {
    CompiledModel model = text_model(
        "species fall, calm; fall' = -1e308*(1 + 1e-9*calm); calm' = -calm;\n"
        "fall = 1.7e308; calm = 1;\n",
        lanes);
    if (!refusal(model.problem, options()).empty()) continue;
    const Request request = model.request({0, 0.1, 0.3, 0.7, 1.1, 1.5, 2.3, 2.9});
    const Trajectory run = simulate(model.problem, request, options());
    ASSERT_LE(run.rows_reached, request.times.size());
    EXPECT_EQ(run.outcome.status == Status::done, run.rows_reached == request.times.size());
    for (std::size_t i = 0; i < run.rows_reached * 2; ++i)
      EXPECT_TRUE(std::isfinite(run.states[i])) << lanes << " lanes, entry " << i;
    if (run.outcome.status != Status::done) {
      EXPECT_TRUE(std::isnan(run.states.back()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Failing, testing::ValuesIn(adaptive_methods()));

// A species used up by mass action falls below the tolerance and may become negative by rounding;
// it neither grows from there nor is it set to zero behind one's back.
TEST(NegativeValues, FromRoundingStaySmall) {
  CompiledModel model =
      text_model("species a, b, c; a + b -> c; k; a -> ; 1; k = 1e6; a = 1; b = 2; c = 0;\n");
  for (const char* method : {"rodas5p", "cvodes"}) {
    IntegrationOptions options;
    options.method = method;
    const Trajectory run = simulate(model.problem, model.request(even_times(1e3, 200)), options);
    ASSERT_EQ(run.outcome.status, Status::done) << method;
    for (std::size_t i = 0; i < run.states.size(); i += 3) {
      EXPECT_GT(run.states[i], -1e-8);
      EXPECT_NEAR(run.states[i + 1] + run.states[i + 2], 2, 1e-11);  // b + c is kept
    }
  }
}

TEST(Methods, RefuseWhatTheyCannotDo) {
  CompiledModel model = compile_model(resolve_library("lotka"));
  IntegrationOptions options;
  options.method = "rk4";
  EXPECT_THROW(simulate(model.problem, model.request({1}), options), std::invalid_argument);
  options.method = "rk5";
  EXPECT_THROW(simulate(model.problem, model.request({1}), options), std::invalid_argument);
  options.method = "cvodes";
  options.fixed_step = 0.1;
  EXPECT_THROW(simulate(model.problem, model.request({1}), options), std::invalid_argument);
  options.fixed_step = 0;
  CompiledModel wide = text_model("species x; x' = -x; x = 1;\n", 4);
  EXPECT_THROW(simulate(wide.problem, wide.request({1}), options), std::invalid_argument);
}

TEST(Requests, WithNothingToDoAreDone) {
  CompiledModel model = compile_model(resolve_library("lotka"));
  const Trajectory none = simulate(model.problem, model.request({}), {});
  EXPECT_EQ(none.outcome.status, Status::done);
  EXPECT_TRUE(none.states.empty());
  const Trajectory start = simulate(model.problem, model.request({0, 0}), {});
  EXPECT_EQ(start.outcome.status, Status::done);
  EXPECT_EQ(start.outcome.counters.steps, 0);
  ASSERT_EQ(start.states.size(), 8u);
  EXPECT_EQ(start.states[0], 1);
  EXPECT_EQ(start.states[4], 1);
}

}  // namespace
}  // namespace stiffit::internal
