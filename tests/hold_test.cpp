// Events that keep a state at an edge which the equations push it over, against closed forms; and
// runs that do not get on, which say why.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "compiled_model.h"

namespace stiffit::internal {
namespace {

using std::numbers::pi;

Trajectory run(const std::string& text, const std::vector<double>& times, const std::string& method,
               double rtol = 1e-9, int lanes = 1) {
  ProgramOptions program;
  program.lanes = lanes;
  const CompiledModel model = compile_model(resolve_text("model", text), program);
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  return simulate(model.problem, model.request(times), options);
}

class Held : public testing::TestWithParam<std::string> {};

// V' = cos(t) - 0.2, never below `low`: free, held from where it falls to the edge until it is
// driven up again, free.
double held_course(double t, double start, double low) {
  auto free = [](double from, double to) {
    return std::sin(to) - std::sin(from) - 0.2 * (to - from);
  };
  const double up = 2 * pi - std::acos(0.2);  // where cos(t) = 0.2 and rises
  double from = 0, value = start;
  for (int turn = 0;; ++turn) {
    const double next = up + 2 * pi * turn;
    if (t <= next) {
      // Lowest at the end of the stretch if at all: it rises first, then falls.
      return std::max(low, value + free(from, t));
    }
    value = std::max(low, value + free(from, next));
    from = next;
  }
}

TEST_P(Held, IsThereWhereTheEventPutsItAndFreeAgainInTime) {
  for (double low : {0.0, 0.3, -0.7}) {
    char text[400];
    std::snprintf(
        text, sizeof text,
        "species V; V = 0.9; low = %.17g; V' = cos(time) - 0.2\nkeep: at V < low: V = low\n", low);
    std::vector<double> times;
    for (int i = 1; i <= 60; ++i) times.push_back(0.5 * i);
    const Trajectory x = run(text, times, GetParam());
    ASSERT_EQ(x.outcome.status, Status::done) << low;
    for (std::size_t i = 0; i < times.size(); ++i)
      EXPECT_NEAR(x.states[i], held_course(times[i], 0.9, low), 1e-6) << low << " at " << times[i];
    EXPECT_LT(x.events.size(), 12u);  // once for each time that it is met
    EXPECT_LT(x.outcome.counters.steps, 3000);
  }
}

// Another species sees the held one: U' = -V, V' = U, with V kept above zero, is a rotation until
// V = 0, and stands from then on.
TEST_P(Held, StopsARotation) {
  const Trajectory x = run("species U, V; U = 0; V = 1; U' = -V; V' = U\nE1: at V < 0: V = 0\n",
                           {1, 1.5, 3, 50}, GetParam());
  ASSERT_EQ(x.outcome.status, Status::done);
  EXPECT_NEAR(x.states[0], -std::sin(1.0), 1e-7);
  EXPECT_NEAR(x.states[3], std::cos(1.5), 1e-7);
  for (std::size_t row : {2u, 3u}) {
    EXPECT_NEAR(x.states[2 * row], -1, 1e-7);
    EXPECT_NEAR(x.states[2 * row + 1], 0, 1e-14);
  }
  EXPECT_EQ(x.events.size(), 1u);
}

// Concentrations in a compartment, an edge from above, a condition with a second part, and an event
// that shakes what is held.
TEST_P(Held, InEveryForm) {
  const Trajectory x =
      run("compartment c = 0.7; species S in c; S = 0.1; J0: -> S; c*k; k = 0.3; top = 0.55\n"
          "keep: at S > top: S = top\n",
          {1, 1.4, 2, 10}, GetParam());
  ASSERT_EQ(x.outcome.status, Status::done);
  const double expected[] = {0.4, 0.52, 0.55, 0.55};
  for (std::size_t row = 0; row < 4; ++row) EXPECT_NEAR(x.outputs[row], expected[row], 1e-8);
  EXPECT_LE(x.events.size(), 2u);

  const Trajectory y =
      run("species V; V = 1; V' = -1; on = 1; var on\nE: at V < 0 && on > 0: V = 0\n"
          "shake: at time > 2: V = 0.5\noff: at time > 4: on = 0\n",
          {0.5, 1.5, 2.25, 3, 5}, GetParam());
  ASSERT_EQ(y.outcome.status, Status::done);
  const double course[] = {0.5, 0, 0.25, 0, -1};
  const std::size_t states = y.states.size() / 5;
  for (std::size_t row = 0; row < 5; ++row)
    EXPECT_NEAR(y.states[row * states], course[row], 1e-8) << row;
}

TEST_P(Held, ATriggerThatStaysTrueDoesNotFireAgain) {
  // At V <= 0 the event leaves its trigger true: nothing keeps V from then on.
  const Trajectory x =
      run("species V; V = 1; V' = -1\nE: at V <= 0: V = 0\n", {0.5, 3}, GetParam());
  ASSERT_EQ(x.outcome.status, Status::done);
  EXPECT_NEAR(x.states[1], -2, 1e-8);
  EXPECT_EQ(x.events.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Methods, Held,
                         testing::Values("automatic", "rodas5p", "bdf", "radau", "dopri5", "taylor",
                                         "adams", "cvodes"));

TEST(Holds, LanesAgreeWithOne) {
  const std::string text =
      "species U, V; U = 0; V = 1; U' = -V; V' = k*U; k = 1\nE1: at V < 0: V = 0\n";
  ProgramOptions program;
  program.lanes = 4;
  const CompiledModel model = compile_model(resolve_text("model", text), program);
  std::vector<Request> requests;
  for (double k : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    requests.push_back(model.request({1, 4}));
    requests.back().parameters = model.parameters({{"k", k}});
  }
  IntegrationOptions options;
  options.method = "rodas5p";
  const std::vector<Trajectory> runs = simulate_many(model.problem, requests, options, 1);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ASSERT_EQ(runs[i].outcome.status, Status::done) << i;
    const double k = std::vector{0.5, 1.0, 1.5, 2.0, 3.0}[i];
    EXPECT_NEAR(runs[i].states[2], -1 / std::sqrt(k), 1e-5);
    EXPECT_NEAR(runs[i].states[3], 0, 1e-14);
  }
}

// Events that do more than keep a state have no limit to tend to; the message says which.
TEST(Progress, AnEventThatNeverEndsIsNamed) {
  for (const char* method : {"automatic", "cvodes"}) {
    const Trajectory x =
        run("species V, W; V = 1; W = 5; V' = -1; W' = -1000*W\nvar n = 0\nslow: at W < 1: W = 1\n"
            "counted: at V < 0: V = 0, n = n + 1\n",
            {5}, method, 1e-6);
    ASSERT_NE(x.outcome.status, Status::done);
    const std::string said = describe(x.outcome, {"V", "W"});
    EXPECT_NE(said.find("event counted happens again and again"), std::string::npos) << said;
    EXPECT_NEAR(x.outcome.time, 1, 1e-2);
  }
}

TEST(Progress, ConditionsThatNeverEndAreSaid) {
  const Trajectory x =
      run("species x; x = 1; x' = piecewise(-1, x > 0, 1)\n", {5}, "automatic", 1e-6);
  ASSERT_NE(x.outcome.status, Status::done);
  EXPECT_NEAR(x.outcome.time, 1, 1e-6);
  const std::string said = describe(x.outcome, {"x"});
  EXPECT_NE(said.find("switch"), std::string::npos) << said;
}

// As many events as there are to be, as long as the run gets on.
TEST(Progress, ManyEventsAreNoReasonToGiveUp) {
  const CompiledModel model =
      compile_model(resolve_text("model",
                                 "species x; x = 1; x' = -x; var last = 0; var n = 0\n"
                                 "E: at time - last >= 0.01: last = time, n = n + 1, x = 1\n"));
  IntegrationOptions options;
  options.max_steps = 2000;
  const Trajectory x = simulate(model.problem, model.request({99.995}), options);
  ASSERT_EQ(x.outcome.status, Status::done) << describe(x.outcome, {"x"});
  EXPECT_EQ(x.events.size(), 9999u);
  EXPECT_GT(x.outcome.counters.steps, 9999);
}

// Between events the number is a limit still.
TEST(Progress, StepsBetweenEventsAreLimited) {
  const CompiledModel model = compile_model(resolve_text(
      "model", "species x, v; x = 1; v = 0; x' = v; v' = -x\nE: at time > 50: x = 1\n"));
  IntegrationOptions options;
  options.method = "dopri5";
  options.max_steps = 50;
  const Trajectory x = simulate(model.problem, model.request({100}), options);
  EXPECT_EQ(x.outcome.status, Status::too_many_steps);
}

// A condition on the state that holds for a small part of a step only.
TEST(Crossings, OfShortPeaksAreFoundAtAnyTolerance) {
  for (const char* method :
       {"automatic", "dopri5", "dop853", "bdf", "rodas5p", "radau", "taylor", "adams", "cvodes"})
    for (double below : {1e-2, 1e-3, 1e-4, 1e-5})
      for (double rtol : {1e-8, 1e-10, 1e-12}) {
        if (rtol > 1e-3 * below) continue;  // the peak itself must be that well known
        char text[300];
        std::snprintf(text, sizeof text,
                      "species x, v; x = 0; v = 1; x' = v; v' = -x; top = %.17g; var n = 0\n"
                      "E: at x > top: n = n + 1\n",
                      1 - below);
        const Trajectory x = run(text, {12 * pi}, method, rtol);
        ASSERT_EQ(x.outcome.status, Status::done) << method;
        EXPECT_EQ(x.events.size(), 6u) << method << " " << below << " " << rtol;
        for (std::size_t i = 0; i < x.events.size() && i < 6; ++i)
          EXPECT_NEAR(x.events[i].time, 2 * pi * static_cast<double>(i) + std::asin(1 - below),
                      1e4 * rtol / std::sqrt(below) + 1e-10)
              << method << " " << below << " " << rtol;
      }
}

// A condition on the state that has a quick clock in it, or a short one: found by bounds of it.
TEST(Crossings, OfWhatBendsWithTimeByItself) {
  const double end = 20;
  for (const char* method : {"automatic", "dopri5", "bdf", "radau", "taylor", "cvodes"}) {
    const Trajectory quick = run(
        "species x; x = 0.5; x' = 0.001*x\nvar n = 0\nE: at cos(14*pi*time) > 1.5*x: n = n + 1\n",
        {end}, method, 1e-6);
    ASSERT_EQ(quick.outcome.status, Status::done) << method;
    ASSERT_EQ(quick.events.size(), 140u) << method;
    for (std::size_t i = 0; i < 140; ++i) {
      // cos(14 pi t) = 0.75 exp(t/1000) before the next whole seventh
      double time = static_cast<double>(i + 1) / 7;
      for (int k = 0; k < 50; ++k)
        time =
            static_cast<double>(i + 1) / 7 - std::acos(0.75 * std::exp(0.001 * time)) / (14 * pi);
      EXPECT_NEAR(quick.events[i].time, time, 1e-6) << method << " " << i;
    }
    const Trajectory brief =
        run("species x; x = 1; x' = -0.01*x\nvar n = 0\nE: at x*exp(-1e6*(time - 13.37)^2) > 0.1: "
            "n = n + 1\n",
            {end}, method, 1e-6);
    ASSERT_EQ(brief.outcome.status, Status::done) << method;
    EXPECT_EQ(brief.events.size(), 1u) << method;
  }
}

// Events of equal priority: every order as often as any other, whatever came before it.
TEST(Priorities, EqualOnesAreDrawnUniformly) {
  const CompiledModel model = compile_model(
      resolve_text("model",
                   "var last = 0; var order = 0; var made = 0; species x; x = 1; x' = -0.001*x\n"
                   "A: at time - last >= 1, priority = 3, persistent = true: order = order + 1\n"
                   "B: at time - last >= 1, priority = 3: order = order + 2\n"
                   "C: at time - last >= 1, priority = 3: order = order + 3\n"
                   "R: at time - last >= 1, priority = 1: last = time\n"));
  constexpr int ticks = 3000;
  for (unsigned long long seed : {1ull, 2ull, 77ull}) {
    IntegrationOptions options;
    options.seed = seed;
    const Trajectory x = simulate(model.problem, model.request({ticks + 0.5}), options);
    ASSERT_EQ(x.outcome.status, Status::done);
    ASSERT_EQ(x.events.size(), 4u * ticks);
    std::map<std::string, int> orders, pairs;
    std::string before;
    for (std::size_t i = 0; i < x.events.size(); i += 4) {
      std::string order;
      for (std::size_t k = 0; k < 3; ++k) order += static_cast<char>('A' + x.events[i + k].event);
      EXPECT_EQ(x.events[i + 3].event, 3);
      ++orders[order];
      if (i > 0) ++pairs[before + order];
      before = order;
    }
    auto chi_square = [](const std::map<std::string, int>& counts, double classes, double draws) {
      double sum = 0;
      for (const auto& [name, count] : counts)
        sum += (count - draws / classes) * (count - draws / classes) / (draws / classes);
      return sum + (classes - static_cast<double>(counts.size())) * draws / classes;
    };
    EXPECT_EQ(orders.size(), 6u);
    EXPECT_LT(chi_square(orders, 6, ticks), 20.5);  // 99.9 % with 5 degrees of freedom
    // 0.1 and 99.9 % with 35 degrees of freedom
    EXPECT_LT(chi_square(pairs, 36, ticks - 1), 66.6);
    EXPECT_GT(chi_square(pairs, 36, ticks - 1), 14.0);
    const Trajectory again = simulate(model.problem, model.request({ticks + 0.5}), options);
    for (std::size_t i = 0; i < x.events.size(); ++i)
      ASSERT_EQ(x.events[i].event, again.events[i].event);
  }
}

}  // namespace
}  // namespace stiffit::internal
