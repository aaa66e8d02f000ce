// The default method: which methods it takes, that it changes over when a model changes its nature,
// and that one trajectory teaches it nothing about the next.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "compiled_model.h"
#include "ode/methods/automatic/automatic_choice.h"

namespace stiffit::internal {
namespace {

Trajectory run(const CompiledModel& model, double end, double rtol = 1e-6) {
  IntegrationOptions options;
  options.rtol = rtol;
  return simulate(model.problem, model.request(even_times(end, 50)), options);
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

long steps_of(const std::string& used, const std::string& method) {
  const std::size_t at = used.find(method + " ");
  return at == std::string::npos ? 0 : std::stol(used.substr(at + method.size() + 1));
}

TEST(Automatic, GoesOnExplicitlyWhereNothingIsStiff) {
  const Trajectory t = run(compile_model(resolve_library("lotka-volterra")), 200);
  ASSERT_EQ(t.outcome.status, Status::done);
  EXPECT_GT(steps_of(t.outcome.used, "dopri5"), 4 * steps_of(t.outcome.used, "rodas5p"))
      << t.outcome.used;
}

TEST(Automatic, TakesHigherOrdersForTightTolerances) {
  const CompiledModel model = compile_model(resolve_library("lotka-volterra"));
  EXPECT_GT(steps_of(run(model, 200, 3e-9).outcome.used, "dop853"), 100);
  const Trajectory t = run(model, 200, 1e-11);
  EXPECT_GT(steps_of(t.outcome.used, "taylor"), 100) << t.outcome.used;
  EXPECT_EQ(run(model, 200, 1e-11).states, t.states);  // the same on every run
  IntegrationOptions other;
  other.method = "radau";
  other.rtol = 1e-12;
  const Trajectory trusted = simulate(model.problem, model.request(even_times(200, 50)), other);
  for (std::size_t i = 0; i < t.states.size(); ++i)
    EXPECT_NEAR(t.states[i], trusted.states[i], 1e-6 * std::fabs(trusted.states[i]) + 1e-9) << i;
}

// Where products are many, a series costs more than it saves.
TEST(Automatic, TakesTheSeriesWhereItsTermsAreCheap) {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    const std::string x = "x" + std::to_string(i);
    text += "species " + x + " = 1\n" + x + "' = -" + x;
    for (int j = 0; j < 8; ++j)
      text += " + 1e-4*(" + x + " + " + std::to_string(j) + ")*(x" + std::to_string(j) + " + " +
              std::to_string(i) + ")*(x" + std::to_string((j + 1) % 8) + " + " +
              std::to_string(10 * i + j) + ")";
    text += "\n";
  }
  const CompiledModel costly = compile_model(resolve_text("costly", text));
  const CompiledModel cheap = compile_model(resolve_library("lotka"));
  IntegrationOptions tight;
  tight.rtol = 1e-10;
  EXPECT_EQ(choose(cheap.problem, tight).explicit_method, ExplicitMethod::taylor);
  EXPECT_EQ(choose(costly.problem, tight).explicit_method, ExplicitMethod::dop853);
  EXPECT_EQ(choose(cheap.problem, {}).explicit_method, ExplicitMethod::dopri5);
}

// The transient may go explicitly; what follows must not be held back by it.
TEST(Automatic, IsNotHeldBackByStiffness) {
  for (const auto& [name, end] :
       {std::pair{"robertson", 1e5}, {"water-stiff", 0.1}, {"vdp1000", 2000.0}}) {
    const CompiledModel model = compile_model(resolve_library(name));
    const Trajectory t = run(model, end);
    ASSERT_EQ(t.outcome.status, Status::done);
    IntegrationOptions rosenbrock;
    rosenbrock.method = "rodas5p";
    const Trajectory single =
        simulate(model.problem, model.request(even_times(end, 50)), rosenbrock);
    EXPECT_LT(t.outcome.counters.steps,
              1.3 * static_cast<double>(single.outcome.counters.steps) + 48)
        << name << ": " << t.outcome.used;
  }
}

// An oscillator that a stiff relaxation joins at 50 and leaves at 100.
TEST(Automatic, ChangesOverAndBack) {
  const CompiledModel model = compile_model(resolve_text(
      "turns",
      "species x, y, z; x' = y; y' = -x; z' = -k*(z - x); x = 1; y = 0; z = 1; k = 1;\n"
      "at (time >= 50): k = 1e6;\nat (time >= 100): k = 1;\n"));
  const Trajectory t = run(model, 150);
  ASSERT_EQ(t.outcome.status, Status::done) << t.outcome.detail;
  EXPECT_GT(steps_of(t.outcome.used, "dopri5"), 100) << t.outcome.used;
  EXPECT_GT(steps_of(t.outcome.used, "rodas5p"), 50) << t.outcome.used;
  EXPECT_LT(t.outcome.counters.steps + t.outcome.counters.rejected, 3000);  // 1e7 if held back
  const std::size_t columns = model.program().output_names.size();          // x is the first
  for (std::size_t row = 0; row <= 50; ++row)
    EXPECT_NEAR(t.outputs[columns * row], std::cos(3.0 * static_cast<double>(row)), 1e-4) << row;
}

TEST(Automatic, TheSizeOfTheSystemDecidesBetweenRosenbrockAndBdf) {
  EXPECT_FALSE(choose(compile_model(resolve_library("oregonator")).problem, {}).multistep);
  EXPECT_FALSE(choose(compile_model(resolve_library("qa-size")).problem, {}).multistep);
  std::string dense = "species ";
  for (int i = 0; i < 120; ++i) dense += (i ? ", x" : "x") + std::to_string(i);
  dense += ";\n";
  for (int i = 0; i < 120; ++i) {
    dense += "x" + std::to_string(i) + "' = -2*x" + std::to_string(i) + " + 0.01*(0";
    for (int j = 0; j < 120; ++j) dense += " + x" + std::to_string(j);
    dense += ")*x" + std::to_string((i + 1) % 120) + ";\nx" + std::to_string(i) + " = 1;\n";
  }
  EXPECT_TRUE(choose(compile_model(resolve_text("dense", dense)).problem, {}).multistep);
}

TEST(Automatic, FormerTrajectoriesDoNotMatter) {
  const CompiledModel model = compile_model(resolve_library("vdp1"));
  const Request usual = model.request(even_times(60, 30));
  Request stiff = usual;
  stiff.parameters = model.parameters({{"alpha", 200}});
  IntegrationOptions options;
  const std::vector<Request> one{usual, stiff, usual}, other{stiff, usual, usual};
  const auto a = simulate_many(model.problem, one, options, 1);
  const auto b = simulate_many(model.problem, other, options, 1);
  EXPECT_EQ(a[0].states, a[2].states);
  EXPECT_EQ(a[0].states, b[1].states);
  EXPECT_EQ(a[1].states, b[0].states);
  EXPECT_TRUE(has(a[0].outcome.used, "dopri5")) << a[0].outcome.used;
}

// The Jacobian is infinite at the start, though the rate is not: no implicit method can begin.
TEST(Automatic, AnotherMethodTriesWhatOneCannot) {
  const CompiledModel model =
      compile_model(resolve_text("root", "species x; x' = 1 + 0.3*arccos(1 - x) - x; x = 0;\n"));
  IntegrationOptions implicit;
  implicit.method = "rodas5p";
  const Request request = model.request(even_times(20, 50));
  ASSERT_NE(simulate(model.problem, request, implicit).outcome.status, Status::done);
  const Trajectory t = run(model, 20);
  ASSERT_EQ(t.outcome.status, Status::done);
  EXPECT_TRUE(has(t.outcome.used, "others having failed")) << t.outcome.used;
  EXPECT_NEAR(t.states.back(), 1 + 0.3 * std::acos(1 - t.states.back()), 1e-3);  // at rest
}

TEST(Automatic, ABlowUpIsStillAFailure) {
  const Trajectory t = run(compile_model(resolve_text("burst", "x' = x^2; x = 1;\n")), 2);
  EXPECT_NE(t.outcome.status, Status::done);
  EXPECT_NEAR(t.outcome.time, 1, 1e-3);
}

}  // namespace
}  // namespace stiffit::internal
