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

const ParameterStatistics& of(const FitSummary& fit, const std::string& id) {
  for (const ParameterStatistics& u : fit.statistics.each)
    if (u.id == id) return u;
  throw std::runtime_error("no " + id);
}
LinearFitOptions corrected(LinearMethod method, Curve curve = Curve::linear) {
  LinearFitOptions options = by(method, curve);
  options.simulate = true;
  return options;
}

// Few points on a curved decay: the trapezoid is far off, its corrected answer is not.
TEST(LinearFitCorrection, TakesTheGridOff) {
  std::string data = "time,P,Q\n";
  for (int k = 1; k <= 12; ++k) data += cells({0.5 * k, p_of(0.5 * k), q_of(0.5 * k)});
  const FitProblem problem = linear_problem(two_steps, {data}, "p,q");
  for (LinearMethod method : all_methods) {
    const LinearFitResult raw = LinearFit(problem, by(method)).solve();
    const FitSummary fit = answer(problem, corrected(method));
    EXPECT_GT(std::abs(raw.values(0) - 0.9), 0.005) << method_name(method);
    EXPECT_NEAR(of(fit, "p").value, 0.9, 0.05 * std::abs(raw.values(0) - 0.9))
        << method_name(method);
    EXPECT_NEAR(of(fit, "q").value, 0.25, 1e-3) << method_name(method);
    EXPECT_TRUE(fit.linear->simulated);
    EXPECT_NEAR(fit.linear->as_estimated(0), raw.values(0), 1e-12);
    bool shown = false;
    for (const std::string& line : fit.messages) shown |= line.starts_with("taken off");
    EXPECT_TRUE(shown);
  }
}

// What noise adds: on average over data sets nothing is left of it.
TEST(LinearFitCorrection, TakesTheNoiseOff) {
  Moments before, after;
  for (unsigned seed = 0; seed < 24; ++seed) {
    Noise noise(900 + seed);
    std::string data = "time,P,Q\n";
    for (int k = 1; k <= 40; ++k) {
      const double t = 0.1 * k;
      data += cells({t, p_of(t) + 0.4 * noise.next(), q_of(t) + 0.4 * noise.next()});
    }
    const FitProblem problem = linear_problem(two_steps, {data}, "p,q");
    before.add(LinearFit(problem, by(LinearMethod::derivative)).solve().values(0));
    after.add(of(answer(problem, corrected(LinearMethod::derivative)), "p").value);
  }
  EXPECT_LT(before.mean(), 0.9 - 2 * before.sd() / std::sqrt(24.0));
  EXPECT_NEAR(after.mean(), 0.9, 3 * after.sd() / std::sqrt(24.0));
}

// A way back that is not there: at most so much, with or without the wish for no negative rates,
// and the other rate keeps its error.
TEST(LinearFitAnswer, RatesThatMayBeZero) {
  int below = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    Noise noise(60 + seed);
    std::string data = "time,A,B\n";
    for (int k = 1; k <= 30; ++k) {
      const double t = 0.08 * k, a = 2 * std::exp(-1.3 * t);
      data += cells({t, a + 0.03 * noise.next(), 2 - a + 0.03 * noise.next()});
    }
    const FitProblem problem =
        linear_problem("A -> B; f*A\nB -> A; b*B\nA = 2; B = 0; f = 1; b = 1\n", {data}, "f,b");
    const FitSummary free = answer(problem, corrected(LinearMethod::integral));
    LinearFitOptions options = corrected(LinearMethod::integral);
    options.not_negative = true;
    const FitSummary held = answer(problem, options);
    if (!free.statistics.adequacy.accepted || !held.statistics.adequacy.accepted) continue;
    EXPECT_GE(of(held, "b").value, 0);
    below += of(free, "b").value < 0;
    for (const FitSummary* fit : {&free, &held}) {
      const ParameterStatistics& b = of(*fit, "b");
      if (b.identifiability != Identifiability::one_sided) continue;
      EXPECT_NE(b.verdict.find("at most"), std::string::npos) << b.verdict;
      EXPECT_GT(b.limits.high, 0);
      EXPECT_LT(b.limits.high, 0.3);
      EXPECT_TRUE(std::isnan(b.limits.low));
    }
    EXPECT_NEAR(of(held, "f").error / of(free, "f").error, 1, 0.3);
    EXPECT_NEAR(of(held, "f").value, 1.3, 6 * of(held, "f").error);
  }
  EXPECT_GT(below, 0);
}

// Two ways: the sum is told, with an error that is not zero; neither way is.
TEST(LinearFitAnswer, DirectionsWithoutEffect) {
  Noise noise(2);
  std::string data = "time,X\n";
  for (int k = 1; k <= 40; ++k)
    data += cells({0.1 * k, 5 * std::exp(-0.05 * k) + 0.02 * noise.next()});
  const FitSummary fit =
      answer(linear_problem("X -> Y; a*X\nX -> Z; b*X\nX = 5; Y = 0; Z = 0; a = 1; b = 1\n", {data},
                            "a,b"),
             corrected(LinearMethod::integral));
  EXPECT_EQ(of(fit, "a").identifiability, Identifiability::not_determined)
      << fit.statistics.adequacy.words;
  std::string sum;
  for (const std::string& line : fit.statistics.undetermined) {
    EXPECT_EQ(line.find("+- 0 "), std::string::npos) << line;
    EXPECT_EQ(line.find("a - b"), std::string::npos) << line;
    if (line.starts_with("a + b = 0.")) sum = line;
  }
  EXPECT_NE(sum.find("is determined, within +- "), std::string::npos);
}

// What an algebraic variable starts from is a guess and no datum.
TEST(LinearFitAnswer, GuessesAreNoData) {
  std::string data = "time,P,y\n";
  for (int k = 0; k <= 40; ++k) {
    const double t = 0.1 * k;
    data += cells({t, p_of(t), 1.7 * p_of(t)});
  }
  for (const char* guess : {"6.8", "1", "-40"}) {
    const FitProblem problem = linear_problem(
        std::string("var y\nP' = -p*P\n0 = y - g*P\nP = 4; p = 1; g = 1; y = ") + guess + "\n",
        {data}, "p,g");
    const LinearFitResult r = LinearFit(problem, by(LinearMethod::integral, Curve::cubic)).solve();
    EXPECT_NEAR(r.values(0), 0.9, 1e-4) << guess;
    EXPECT_NEAR(r.values(1), 1.7, 1e-6) << guess;
  }
}

// x' = -k x + c w, w the memory of x with K = exp(-age/2): two linear equations in closed form.
TEST(LinearFitAnswer, MemoriesAreSimulated) {
  const double k = 0.8, c = 0.3;
  std::string data = "time,x\n";
  // w' = x - w/2; eigenvalues of [[-k, c], [1, -1/2]].
  const double middle = -(k + 0.5) / 2, root = std::sqrt((k - 0.5) * (k - 0.5) / 4 + c);
  const double fast = middle - root, slow = middle + root;
  // x = a e^fast t + b e^slow t, x(0) = 2, x'(0) = -2 k.
  const double b = (-2 * k - 2 * fast) / (slow - fast), a = 2 - b;
  for (int n = 1; n <= 60; ++n) {
    const double t = 0.1 * n;
    data += cells({t, a * std::exp(fast * t) + b * std::exp(slow * t)});
  }
  const FitProblem problem =
      linear_problem("x' = -k*x + c*w\nx = 2; w = 0; k = 1; c = 1\n", {data}, "k,c");
  LinearFitOptions options = corrected(LinearMethod::integral, Curve::cubic);
  options.memories.push_back({"w", "x", [](double age) { return std::exp(-age / 2); }});
  const FitSummary fit = answer(problem, options);
  EXPECT_NEAR(of(fit, "k").value, k, 1e-3);
  EXPECT_NEAR(of(fit, "c").value, c, 1e-3);
  EXPECT_LT(fit.best().fit.at.chi2, 1e-6);
  EXPECT_TRUE(fit.statistics.adequacy.accepted);
}

// g*p and p are columns: P falls by p, Q grows by the share g of it.
TEST(LinearFitAnswer, ProductsOfUnknowns) {
  std::string data = "time,P,R\n";
  for (int k = 1; k <= 50; ++k) {
    const double t = 0.1 * k;
    data += cells({t, p_of(t), 0.35 * (4 - p_of(t))});
  }
  for (LinearMethod method : all_methods) {
    const FitProblem problem =
        linear_problem("P' = -p*P\nR' = g*p*P\nP = 4; R = 0; p = 1; g = 1\n", {data}, "p,g");
    const FitSummary fit = answer(problem, corrected(method, Curve::cubic));
    EXPECT_NEAR(of(fit, "p").value, 0.9, 1e-3) << method_name(method);
    EXPECT_NEAR(of(fit, "g").value, 0.35, 1e-3) << method_name(method);
  }
  // The product alone: neither of its parts.
  const FitSummary lost =
      answer(linear_problem("P' = -g*p*P\nR' = 0\nP = 4; R = 0; p = 1; g = 1\n", {[] {
                              Noise noise(8);
                              std::string text = "time,P\n";
                              for (int k = 1; k <= 50; ++k)
                                text += cells({0.1 * k, p_of(0.1 * k) + 0.01 * noise.next()});
                              return text;
                            }()},
                            "p,g"),
             corrected(LinearMethod::integral));
  EXPECT_NEAR(of(lost, "p").value * of(lost, "g").value, 0.9, 0.02);
  EXPECT_NE(of(lost, "p").identifiability, Identifiability::determined);
  EXPECT_NE(of(lost, "g").identifiability, Identifiability::determined);
}

}  // namespace
}  // namespace stiffit::internal
