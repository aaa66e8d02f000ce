// Small states that matter: beside large ones of other units, and those that grow again from next
// to nothing. What is expected is known in closed form.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/number.h"
#include "compiled_model.h"

namespace stiffit::internal {
namespace {

const char* const adaptive[] = {"automatic", "rodas5p", "bdf",    "radau",
                                "cvodes",    "dopri5",  "dop853", "adams"};

Trajectory run(const CompiledModel& model, const char* method, double end) {
  IntegrationOptions options;
  options.method = method;
  return simulate(model.problem, model.request(even_times(end, 50)), options);
}

double column(const CompiledModel& model, const Trajectory& t, std::size_t row,
              const std::string& name) {
  const auto& names = model.program().output_names;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return t.outputs[row * names.size() + k];
  ADD_FAILURE() << name;
  return NAN;
}

// X grows, is killed down to e^-depth of what it was, and grows again.
TEST(SmallStates, WhatIsKilledGrowsAgain) {
  for (double depth : {10.0, 23.0, 28.0, 40.0}) {
    const double kill = depth / 2 + 1;  // over two time units, growth of one going on
    const CompiledModel model = compile_model(
        resolve_text("killed",
                     "species X; X -> 2 X; X; X -> ; kill*piecewise(1, time > 3 && time < 5, 0)*X;"
                     "X = 1e6; kill = " +
                         std::to_string(kill)));
    for (const char* method : adaptive) {
      const Trajectory t = run(model, method, 40);
      ASSERT_EQ(t.outcome.status, Status::done) << method;
      for (std::size_t row = 0; row <= 50; ++row) {
        const double time = 0.8 * static_cast<double>(row);
        const double killed = kill * std::clamp(time - 3, 0.0, 2.0);
        const double expected = 1e6 * std::exp(time - killed);
        EXPECT_NEAR(column(model, t, row, "X") / expected, 1, 1e-3)
            << method << " depth " << depth << " time " << time;
      }
    }
  }
}

// Killed by a drug that decays: ln X = ln X0 + mu t - k D0 (1 - e^-dt)/d.
TEST(SmallStates, ADrugThatIsUsedUp) {
  const CompiledModel model =
      compile_model(resolve_text("drug", "X' = 0.5*X - 40*D*X; D' = -0.8*D; X = 3e-9; D = 1"));
  for (const char* method : adaptive) {
    const Trajectory t = run(model, method, 150);
    ASSERT_EQ(t.outcome.status, Status::done) << method;
    for (std::size_t row = 0; row <= 50; ++row) {
      const double time = 3.0 * static_cast<double>(row);
      const double expected = 3e-9 * std::exp(0.5 * time - 40 / 0.8 * (1 - std::exp(-0.8 * time)));
      EXPECT_NEAR(column(model, t, row, "X") / expected, 1, 2e-3) << method << ' ' << time;
    }
  }
}

// d X - c ln X + b Y - a ln Y is kept, however deep the troughs.
TEST(SmallStates, PredatorAndPreyKeepTheirInvariant) {
  const CompiledModel model =
      compile_model(resolve_text("prey",
                                 "species X, Y; X -> 2 X; 1.5*X; X -> ; 2*X*Y; Y -> 2 Y; 0.7*X*Y;"
                                 "Y -> ; 0.8*Y; X = 30; Y = 0.4"));
  auto invariant = [](double x, double y) {
    return 0.7 * x - 0.8 * std::log(x) + 2 * y - 1.5 * std::log(y);
  };
  for (const char* method : adaptive) {
    const Trajectory t = run(model, method, 60);
    ASSERT_EQ(t.outcome.status, Status::done) << method;
    for (std::size_t row = 0; row <= 50; ++row) {
      const double x = column(model, t, row, "X"), y = column(model, t, row, "Y");
      ASSERT_GT(std::min(x, y), 0) << method << " row " << row;
      EXPECT_NEAR(invariant(x, y), invariant(30, 0.4), 5e-3) << method << " row " << row;
    }
    EXPECT_EQ(t.outcome.below_zero.state, -1) << method;
  }
}

// A product of 1e-14 beside 1e8 cells: P = r N0 (e^mt - e^-dt)/(m + d).
TEST(SmallStates, BesideCellsByTheHundredMillion) {
  const CompiledModel model = compile_model(resolve_text(
      "cells", "species N, P; N -> 2 N; 0.1*N; -> P; 1e-22*N; P -> ; 0.3*P; N = 1e7; P = 0"));
  for (const char* method : adaptive) {
    const Trajectory t = run(model, method, 30);
    ASSERT_EQ(t.outcome.status, Status::done) << method;
    for (std::size_t row = 1; row <= 50; ++row) {
      const double time = 0.6 * static_cast<double>(row);
      const double expected = 1e-15 * (std::exp(0.1 * time) - std::exp(-0.3 * time)) / 0.4;
      EXPECT_NEAR(column(model, t, row, "P") / expected, 1, 1e-4) << method << ' ' << time;
    }
  }
}

// A ligand of 6e17 molecules, ten thousand receptors: at rest R kon L = (koff + ke) C and
// ks = kt R + ke C.
TEST(SmallStates, ReceptorsInASeaOfLigand) {
  const CompiledModel model = compile_model(
      resolve_text("ligand",
                   "species $L, R, C; L + R -> C; 1e-18*L*R; C -> L + R; 0.2*C; C -> ; 0.03*C;"
                   "-> R; 100; R -> ; 0.01*R; M -> ; 1e-9*M; species M; M = 6e17;"
                   "L = 6e17; R = 1e4; C = 0"));
  const double free = 100 / (0.01 + 0.03 * 0.6 / 0.23), bound = free * 0.6 / 0.23;
  for (const char* method : adaptive) {
    const Trajectory t = run(model, method, 4000);
    ASSERT_EQ(t.outcome.status, Status::done) << method;
    EXPECT_NEAR(column(model, t, 50, "R") / free, 1, 1e-5) << method;
    EXPECT_NEAR(column(model, t, 50, "C") / bound, 1, 1e-5) << method;
  }
}

// Where an input is a small difference of large numbers it is a stair of rounding, which is no
// error of a method and must not cost steps: x' = a (1 + sin(wt - pi/2)) - kx from zero.
TEST(SmallStates, StairsOfRoundingAreFollowedByNobody) {
  struct Case {
    double a, w, k;
  };
  for (const Case& c : {Case{4e6, 0.57, 7e7}, Case{3e-4, 1.3, 2e6}, Case{50, 0.9, 3e8}}) {
    const CompiledModel model = compile_model(resolve_text(
        "stairs",
        "species x; x' = a*(1 + sin(w*time - pi/2)) - k*x; x = 0; a = " + format_number(c.a) +
            "; w = " + format_number(c.w) + "; k = " + format_number(c.k)));
    const double scale = c.a / c.k;
    for (const char* method : {"automatic", "rodas5p", "radau", "bdf", "cvodes"}) {
      IntegrationOptions options;
      options.method = method;
      options.rtol = 1e-11;
      const Trajectory t = simulate(model.problem, model.request(even_times(50, 50)), options);
      ASSERT_EQ(t.outcome.status, Status::done) << method << ' ' << c.k;
      EXPECT_LT(t.outcome.counters.steps, 10000) << method << ' ' << c.k;
      for (std::size_t row = 1; row <= 50; ++row) {
        const double phase = c.w * static_cast<double>(row), lag = c.w / c.k;
        const double expected =
            scale * (1 - (std::cos(phase) + lag * std::sin(phase)) / (1 + lag * lag));
        EXPECT_NEAR(column(model, t, row, "x"), expected, 1e-9 * scale) << method << ' ' << row;
      }
    }
  }
}

// Far down a chain from zero: x_k = t^k e^-t/k!, sizes from 1 to 1e-12 within the first steps.
TEST(SmallStates, FarDownAChain) {
  std::string text = "x0' = -x0; x0 = 1;";
  for (int k = 1; k <= 14; ++k) {
    const std::string name = "x" + std::to_string(k), before = "x" + std::to_string(k - 1);
    text += name + "' = " + before + " - " + name + "; " + name + " = 0;";
  }
  const CompiledModel model = compile_model(resolve_text("chain", text));
  for (const char* method : adaptive) {
    const Trajectory t = run(model, method, 20);
    ASSERT_EQ(t.outcome.status, Status::done) << method;
    EXPECT_LT(t.outcome.counters.steps, 1500) << method;
    for (std::size_t row = 1; row <= 50; ++row) {
      const double time = 0.4 * static_cast<double>(row);
      for (int k = 1; k <= 14; ++k) {
        const double top = std::exp(k * std::log(double(k)) - k - std::lgamma(k + 1.0));
        const double expected = std::exp(k * std::log(time) - time - std::lgamma(k + 1.0));
        EXPECT_NEAR(column(model, t, row, "x" + std::to_string(k)), expected, 1e-4 * top)
            << method << ' ' << k << ' ' << time;
      }
    }
  }
}

TEST(SmallStates, ASpeciesFarBelowZeroIsNamed) {
  const CompiledModel model =
      compile_model(resolve_text("decay", "species A, B; A -> B; 3*A; A = 2; B = 0"));
  IntegrationOptions options;
  options.method = "euler";
  options.fixed_step = 0.5;
  const Request request = model.request(even_times(2, 4));
  const Trajectory wrong = simulate(model.problem, request, options);
  ASSERT_GE(wrong.outcome.below_zero.state, 0);
  EXPECT_EQ(describe_below_zero(wrong.outcome, model.program().state_names),
            "A falls to -1 at time 0.5: more than the tolerance allows");
  for (const char* method : adaptive) {
    options = {};
    options.method = method;
    const Trajectory right = simulate(model.problem, request, options);
    EXPECT_EQ(right.outcome.below_zero.state, -1) << method;
  }
}

}  // namespace
}  // namespace stiffit::internal
