// Events, switches and delays by the methods that can: ours and CVODES, under the same driver.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "compiled_model.h"

namespace stiffit::internal {
namespace {

class SwitchingMethod : public testing::TestWithParam<std::string> {
 protected:
  static Trajectory run(const std::string& text, const std::vector<double>& times,
                        const std::vector<std::pair<std::string, double>>& changes = {}) {
    CompiledModel model = compile_model(resolve_text("model", text));
    Request request = model.request(times);
    request.parameters = model.parameters(changes);
    IntegrationOptions options;
    options.method = GetParam();
    options.rtol = 1e-10;
    return simulate(model.problem, request, options);
  }
};

// A trigger that is true from the start and turns false has nothing to fire, wherever between two
// doubles its root is found.
TEST_P(SwitchingMethod, AConditionThatEndsFiresNothing) {
  const std::string text =
      "species x, n; x' = rate*x; n' = 0; x = 1; n = 0; rate = 1; edge = 2;\n"
      "at (x < edge): n = n + 1;\n";
  for (int k = 0; k < 500; ++k) {
    const Trajectory done = run(text, {5}, {{"edge", 2 + 0.01 * k}, {"rate", 1 + 1e-3 * k}});
    ASSERT_EQ(done.outcome.status, Status::done);
    EXPECT_EQ(done.states[1], 0) << k;
  }
}

// Dropped from height 1 under gravity 2: the floor is met at 1, and every bounce halves the speed.
TEST_P(SwitchingMethod, ABallBounces) {
  const std::string text =
      "species x, v; x' = v; v' = -2; x = 1; v = 0;\n"
      "at (x < 0): v = -v/2;\n";
  const Trajectory ball = run(text, {0.5, 1.25, 1.5, 2.25});
  ASSERT_EQ(ball.outcome.status, Status::done);
  // After 1: speed 1, so x = s - s^2 until 2; then speed 1/2: x = s/2 - s^2.
  const double expected[] = {0.75, 0.1875, 0.25, 0.0625};
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_NEAR(ball.states[2 * row], expected[row], 1e-8) << row;
}

// A dose that comes by the clock, shorter than any step, and one that comes late.
TEST_P(SwitchingMethod, PulsesAndDelayedEventsAreNotMissed) {
  const std::string text =
      "species x, y; x' = piecewise(1000, time >= 50 && time < 50.001, 0); y' = 0; x = 0; y = 0;\n"
      "at 3 after (time >= 10): y = time;\n";
  const Trajectory dosed = run(text, {12.5, 49, 100});
  ASSERT_EQ(dosed.outcome.status, Status::done);
  EXPECT_EQ(dosed.states[1], 0);
  EXPECT_EQ(dosed.states[2], 0);
  EXPECT_NEAR(dosed.states[4], 1, 1e-9);
  EXPECT_NEAR(dosed.states[5], 10, 1e-12);  // the value is that of the trigger's time
}

// What events set is fixed until the next one, and so is the moment of a clock that looks at it: a
// row at that very moment shows what has happened, from wherever the run came.
TEST_P(SwitchingMethod, ClocksThatEventsSetAreExact) {
  const std::string text =
      "species n; n' = 0; n = 0; x' = piecewise(1, 3*(until - time) >= 0, -x); x = 0;\n"
      "next = 0.1; var next; until = 0.35; var until; gap = 0.1;\n"
      "at (7*time >= 7*next): n = n + 1, next = next + gap;\n"
      "at (until - time < 0): until = until + 3.7;\n";
  std::vector<double> times;
  for (double next = 0.1; times.size() < 300; next += 0.1) times.push_back(next);
  const Trajectory rows = run(text, times);
  ASSERT_EQ(rows.outcome.status, Status::done);
  const std::size_t states = rows.states.size() / times.size();
  for (std::size_t row = 0; row < times.size(); ++row)
    EXPECT_EQ(rows.states[row * states], static_cast<double>(row + 1)) << times[row];
}

// But a run with an open end stops before what happens there.
TEST_P(SwitchingMethod, AnOpenEndIsBeforeTheClock) {
  CompiledModel model =
      compile_model(resolve_text("model",
                                 "species n; n' = 0; n = 0; x' = -x; x = 1; day = 14; var day;\n"
                                 "at (day - time <= 12): n = n + 1, day = day + 4;\n"));
  Request request = model.request({2, 6, std::nextafter(10.0, 0)});
  IntegrationOptions options;
  options.method = GetParam();
  for (bool open : {false, true}) {
    request.open_end = open;
    const Trajectory rows = simulate(model.problem, request, options);
    ASSERT_EQ(rows.outcome.status, Status::done);
    const std::size_t states = rows.states.size() / 3;
    EXPECT_EQ(rows.states[0], 1);
    EXPECT_EQ(rows.states[states], 2);
    EXPECT_EQ(rows.states[2 * states], open ? 2 : 3);
  }
}

// x' = -x(t - 1) with x = 1 before: 1 - t until 1, then 1 - t + (t - 1)^2/2.
TEST_P(SwitchingMethod, DelaysAreFollowed) {
  const Trajectory late = run("species x; x' = -delay(x, 1); x = 1;\n", {0.5, 1, 1.5, 2});
  ASSERT_EQ(late.outcome.status, Status::done);
  const double expected[] = {0.5, 0, -0.375, -0.5};
  for (std::size_t row = 0; row < 4; ++row) EXPECT_NEAR(late.states[row], expected[row], 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Methods, SwitchingMethod,
                         testing::Values("rodas5p", "bdf", "dopri5", "cvodes"));

}  // namespace
}  // namespace stiffit::internal
