// What a linear fit answers, and what it says of its answer: on data with a known truth.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "base/diagnostic.h"
#include "estimation/pipeline/linear_fit_run.h"
#include "linear_fit_trial.h"

namespace stiffit::internal {
namespace {

std::string cells(std::initializer_list<double> values) {
  std::string text;
  for (double value : values) {
    char cell[40];
    snprintf(cell, sizeof cell, "%s%.12g", text.empty() ? "" : ",", value);
    text += cell;
  }
  return text + "\n";
}

LinearFitOptions by(LinearMethod method, Curve curve = Curve::linear) {
  LinearFitOptions options;
  options.method = method;
  options.curve = curve;
  return options;
}

constexpr LinearMethod all_methods[] = {LinearMethod::integral, LinearMethod::derivative,
                                        LinearMethod::rational};

// P -> Q -> with p = 0.9, q = 0.25.
const char* const two_steps = "P -> Q; p*P\nQ -> ; q*Q\nP = 4; Q = 1; p = 1; q = 1\n";
double p_of(double t) { return 4 * std::exp(-0.9 * t); }
double q_of(double t) {
  const double share = 4 * 0.9 / (0.25 - 0.9);
  return (1 - share) * std::exp(-0.25 * t) + share * std::exp(-0.9 * t);
}

// Errors of the data are weights: what is known to be bad does not disturb, whatever the method.
TEST(LinearFitErrors, AreWeights) {
  std::string good = "time,P,sd(P),Q,sd(Q)\n", without = "time,P,Q\n";
  Noise noise(11);
  for (int k = 1; k <= 100; ++k) {
    const double t = 0.05 * k;
    // The second half of P is off by far more than the first.
    const double sd = k > 50 ? 0.3 : 0.002;
    const double p = p_of(t) + sd * noise.next(), q = q_of(t) + 0.002 * noise.next();
    good += cells({t, p, sd, q, 0.002});
    without += cells({t, p, q});
  }
  const FitProblem weighted = linear_problem(two_steps, {good}, "p,q");
  const FitProblem plain = linear_problem(two_steps, {without}, "p,q");
  for (LinearMethod method : all_methods) {
    const LinearFitResult r = LinearFit(weighted, by(method)).solve();
    EXPECT_NEAR(r.values(0), 0.9, 0.02) << method_name(method);
    EXPECT_NEAR(r.values(1), 0.25, 0.05) << method_name(method);
    for (const SeriesNoise& series : r.noise) EXPECT_TRUE(series.given);
    const LinearFitResult blind = LinearFit(plain, by(method)).solve();
    EXPECT_LT(std::abs(r.values(0) - 0.9), std::abs(blind.values(0) - 0.9)) << method_name(method);
  }
}

// The same error everywhere is no weight, and the size of it is what the standard errors show.
TEST(LinearFitErrors, OfOneSizeOnlyScaleTheStandardErrors) {
  for (LinearMethod method : all_methods) {
    double before = 0;
    for (double sd : {0.01, 0.03}) {
      std::string data = "time,P,sd(P),Q,sd(Q)\n", without = "time,P,Q\n";
      Noise noise(5);
      for (int k = 1; k <= 60; ++k) {
        const double t = 0.08 * k, p = p_of(t) + 0.01 * noise.next();
        const double q = q_of(t) + 0.01 * noise.next();
        data += cells({t, p, sd, q, sd});
        without += cells({t, p, q});
      }
      const LinearFitResult r =
          LinearFit(linear_problem(two_steps, {data}, "p,q"), by(method)).solve();
      const LinearFitResult blind =
          LinearFit(linear_problem(two_steps, {without}, "p,q"), by(method)).solve();
      // Rows that hang on several data at once have errors that vary a little.
      const double same = method == LinearMethod::integral ? 1e-9 : 0.02;
      EXPECT_NEAR(r.values(0), blind.values(0), same) << method_name(method);
      EXPECT_NEAR(r.values(1), blind.values(1), same) << method_name(method);
      const double error = std::sqrt(r.covariance(0, 0));
      if (before > 0) {
        EXPECT_NEAR(error / before, 3, 1e-6) << method_name(method);
      }
      before = error;
    }
  }
}

FitSummary answer(const FitProblem& problem, const LinearFitOptions& options) {
  return run_linear_fit(problem, "trial", options, {}).summary;
}
bool judged(const FitSummary& fit) {
  for (const ParameterStatistics& u : fit.statistics.each)
    if (u.identifiability == Identifiability::not_judged) return false;
  return true;
}

// Data of a saturated reaction, fitted by a first-order one: with known errors and without.
TEST(LinearFitAnswer, IsHeldAgainstTheData) {
  for (bool known : {true, false})
    for (bool right : {true, false}) {
      Noise noise(3);
      std::string data = known ? "time,S,sd(S)\n" : "time,S\n";
      // V = 1.7, K = 0.4: t = (6 - S + K ln(6/S))/V.
      for (int k = 1; k <= 40; ++k) {
        const double s = 6 - 0.145 * k;
        const double t = right ? 0.09 * k : (6 - s + 0.4 * std::log(6 / s)) / 1.7;
        const double y = (right ? 6 * std::exp(-0.6 * t) : s) + 0.02 * noise.next();
        data += known ? cells({t, y, 0.02}) : cells({t, y});
      }
      const FitProblem problem = linear_problem("S -> ; k*S\nS = 6; k = 1\n", {data}, "k");
      const FitSummary fit = answer(problem, by(LinearMethod::integral, Curve::cubic));
      const Adequacy& a = fit.statistics.adequacy;
      EXPECT_TRUE(a.tested());
      EXPECT_EQ(a.accepted, right) << a.words;
      EXPECT_EQ(judged(fit), right);
      EXPECT_EQ(a.words.find("does not describe these data") == std::string::npos, right)
          << a.words;
    }
}

// How often a right answer is doubted: 5 % is meant.
TEST(LinearFitAnswer, FalseAlarms) {
  int doubted = 0;
  constexpr int trials = 150;
  for (int seed = 0; seed < trials; ++seed) {
    Noise noise(1000 + static_cast<unsigned>(seed));
    std::string data = "time,P,sd(P),Q,sd(Q)\n";
    for (int k = 1; k <= 30; ++k) {
      const double t = 0.15 * k;
      data += cells({t, p_of(t) + 0.05 * noise.next(), 0.05, q_of(t) + 0.05 * noise.next(), 0.05});
    }
    const FitSummary fit =
        answer(linear_problem(two_steps, {data}, "p,q"), by(LinearMethod::integral, Curve::cubic));
    doubted += !fit.statistics.adequacy.accepted;
  }
  EXPECT_LE(doubted, trials * 0.12);
}

// Too few points to test anything: still no verdict where the answer is worse than the mean.
TEST(LinearFitAnswer, FarOff) {
  // x'' = -w x, sampled once a period and a bit: along straight lines it means nothing.
  std::string data = "time,x,v\n";
  for (int k = 1; k <= 5; ++k) {
    const double t = 5.3 * k;
    data += cells({t, std::cos(t), -std::sin(t)});
  }
  const FitSummary fit =
      answer(linear_problem("x' = v\nv' = -w*x - d*v\nx = 1; v = 0; w = 1; d = 0\n", {data}, "w,d"),
             by(LinearMethod::integral));
  EXPECT_FALSE(fit.statistics.adequacy.accepted);
  EXPECT_FALSE(judged(fit));
}

}  // namespace
}  // namespace stiffit::internal
