// Linear fits along data: published numbers, biases, errors, what is not determined.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/diagnostic.h"
#include "linear_fit_trial.h"

namespace stiffit::internal {
namespace {

LinearFitOptions with(LinearMethod method, Curve curve = Curve::linear, bool correct = false) {
  LinearFitOptions options;
  options.method = method;
  options.curve = curve;
  options.correct_bias = correct;
  return options;
}

// A table of functions of time.
template <class... Functions>
std::string table(const std::string& header, double end, int steps, Functions... functions) {
  std::string text = "time," + header + "\n";
  for (int k = 0; k <= steps; ++k) {
    const double t = end * k / steps;
    char cell[40];
    snprintf(cell, sizeof cell, "%.17g", t);
    text += cell;
    for (double value : {functions(t)...}) {
      snprintf(cell, sizeof cell, ",%.17g", value);
      text += cell;
    }
    text += "\n";
  }
  return text;
}

const char* const chain = "A -> B; k1\nB -> ; k2\nA = 3; B = 0.5; k1 = 1; k2 = 1\n";
// Its solution for k1 = 0.7, k2 = 0.3.
double a_of(double t) { return 3 * std::exp(-0.7 * t); }
double b_of(double t) { return 5.75 * std::exp(-0.3 * t) - 5.25 * std::exp(-0.7 * t); }

// Belbas and Kim, example 5.2 without noise, on the grid of their integrator.
TEST(LinearFit, GivesThePublishedRates) {
  const std::string data = reference_table("bk52_rkf45_grid.csv");
  const FitProblem problem = linear_problem("enzyme-reversible", {data}, "k1,k_1,k2,k_2");
  const LinearFitResult r = LinearFit(problem, {}).solve();
  const double published[4] = {4.998965680260972e-001, 9.999783401168126e-002,
                               1.998188364671055e-001, 4.359438660520458e-002};
  for (int j = 0; j < 4; ++j) EXPECT_NEAR(r.values(j), published[j], 1e-10) << j;
  EXPECT_NEAR(r.condition, 1.354e8, 1e5);
  EXPECT_EQ(r.rank, 4);
  // Cubics through the same points do not have the trapezoid's error.
  const LinearFitResult fine =
      LinearFit(problem, with(LinearMethod::integral, Curve::cubic)).solve();
  const double truth[4] = {0.5, 0.1, 0.2, 0.05};
  for (int j = 0; j < 4; ++j) EXPECT_NEAR(fine.values(j), truth[j], 1e-3 * truth[j]) << j;
}

// Of `seeds` noisy copies: mean and standard deviation lie within sampling error of what
// `reference` found with another generator over `reference_seeds`.
struct Expected {
  double mean, sd;
};
void expect_moments(const Moments& found, Expected reference, int reference_seeds,
                    const std::string& what) {
  const double own = 1.0 / found.count, other = 1.0 / reference_seeds;
  EXPECT_NEAR(found.mean(), reference.mean, 4.5 * reference.sd * std::sqrt(own + other)) << what;
  EXPECT_NEAR(found.sd() / reference.sd, 1, 4.5 * std::sqrt((own + other) / 2)) << what;
}

TEST(LinearFit, NoiseOfTheEnzymeReaction) {
  const std::string data = reference_table("bk52_rkf45_grid.csv");
  const FitProblem problem = linear_problem("enzyme-reversible", {data}, "k1,k_1,k2,k_2");
  const LinearFit fit(problem, {});
  // bk52_bias.csv, independent noise on all four species.
  const struct {
    double s;
    Expected of[4];
  } cases[] = {
      {0.01, {{0.499894, 1.986e-4}, {0.0999548, 1.666e-3}, {0.199715, 0.01504}, {0.04056, 0.5088}}},
      {0.05, {{0.49991, 1.0e-3}, {0.09995, 8.5e-3}, {0.191, 0.065}, {-0.27, 2.2}}},
      {0.5, {{0.4997, 0.011}, {0.097, 0.086}, {0.161, 0.123}, {-1.23, 3.7}}}};
  for (const auto& c : cases) {
    Moments m[4];
    for (unsigned seed = 0; seed < 100; ++seed) {
      const LinearFitResult r = fit.solve(noisy(problem, c.s, seed), false);
      for (int j = 0; j < 4; ++j) m[j].add(r.values(j));
    }
    // The tables give two digits of some; half a unit of the last is allowed for below.
    for (int j = 0; j < 4; ++j)
      expect_moments(m[j], c.of[j], c.s == 0.01 ? 2000 : 500,
                     std::to_string(c.s) + " " + std::to_string(j));
    // First-order theory foresees the scatter where it is small.
    if (c.s > 0.01) continue;
    const LinearFitResult r = fit.solve(noisy(problem, c.s, 1));
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(std::sqrt(r.covariance(j, j)) / m[j].sd(), 1, 0.2) << j;
  }
}

// More noisy copies than a test has time for: STIFFIT_BIAS_SEEDS=10000.
unsigned bias_seeds() {
  const char* given = std::getenv("STIFFIT_BIAS_SEEDS");
  return given ? static_cast<unsigned>(std::atoi(given)) : 100;
}

// Both biases of example 5.1, and what is left of them after the correction.
TEST(LinearFit, BiasOfTheOscillator) {
  const std::string data = reference_table("bk51_rkf45_grid.csv");
  const FitProblem problem = linear_problem("oscillator-k51", {data}, "k");
  EXPECT_NEAR(LinearFit(problem, {}).solve().values(0), 1.000107104, 1e-9);
  EXPECT_NEAR(LinearFit(problem, with(LinearMethod::derivative)).solve().values(0), 0.999836418,
              1e-9);
  const struct {
    LinearMethod method;
    double s;
    Expected plain;
  } cases[] = {{LinearMethod::integral, 0.06, {1.0033077, 0.011000926}},
               {LinearMethod::integral, 0.5, {1.239, 0.12}},
               {LinearMethod::derivative, 0.06, {0.99472659, 0.012139077}},
               {LinearMethod::derivative, 0.5, {0.631, 0.084}}};
  const unsigned seeds = bias_seeds();
  for (const auto& c : cases) {
    const LinearFit plain(problem, with(c.method));
    const LinearFit corrected(problem, with(c.method, Curve::linear, true));
    Moments before, after, removed;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      const std::vector<double> values = noisy(problem, c.s, seed);
      const double x = plain.solve(values, false).values(0);
      const double y = corrected.solve(values, false).values(0);
      before.add(x);
      after.add(y);
      removed.add(x - y);
    }
    const std::string what = method_name(c.method) + std::string(" ") + std::to_string(c.s);
    expect_moments(before, c.plain, c.s < 0.1 ? 1000 : 500, what);
    // The same noise is in both, so what was taken off is known far better than either.
    const double bias = c.plain.mean - 1, root = std::sqrt(static_cast<double>(seeds));
    EXPECT_NEAR(removed.mean(), bias,
                std::abs(bias) / 5 + 4 * removed.sd() / root +
                    3 * c.plain.sd / std::sqrt(1000.0) * (c.s < 0.1))
        << what;
    EXPECT_LT(std::abs(after.mean() - 1), std::abs(bias) / 5 + 3.5 * after.sd() / root) << what;
    if (seeds > 1000)
      printf("%s: %u seeds, mean %.6f (s.d. %.5f) -> %.6f (s.d. %.5f)\n", what.c_str(), seeds,
             before.mean(), before.sd(), after.mean(), after.sd());
  }
}

TEST(LinearFit, NamesWhatIsNotDetermined) {
  // Two ways from A to B: only the sum of their rates shows.
  const FitProblem problem =
      linear_problem("A -> B; k1\nA -> B; k2\nA = 2; B = 0; k1 = 1; k2 = 1\n",
                     {table("A", 2, 20, [](double t) { return 2 * std::exp(-t); })}, "k1,k2");
  const LinearFitResult r = LinearFit(problem, with(LinearMethod::integral, Curve::cubic)).solve();
  EXPECT_EQ(r.rank, 1);
  ASSERT_EQ(r.null_space.cols(), 1);
  EXPECT_NEAR(r.null_space(0, 0) / r.null_space(1, 0), -1, 1e-9);
  EXPECT_NEAR(r.values(0) + r.values(1), 1, 1e-5);
  EXPECT_NEAR(r.values(0), r.values(1), 1e-9);  // the shortest of all that serve
}

// K4: the derivative of the estimates by every datum, against differences.
TEST(LinearFit, ErrorsToFirstOrder) {
  const std::string data = table("A,B", 4, 24, a_of, b_of);
  for (LinearMethod method :
       {LinearMethod::integral, LinearMethod::derivative, LinearMethod::rational})
    for (Curve curve : {Curve::linear, Curve::cubic}) {
      const bool rational = method == LinearMethod::rational;
      const FitProblem problem = linear_problem(
          rational ? "A -> ; V*A/(K+A)\nB' = -k2*B + A\nA = 3; B = 0.5; V = 1; K = 1; k2 = 1\n"
                   : chain,
          {data}, rational ? "V,K,k2" : "k1,k2");
      const LinearFit fit(problem, with(method, curve));
      std::vector<double> values = noisy(problem, 0.02, 5);
      const LinearFitResult r = fit.solve(values);
      // Knots: A's, then B's; those at time 0 are exact.
      int knot = 0;
      for (const char* name : {"A", "B"}) {
        for (std::size_t m = 0; m < problem.measurements.size(); ++m) {
          if (problem.observables[static_cast<std::size_t>(problem.measurements[m].observable)]
                  .id != name)
            continue;
          const int own = knot++;
          if (problem.measurements[m].time == 0 || own % 5 != 2) continue;
          std::vector<double> up = values, down = values;
          up[m] += 1e-5;
          down[m] -= 1e-5;
          const Eigen::VectorXd by =
              (fit.solve(up, false).values - fit.solve(down, false).values) / 2e-5;
          for (Eigen::Index j = 0; j < by.size(); ++j)
            EXPECT_NEAR(r.by_datum(j, own), by(j), 1e-5 * r.by_datum.row(j).cwiseAbs().maxCoeff())
                << method_name(method) << " " << name << " " << m << " " << j;
        }
      }
      // The bound holds for the worst signs and is never below the standard deviation.
      for (Eigen::Index j = 0; j < r.values.size(); ++j)
        EXPECT_GE(r.bound(j), std::sqrt(r.covariance(j, j)));
    }
}

TEST(LinearFit, SeveralExperimentsMissingPointsUnequalGrids) {
  // B is measured at other times than A, in one of two experiments not at all; the second starts
  // elsewhere.
  std::string first = "time,A,B\n", second = "# A = 1\n# B = 0\ntime,A\n";
  for (int k = 0; k <= 60; ++k) {
    const double t = 0.05 * k;
    char line[90];
    if (k % 3 == 0)
      snprintf(line, sizeof line, "%.17g,%.17g,\n", t, a_of(t));
    else
      snprintf(line, sizeof line, "%.17g,,%.17g\n", t, b_of(t));
    first += line;
    snprintf(line, sizeof line, "%.17g,%.17g\n", t, std::exp(-0.7 * t));
    second += line;
  }
  const FitProblem problem = linear_problem(chain, {first, second}, "k1,k2");
  const LinearFitResult coarse = LinearFit(problem, {}).solve();
  EXPECT_NEAR(coarse.values(0), 0.7, 2e-3);
  EXPECT_NEAR(coarse.values(1), 0.3, 3e-3);
  const LinearFitResult fine =
      LinearFit(problem, with(LinearMethod::integral, Curve::cubic)).solve();
  EXPECT_NEAR(fine.values(0), 0.7, 2e-6);
  EXPECT_NEAR(fine.values(1), 0.3, 2e-6);
}

TEST(LinearFit, SpeciesThatConservationTells) {
  // E and P were not measured; E + C and S + C + P are kept.
  const std::string model =
      "E + S -> C; k1\nC -> E + S; k_1\nC -> E + P; k2\nE = 1; S = 5; C = 0; P = 0\n"
      "k1 = 1; k_1 = 1; k2 = 1\n";
  // Solution by small steps of the classical method.
  std::string data = "time,S,C\n";
  double s = 5, c = 0;
  auto slopes = [](double x, double y, double& dx, double& dy) {
    dx = -0.8 * (1 - y) * x + 0.4 * y;
    dy = 0.8 * (1 - y) * x - (0.4 + 0.6) * y;
  };
  for (int k = 0; k <= 2000; ++k) {
    if (k % 25 == 0) {
      char line[90];
      snprintf(line, sizeof line, "%.17g,%.17g,%.17g\n", k * 0.002, s, c);
      data += line;
    }
    double a1, b1, a2, b2, a3, b3, a4, b4;
    const double h = 0.002;
    slopes(s, c, a1, b1);
    slopes(s + h / 2 * a1, c + h / 2 * b1, a2, b2);
    slopes(s + h / 2 * a2, c + h / 2 * b2, a3, b3);
    slopes(s + h * a3, c + h * b3, a4, b4);
    s += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    c += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
  }
  const FitProblem problem = linear_problem(model, {data}, "k1,k_1,k2");
  const LinearFitResult r = LinearFit(problem, with(LinearMethod::integral, Curve::cubic)).solve();
  EXPECT_NEAR(r.values(0), 0.8, 1e-4);
  EXPECT_NEAR(r.values(1), 0.4, 1e-3);
  EXPECT_NEAR(r.values(2), 0.6, 1e-4);
}

TEST(LinearFit, UnknownStartValues) {
  const FitProblem problem =
      linear_problem(chain, {"# B = ?\n" + table("A,B", 4, 80, a_of, b_of)}, "k1,k2,B@data1=1");
  const LinearFitResult r = LinearFit(problem, with(LinearMethod::integral, Curve::cubic)).solve();
  EXPECT_NEAR(r.values(0), 0.7, 1e-6);
  EXPECT_NEAR(r.values(1), 0.3, 1e-6);
  EXPECT_NEAR(r.values(2), 0.5, 1e-6);
}

// K2: rules with unknowns are rows between data.
TEST(LinearFit, AlgebraicRows) {
  const FitProblem problem = linear_problem(
      "A -> ; k\nA = 3; k = 1; scale = 1; off = 0\nsignal := scale*A + off\n",
      {table("A,signal", 4, 80, a_of, [](double t) { return 2.5 * a_of(t) + 0.25; })},
      "k,scale,off");
  const LinearFitResult r = LinearFit(problem, with(LinearMethod::integral, Curve::cubic)).solve();
  EXPECT_NEAR(r.values(0), 0.7, 1e-6);
  EXPECT_NEAR(r.values(1), 2.5, 1e-9);
  EXPECT_NEAR(r.values(2), 0.25, 1e-9);
}

// The normal equations with Q(t) and R, by hand for one unknown.
TEST(LinearFit, Weights) {
  const FitProblem problem =
      linear_problem("A -> ; k\nA = 2; k = 1\n", {"time,A\n0,2\n1,1.5\n2,0.8\n3,0.7\n"}, "k");
  LinearFitOptions options;
  options.weighting.q = [](const std::string&, const std::string&, double t) { return 1 + t; };
  options.weighting.points.push_back({2, "A", "A", 5});
  const LinearFitResult r = LinearFit(problem, options).solve();
  const double g[4] = {0, -1.75, -1.75 - 1.15, -1.75 - 1.15 - 0.75}, y[4] = {2, 1.5, 0.8, 0.7};
  const double w[4] = {0.5, 2, 3 + 5, 0.5 * 4};
  double square = 0, side = 0;
  for (int k = 0; k < 4; ++k) {
    square += w[k] * g[k] * g[k];
    side -= w[k] * (2 - y[k]) * g[k];
  }
  EXPECT_NEAR(r.g(0, 0), square, 1e-12);
  EXPECT_NEAR(r.values(0), side / square, 1e-12);
}

TEST(LinearFit, WeightsBetweenRows) {
  const FitProblem problem = linear_problem(chain, {table("A,B", 4, 12, a_of, b_of)}, "k1,k2");
  LinearFitOptions options;
  options.weighting.q = [](const std::string& a, const std::string& b, double) {
    return a == b ? 1 : 0.5;
  };
  const LinearFitResult plain = LinearFit(problem, {}).solve();
  const LinearFitResult r = LinearFit(problem, options).solve();
  // G with the identity plus half of the mixed products, which appear with both orders.
  EXPECT_GT(std::abs(r.g(0, 0) - plain.g(0, 0)), 1e-3);
  EXPECT_NEAR(r.values(0), 0.7, 0.02);
  EXPECT_NEAR(r.values(1), 0.3, 0.02);
  options.weighting.q = [](const std::string& a, const std::string& b, double) {
    return a == b ? 1 : 2;
  };
  EXPECT_THROW(LinearFit(problem, options).solve(), InputError);
}

TEST(LinearFit, NotBelowZero) {
  // A back reaction that is not there comes out negative with this noise.
  const FitProblem problem =
      linear_problem("A -> B; k1\nB -> A; k_1\nA = 3; B = 0; k1 = 1; k_1 = 1\n",
                     {table("A,B", 3, 30, a_of, [](double t) { return 3 - a_of(t); })}, "k1,k_1");
  std::vector<double> values;
  unsigned seed = 0;
  for (;; ++seed) {
    values = noisy(problem, 0.05, seed);
    if (LinearFit(problem, {}).solve(values).values(1) < 0) break;
  }
  LinearFitOptions options;
  options.not_negative = true;
  const LinearFitResult r = LinearFit(problem, options).solve(values);
  EXPECT_EQ(r.values(1), 0);
  EXPECT_EQ(r.at_zero, std::vector<int>{1});
  EXPECT_NEAR(r.values(0), 0.7, 0.1);
}

TEST(LinearFit, Rational) {
  // S' = -V S/(K + S), from its closed form t = (S0 - S + K ln(S0/S))/V.
  std::string data = "time,S\n";
  const double v = 2, k = 0.7;
  for (int n = 0; n <= 100; ++n) {
    const double s = 10 - 0.0985 * n;
    char line[60];
    snprintf(line, sizeof line, "%.17g,%.17g\n", (10 - s + k * std::log(10 / s)) / v, s);
    data += line;
  }
  const FitProblem problem =
      linear_problem("S -> ; V*S/(K+S)\nS = 10; V = 1; K = 1\n", {data}, "V,K");
  const LinearFitResult r = LinearFit(problem, with(LinearMethod::rational, Curve::cubic)).solve();
  EXPECT_NEAR(r.values(0), 2, 1e-3);
  EXPECT_NEAR(r.values(1), 0.7, 1e-3);
  EXPECT_EQ(r.columns, (std::vector<std::string>{"V", "K"}));
}

// Products of unknowns are columns of their own: V and K of a Hill law with K^2, and two fractions.
TEST(LinearFit, RationalWithProducts) {
  const FitProblem problem = linear_problem(
      "-> X; a*Y^2/(K^2+Y^2)\nX -> ; d*X/(M+X)\nY := 3*exp(-0.7*time)\nX = 0.2\n"
      "a = 1; K = 1; d = 1; M = 1\n",
      {[] {
        std::string data = "time,X\n";
        double x = 0.2;
        auto slope = [](double t, double z) {
          const double y = a_of(t);
          return 1.5 * y * y / (0.64 + y * y) - 0.9 * z / (0.5 + z);
        };
        for (int n = 0; n <= 4000; ++n) {
          if (n % 20 == 0) {
            char line[60];
            snprintf(line, sizeof line, "%.17g,%.17g\n", n * 0.002, x);
            data += line;
          }
          const double t = n * 0.002, h = 0.002;
          const double p = slope(t, x), q = slope(t + h / 2, x + h / 2 * p);
          const double r = slope(t + h / 2, x + h / 2 * q), s = slope(t + h, x + h * r);
          x += h / 6 * (p + 2 * q + 2 * r + s);
        }
        return data;
      }()},
      "a,K,d,M");
  const LinearFitResult r = LinearFit(problem, with(LinearMethod::rational, Curve::cubic)).solve();
  EXPECT_NEAR(r.values(0), 1.5, 0.01);
  EXPECT_NEAR(r.values(1), 0.8, 0.01);
  EXPECT_NEAR(r.values(2), 0.9, 0.01);
  EXPECT_NEAR(r.values(3), 0.5, 0.01);
}

// K9: x' = a - b x(t - 1), by the method of steps from x = 2 before the start.
TEST(LinearFit, Delays) {
  std::string data = "time,x\n";
  const double a = 1.5, b = 0.8, h = 0.001;
  std::vector<double> x(1, 2);
  for (int n = 0; n < 6000; ++n) {
    auto past = [&](int m) { return m <= 1000 ? 2.0 : x[static_cast<std::size_t>(m - 1000)]; };
    const double now = a - b * past(n), next = a - b * past(n + 1);
    x.push_back(x.back() + h / 2 * (now + next));
  }
  for (int n = 0; n <= 6000; n += 100) {
    char line[60];
    snprintf(line, sizeof line, "%.17g,%.17g\n", n * h, x[static_cast<std::size_t>(n)]);
    data += line;
  }
  const FitProblem problem =
      linear_problem("x' = a - b*delay(x, 1)\nx = 2; a = 1; b = 1\n", {data}, "a,b");
  const LinearFitResult r = LinearFit(problem, with(LinearMethod::integral, Curve::cubic)).solve();
  EXPECT_NEAR(r.values(0), 1.5, 1e-4);
  EXPECT_NEAR(r.values(1), 0.8, 1e-4);
}

// The closed solutions of w' = (A - w)/2, w(0) = 0, and of X' = a w - b X by small steps.
struct Hereditary {
  std::string data = "time,A,X\n";
  Hereditary() {
    double x = 1;
    const double h = 0.001;
    for (int n = 0; n <= 5000; ++n) {
      const double t = n * h;
      if (n % 50 == 0) {
        char line[90];
        snprintf(line, sizeof line, "%.17g,%.17g,%.17g\n", t, a_of(t), x);
        data += line;
      }
      auto slope = [](double s, double z) { return 1.2 * w_of(s) - 0.6 * z; };
      const double p = slope(t, x), q = slope(t + h / 2, x + h / 2 * p);
      const double r = slope(t + h / 2, x + h / 2 * q), s = slope(t + h, x + h * r);
      x += h / 6 * (p + 2 * q + 2 * r + s);
    }
  }
  static double w_of(double t) {
    return 1.5 / (0.5 - 0.7) * (std::exp(-0.7 * t) - std::exp(-0.5 * t));
  }
};

void expect_hereditary(const std::string& model, std::vector<Memory> memories) {
  const FitProblem problem = linear_problem(model, {Hereditary().data}, "a,b");
  LinearFitOptions options = with(LinearMethod::integral, Curve::cubic);
  options.memories = std::move(memories);
  const LinearFit fit(problem, options);
  std::vector<double> values;
  for (const Measurement& m : problem.measurements) values.push_back(m.value);
  const LinearFitResult exact = fit.solve(values);
  EXPECT_NEAR(exact.values(0), 1.2, 1e-3);
  EXPECT_NEAR(exact.values(1), 0.6, 1e-3);
  // Errors of A reach the estimates through the past as well.
  int knot = 0;
  for (std::size_t m = 0; m < problem.measurements.size(); ++m) {
    if (problem.observables[static_cast<std::size_t>(problem.measurements[m].observable)].id != "A")
      continue;
    const int own = knot++;
    if (own % 20 != 7) continue;
    std::vector<double> up = values, down = values;
    up[m] += 1e-4;
    down[m] -= 1e-4;
    const Eigen::VectorXd by = (fit.solve(up, false).values - fit.solve(down, false).values) / 2e-4;
    for (Eigen::Index j = 0; j < by.size(); ++j)
      EXPECT_NEAR(exact.by_datum(j, own), by(j), 0.02 * exact.by_datum.row(j).cwiseAbs().maxCoeff())
          << m << " " << j;
  }
}

// K9: an exponential kernel as a chain, as an equation of its own, and as a kernel.
TEST(LinearFit, ExponentialMemoryAsChain) {
  expect_hereditary("A' = -0.7*A\nX' = a*memory(A, 2) - b*X\nA = 3; X = 1; a = 1; b = 1\n", {});
}
TEST(LinearFit, UnmeasuredStateWithKnownEquation) {
  expect_hereditary(
      "A' = -0.7*A\nX' = a*w - b*X\nw' = (A - w)/2\nA = 3; X = 1; w = 0; a = 1; b = 1\n", {});
}
TEST(LinearFit, AnyKernel) {
  expect_hereditary("A' = -0.7*A\nX' = a*w - b*X\nA = 3; X = 1; w = 0; a = 1; b = 1\n",
                    {{"w", "A", [](double age) { return std::exp(-age / 2) / 2; }}});
}

TEST(SmoothingSpline, RowsGiveItsValues) {
  std::vector<double> knots, values, variances;
  Noise noise(3);
  for (int k = 0; k < 40; ++k) {
    knots.push_back(0.1 * k + (k % 3) * 0.02);
    values.push_back(std::sin(knots.back()) + 0.05 * noise.next());
    variances.push_back(k == 0 ? 0 : 1 + k % 2);
  }
  SmoothingSpline spline(knots, variances);
  spline.choose(values);
  spline.fit(values);
  EXPECT_EQ(spline.value(knots[0]), values[0]);  // exact
  double trace = 0;
  for (std::size_t k = 0; k < knots.size(); ++k)
    for (auto& [knot, weight] : spline.row(knots[k], false))
      if (knot == static_cast<int>(k)) trace += weight;
  EXPECT_NEAR(trace, spline.freedom(), 1e-6);
  EXPECT_GT(spline.freedom(), 3);
  EXPECT_LT(spline.freedom(), 15);
  for (double t : {-0.1, 0.0, 0.5, 1.77, 3.94, 4.2})
    for (bool slope : {false, true}) {
      double sum = 0;
      for (auto& [knot, weight] : spline.row(t, slope))
        sum += weight * values[static_cast<std::size_t>(knot)];
      EXPECT_NEAR(sum, slope ? spline.slope(t) : spline.value(t), 1e-8) << t;
      if (t > 0 && t < 3.9) {
        EXPECT_NEAR(sum, slope ? std::cos(t) : std::sin(t), 0.15) << t;
      }
    }
  // The score is a minimum over lambda.
  const double best = spline.score(values, spline.lambda());
  for (double factor : {0.01, 0.2, 5.0, 100.0})
    EXPECT_LE(best, spline.score(values, factor * spline.lambda()) * (1 + 1e-9)) << factor;
}

TEST(NoiseLevel, IsFoundUnderACurve) {
  std::vector<SeriesTrack::Knot> knots;
  Noise noise(7);
  for (int k = 0; k < 400; ++k) {
    const double t = 0.05 * k;
    knots.push_back({t, 5 * std::sin(t) + 0.1 * noise.next(), 1, false});
  }
  EXPECT_NEAR(noise_level(knots), 0.1, 0.015);
}

std::string refusal(const std::string& model, const std::string& data, const std::string& estimate,
                    LinearMethod method = LinearMethod::integral) {
  const FitProblem problem = linear_problem(model, {data}, estimate);
  try {
    LinearFit(problem, with(method)).solve();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(none)";
}

TEST(LinearFit, SaysWhyItDoesNotApply) {
  const std::string data = table("A", 2, 10, a_of);
  auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  std::string text = refusal("A -> ; k*A^n\nA = 3; k = 1; n = 1\n", data, "k,n");
  EXPECT_TRUE(has(text, "'n' is not")) << text;
  text = refusal("A -> ; k*A^n\nA = 3; k = 1; n = 1\n", data, "k,n", LinearMethod::rational);
  EXPECT_TRUE(has(text, "no quotient of polynomials in 'n'") ||
              has(text, "no quotient of polynomials in 'k'"))
      << text;
  text = refusal("A -> B; k1\nB -> ; k2*B\nA -> ; k3*B\nA = 3; B = 0; k1 = 1; k2 = 1; k3 = 1\n",
                 data, "k1,k3");
  EXPECT_TRUE(has(text, "needs B, which nothing measured tells")) << text;
  text = refusal("A -> ; k*A\nA = 3; k = 1\nat (time > 1): A = 5\n", data, "k");
  EXPECT_TRUE(has(text, "cannot follow jumps")) << text;
  text = refusal("A -> ; k*A\nA = 3; k = 1\n", "time,A\n1,3\n2,3\n3,3\n", "k");
  EXPECT_TRUE(has(text, "constant")) << text;
}

}  // namespace
}  // namespace stiffit::internal
