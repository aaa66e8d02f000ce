// Events, switches, algebraic equations and delays, each on a small model whose answer is known.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/diagnostic.h"
#include "compiled_model.h"

namespace stiffit::internal {
namespace {

using Row = std::map<std::string, double>;

// The columns of a text model at one time; `lanes` of the program.
Row at(double time, const std::string& text, const std::string& method = "automatic", int lanes = 1,
       double rtol = 1e-8) {
  ProgramOptions options;
  options.lanes = lanes;
  CompiledModel model = compile_model(resolve_text("test", text), options);
  IntegrationOptions settings;
  settings.method = method;
  settings.rtol = rtol;
  Trajectory run = simulate(model.problem, model.request({0, time}), settings);
  EXPECT_EQ(run.outcome.status, Status::done) << describe(run.outcome, model.program().state_names);
  Row row;
  const std::size_t columns = model.program().output_names.size();
  for (std::size_t k = 0; k < columns; ++k)
    row[model.program().output_names[k]] = run.outputs[columns + k];
  return row;
}

TEST(Events, ABallBouncesWhereItMeetsTheFloor) {
  // Falls for sqrt(0.2), then flies for 0.2 sqrt(5) with half the speed.
  const std::string ball =
      "x' = v; v' = -10; x = 1; v = 0; n = 0;\n"
      "at (x < 0): v = -0.5*v, x = 0, n = n + 1;";
  for (const char* method : {"rodas5p", "dopri5", "bdf"})
    for (int lanes : {1, 4, 8}) {
      if (lanes > 1 && std::string(method) == "bdf") continue;
      Row row = at(0.8, ball, method, lanes);
      const double hit = std::sqrt(0.2), speed = 5 * hit, t = 0.8 - hit;
      EXPECT_NEAR(row["x"], speed * t - 5 * t * t, 1e-7) << method << lanes;
      EXPECT_EQ(row["n"], 1) << method << lanes;
    }
}

TEST(Events, ADelayedOneUsesTheValuesOfItsTrigger) {
  const std::string model =
      "x' = 1; x = 0; y = 0; z = 0;\n"
      "at 2 after (x >= 1): y = x;\n"
      "at 2 after (x >= 1), fromTrigger = false: z = x;";
  Row row = at(4, model);
  EXPECT_NEAR(row["y"], 1, 1e-9);
  EXPECT_NEAR(row["z"], 3, 1e-9);
  EXPECT_EQ(at(2.9, model)["y"], 0);
}

TEST(Events, TheHigherPriorityGoesFirstAndTheNextSeesIt) {
  Row row = at(2,
               "y = 1; k' = 0; k = 0;\n"
               "at (time >= 1), priority = 1: y = y + 10;\n"
               "at (time >= 1), priority = 2, fromTrigger = false: y = 2*y;\n");
  EXPECT_EQ(row["y"], 11);  // values of the trigger time: 1 + 10, after 2*1
}

TEST(Events, OneThatIsNotPersistentIsForgottenWhenItsTriggerFalls) {
  const std::string model =
      "x' = 1; x = 0; hit = 0;\n"
      "at 1 after (x > 1 && x < 1.5), persistent = %: hit = 1;";
  auto with = [&](const std::string& value) {
    std::string text = model;
    return text.replace(text.find('%'), 1, value);
  };
  EXPECT_EQ(at(3, with("false"))["hit"], 0);
  EXPECT_EQ(at(3, with("true"))["hit"], 1);
}

TEST(Events, FireAtTheStartOnlyIfTheyWereFalseBefore) {
  EXPECT_EQ(at(1, "y = 0; x' = 1; x = 5; at (x > 1), t0 = false: y = 1;")["y"], 1);
  EXPECT_EQ(at(1, "y = 0; x' = 1; x = 5; at (x > 1): y = 1;")["y"], 0);
}

TEST(Switches, NoPulseIsTooShort) {
  // One ten-thousandth of the run; the steps before it would leap over it.
  EXPECT_NEAR(at(1000, "y' = piecewise(1e4, time >= 500 && time < 500.1, 0); y = 0;")["y"], 1000,
              1e-6);
  // A clock that is not linear in time.
  EXPECT_NEAR(at(10, "y' = piecewise(1, sin(time) > 0.5, 0); y = 0;")["y"],
              2 * (M_PI - 2 * M_PI / 6), 1e-7);
  EXPECT_NEAR(at(10, "y' = floor(time); y = 0;")["y"], 45, 1e-9);
}

TEST(Switches, OfTheStateAreMetWhereTheyAre) {
  Row row = at(1, "z' = piecewise(1, z < 0.25, 0.5); z = 0; w' = abs(w - 0.5) + 1; w = 0;");
  EXPECT_NEAR(row["z"], 0.625, 1e-9);
  // w' = 1.5 - w until w = 1/2 at ln 1.5, then w' = w + 1/2.
  EXPECT_NEAR(row["w"], std::exp(1 - std::log(1.5)) - 0.5, 1e-7);
}

TEST(Switches, AreTheSameInAnyOutputGrid) {
  CompiledModel model = compile_model(
      resolve_text("test", "x' = v; v' = -x - 0.1*v + piecewise(1, x < 0.3, 0); x = 1; v = 0;"));
  IntegrationOptions options;
  Trajectory coarse = simulate(model.problem, model.request({0, 5, 10}), options);
  Trajectory fine = simulate(model.problem, model.request(even_times(10, 1000)), options);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(coarse.states[2 + k], fine.states[500 * 2 + k]);
    EXPECT_EQ(coarse.states[4 + k], fine.states[1000 * 2 + k]);
  }
}

TEST(Algebraic, AQuasiSteadyStateIsItsClosedForm) {
  Row row = at(10,
               "species S, P; var C, E;\n S -> P; k*C\n S = 10; P = 0; k = 1; Et = 1; Km = 2;\n"
               "C = 0; E = 1; 0 = E + C - Et; 0 = E*S - Km*C;");
  Row closed =
      at(10, "species S, P; S -> P; (k*Et*S/(Km + S)); S = 10; P = 0; k = 1; Et = 1; Km = 2;");
  EXPECT_NEAR(row["S"], closed["S"], 1e-6);
  EXPECT_NEAR(row["C"] + row["E"], 1, 1e-9);
}

TEST(Algebraic, WhatNothingDeterminesAndWhatTwoDetermineIsSaid) {
  EXPECT_THROW(resolve_text("test", "x' = 1; x = 0; 0 = x - 3;"), InputError);
}

TEST(Delays, TheLinearEquationIsPiecewisePolynomial) {
  // x' = -x(t-1), x = 1 before 0: 1 - t, then 1 - t + (t-1)^2/2, then a cubic more.
  const std::string model = "x' = -delay(x, 1); x = 1;";
  for (const char* method : {"rodas5p", "dopri5"}) {
    const double allowed = 1e-7;  // ten times the tolerance of a step
    EXPECT_NEAR(at(1, model, method)["x"], 0, allowed) << method;
    EXPECT_NEAR(at(2, model, method)["x"], -0.5, allowed) << method;
    EXPECT_NEAR(at(3, model, method)["x"], 1 - 3.0 + 2 - 1.0 / 6, allowed) << method;
  }
}

TEST(Substances, DoNotLeapOverZeroIntoAnotherBranch) {
  Row row =
      at(1, "species x, y; x -> y; 5*x/(Km + x); x = 1; y = 0; Km = 1e-6;", "rodas5p", 1, 1e-6);
  EXPECT_NEAR(row["x"], 0, 1e-9);
  EXPECT_NEAR(row["y"], 1, 1e-6);
}

// Rules that can be rearranged are no algebraic equations any more: every method runs them.
TEST(Algebraic, RulesThatAreLinearAreSolvedBeforehand) {
  const std::string model =
      "A = 3; A -> ; 0.5*A\nvar B, C, D; k = 4; n = 2\n"
      "0 = A + k*B - n\n0 = 2*(C - B)/k - -A\n0 = D*C - 1";
  for (const char* method : {"rodas5p", "dopri5", "bdf"}) {
    if (std::string(method) != "rodas5p") {
      std::string without = model.substr(0, model.find("\n0 = D"));
      Row row = at(1, without, method);
      const double a = 3 * std::exp(-0.5), b = (2 - a) / 4;
      EXPECT_NEAR(row["B"], b, 1e-7) << method;
      EXPECT_NEAR(row["C"], b - 2 * a, 1e-7) << method;
      continue;
    }
    Row row = at(1, model, method);  // D has a factor that moves: an equation still
    EXPECT_NEAR(row["D"] * row["C"], 1, 1e-7);
  }
  // Two that speak of each other stay a pair of equations.
  Row pair = at(1, "A = 1; A -> ; A\nvar x = 0, y = 0; 0 = x + y - A; 0 = x - y^3 - A");
  EXPECT_NEAR(pair["x"] + pair["y"], std::exp(-1), 1e-7);
  EXPECT_NEAR(pair["x"] - std::pow(pair["y"], 3), std::exp(-1), 1e-7);
}

TEST(RateOf, OfAFunctionsArgumentAtTheStart) {
  Row row = at(1,
               "function speed(x)\n rateOf(x)\nend\nfunction twice(z)\n 2*speed(z)\nend\n"
               "A = 3; A -> ; 0.5*A\nv = speed(A); w = twice(A); x' = v; x = 0; y' = w; y = 0");
  EXPECT_NEAR(row["x"], -1.5, 1e-9);
  EXPECT_NEAR(row["y"], -3, 1e-9);
}

}  // namespace
}  // namespace stiffit::internal
