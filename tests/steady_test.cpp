// Steady states: where the time course goes, never elsewhere; and their derivatives.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/steady/steady_state.h"
#include "analysis/steady/strong_components.h"
#include "compiled_model.h"

namespace stiffit::internal {
namespace {

struct Solved {
  CompiledModel model;
  std::unique_ptr<SteadyProblem> problem;
  SteadyState steady;
  double at(const std::string& name) const {
    const auto& names = model.program().state_names;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return steady.state[i];
    return NAN;
  }
};

SteadyOptions tight() {
  SteadyOptions options;
  options.integration.rtol = 1e-10;
  return options;
}

std::unique_ptr<Solved> solve(ResolvedSystem resolved,
                              const std::vector<std::pair<std::string, double>>& set = {}) {
  auto s = std::make_unique<Solved>();
  s->model = compile_model(std::move(resolved));
  s->problem = std::make_unique<SteadyProblem>(s->model.resolved.system, s->model.problem);
  Request request;
  request.parameters = s->model.parameters(set);
  s->steady = find_steady_state(*s->problem, request, tight());
  return s;
}

std::unique_ptr<Solved> solve_text(const std::string& text,
                                   const std::vector<std::pair<std::string, double>>& set = {}) {
  SystemOptions options;
  return solve(resolve_text("model.rxn", text, options), set);
}

TEST(StrongComponents, ThoseThatActComeFirst) {
  // 0 -> 1 <-> 2 -> 3, 4 -> 3, 3 -> 3
  const std::vector<std::vector<int>> edges{{1}, {2}, {1, 3}, {3}, {3}};
  const auto found = strong_components(
      5, [&](int j) -> const std::vector<int>& { return edges[static_cast<std::size_t>(j)]; });
  std::vector<std::size_t> place(5);
  for (std::size_t c = 0; c < found.size(); ++c)
    for (int node : found[c]) place[static_cast<std::size_t>(node)] = c;
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(place[1], place[2]);
  EXPECT_LT(place[0], place[1]);
  EXPECT_LT(place[2], place[3]);
  EXPECT_LT(place[4], place[3]);
}

TEST(Steady, ConservedSumsDecide) {
  auto s = solve_text("A + B <-> C; k1, k2\nA = 3; B = 2; C = 1; k1 = 2; k2 = 0.5");
  ASSERT_TRUE(s->steady.found()) << s->steady.detail;
  EXPECT_NEAR(s->at("A") + s->at("C"), 4, 1e-12);
  EXPECT_NEAR(s->at("B") + s->at("C"), 3, 1e-12);
  EXPECT_NEAR(2 * s->at("A") * s->at("B"), 0.5 * s->at("C"), 1e-12);
  auto values = steady_eigenvalues(*s->problem, s->steady);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_NEAR(values[0].real(), -2 * (s->at("A") + s->at("B")) - 0.5, 1e-9);
}

// x' = x (x - 1)(3 - x): from just below 1 to 0, from just above to 3; Newton from either would
// rather stay at 1.
TEST(Steady, StaysInTheBasinOfTheTimeCourse) {
  const std::string model = "x' = x*(x - 1)*(3 - x)\n";
  EXPECT_NEAR(solve_text(model + "x = 0.999")->at("x"), 0, 1e-9);
  EXPECT_NEAR(solve_text(model + "x = 1.001")->at("x"), 3, 1e-9);
  EXPECT_EQ(solve_text(model + "x = 1")->at("x"), 1);
}

TEST(Steady, SaysWhyThereIsNone) {
  EXPECT_EQ(solve_text("-> A; k\nk = 2; A = 0")->steady.status, SteadyStatus::grows);
  EXPECT_EQ(solve_text("A -> ; sin(time)*A\nA = 1")->steady.status, SteadyStatus::time_dependent);
  EXPECT_EQ(solve(resolve_library("repressilator"))->steady.status, SteadyStatus::oscillates);
}

TEST(Steady, NewtonAloneFindsWhatNoTimeCourseReaches) {
  auto s = solve(resolve_library("repressilator"));
  ASSERT_TRUE(newton_steady_state(*s->problem, s->steady));
  EXPECT_NEAR(s->at("m1"), s->at("p2"), 1e-9);
  EXPECT_GT(steady_eigenvalues(*s->problem, s->steady).front().real(), 0);
}

// Not the state where both have died out.
TEST(Steady, NewtonAloneFindsWherePredatorAndPreyBalance) {
  auto s = solve(resolve_library("lotka-volterra"));
  EXPECT_EQ(s->steady.status, SteadyStatus::oscillates);
  ASSERT_TRUE(newton_steady_state(*s->problem, s->steady));
  for (double x : s->steady.state) EXPECT_GT(x, 0.01);
}

TEST(Steady, NewtonAloneFindsNothingWhereThereIsNothing) {
  for (const char* model :
       {"-> A; k\nk = 2; A = 0", "-> A; k\n A -> B; k2*A\nk = 2; k2 = 3; A = 0"}) {
    auto s = solve_text(model);
    EXPECT_EQ(s->steady.status, SteadyStatus::grows) << model;
    EXPECT_FALSE(newton_steady_state(*s->problem, s->steady)) << model;
  }
}

// Where nothing conserves what the start decides, only the time course knows.
TEST(Steady, SingularSteadyStatesAreReachedInTime) {
  auto s = solve_text("A -> B; k1\nA -> ; k2\nA = 4; B = 1; k1 = 3; k2 = 1");
  ASSERT_TRUE(s->steady.found()) << s->steady.detail;
  EXPECT_NEAR(s->at("B"), 4, 1e-7);
  std::vector<double> none(s->model.program().states, 0.0);
  EXPECT_FALSE(steady_sensitivities(*s->problem, s->steady, {}, {}, 0, {}));
}

TEST(Steady, EventsOnTheWayCount) {
  auto s = solve_text("A -> ; k*A\n-> A; 1\nA = 0; k = 1\nat A > 0.5: k = 2");
  ASSERT_TRUE(s->steady.found()) << s->steady.detail;
  EXPECT_NEAR(s->at("A"), 0.5, 1e-8);
}

TEST(Steady, SensitivitiesAgreeWithDifferences) {
  const std::string text =
      "E + S <-> C; k1, k2\nC -> E + P; k3\nP -> S; k4\n"
      "E = 1; S = 5; C = 0; P = 0; k1 = 1.3; k2 = 0.7; k3 = 2; k4 = 0.4";
  auto s = solve_text(text);
  ASSERT_TRUE(s->steady.found()) << s->steady.detail;
  const Program& program = s->model.program();
  const auto n = static_cast<std::size_t>(program.states);
  const auto count = static_cast<std::size_t>(program.parameters);
  // theta is every parameter of the program: rate constants, then initial values.
  std::vector<double> directions(count * count, 0.0), start(n * count, 0.0), result(n * count);
  for (std::size_t k = 0; k < count; ++k) directions[k * count + k] = 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < count; ++k)
      start[i * count + k] = s->model.resolved.system.parameters[k].name == program.state_names[i];
  ASSERT_TRUE(steady_sensitivities(*s->problem, s->steady, directions, start, count, result));
  for (std::size_t k = 0; k < count; ++k) {
    const std::string& name = s->model.resolved.system.parameters[k].name;
    const double value = s->model.resolved.system.parameters[k].value, h = 1e-4;
    auto up = solve_text(text, {{name, value + h}}), down = solve_text(text, {{name, value - h}});
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(result[i * count + k], (up->steady.state[i] - down->steady.state[i]) / (2 * h),
                  1e-6)
          << program.state_names[i] << " by " << name;
  }
}

}  // namespace
}  // namespace stiffit::internal
