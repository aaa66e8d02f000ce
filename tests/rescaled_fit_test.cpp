// No unit is special to a fit: the same problem with its species in other units, observables
// bringing them back, has the same objective and gradient, at the tolerances a fit has by default.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>

#include "problem_maker.h"
#include "rescaled_system.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

struct FitCase {
  const char* name;
  std::vector<std::string> species, rates;
  std::vector<double> start;
  std::vector<std::pair<std::string, double>> parameters;
  std::vector<double> times;
};

// Equations of models of the library, and cells beside a product and an inhibitor.
const FitCase cases[] = {
    {"robertson",
     {"A", "B", "C"},
     {"-k1*A + k3*B*C", "k1*A - k3*B*C - k2*B*B", "k2*B*B"},
     {1, 0, 0},
     {{"k1", 0.04}, {"k2", 3e7}, {"k3", 1e4}},
     {0.4, 4, 40, 400}},
    {"enzyme",
     {"S", "E", "C", "P"},
     {"-k1*S*E + k2*C", "-k1*S*E + (k2 + k3)*C", "k1*S*E - (k2 + k3)*C", "k3*C"},
     {10, 0.1, 0, 0},
     {{"k1", 5}, {"k2", 1}, {"k3", 8}},
     {0.1, 1, 5, 12, 20}},
    {"lotka-volterra",
     {"X", "Y"},
     {"a*X - b*X*Y", "b*X*Y - c*Y"},
     {8, 0.5},
     {{"a", 1}, {"b", 0.8}, {"c", 0.6}},
     {0.5, 2, 4, 7, 11, 16}},
    {"brusselator",
     {"X", "Y"},
     {"a - (b + 1)*X + X*X*Y", "b*X - X*X*Y"},
     {1, 3},
     {{"a", 1}, {"b", 2.6}},
     {1, 3, 6, 10}},
    {"cells",
     {"N", "D", "P"},
     {"mu*N*(1 - N) - k*D*N", "-d*D", "r*N - q*P"},
     {0.3, 1, 0},
     {{"mu", 0.7}, {"k", 12}, {"d", 0.8}, {"r", 0.2}, {"q", 0.4}},
     {1, 4, 12, 25, 40}},
    {"chain",
     {"W", "X", "Y", "Z"},
     {"-k*W", "k*W - l*X", "l*X - v*Y/(m + Y)", "v*Y/(m + Y) - k*Z"},
     {1, 0, 0, 0},
     {{"k", 0.9}, {"l", 2}, {"v", 0.5}, {"m", 0.3}},
     {0.2, 1, 3, 8}},
};

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// c x instead of every x.
std::string text_of(const FitCase& c, const std::vector<double>& units) {
  std::string text;
  for (std::size_t i = 0; i < c.species.size(); ++i) {
    std::string rate = c.rates[i];
    for (std::size_t j = 0; j < c.species.size(); ++j)
      rate = std::regex_replace(rate, std::regex("\\b" + c.species[j] + "\\b"),
                                "(" + c.species[j] + "/" + number(units[j]) + ")");
    text += c.species[i] + "' = " + number(units[i]) + "*(" + rate + ")\n" + c.species[i] + " = " +
            number(c.start[i] * units[i]) + "\n";
  }
  for (const auto& [id, value] : c.parameters) text += id + " = " + number(value) + "\n";
  return text;
}

FitProblem problem_of(const FitCase& c, const std::vector<double>& units,
                      const std::vector<double>& data) {
  Maker maker(text_of(c, units));
  for (const auto& [id, value] : c.parameters) maker.parameter(id, value);
  maker.experiment({maker.period(0)});
  std::size_t row = 0;
  for (std::size_t i = 0; i < c.species.size(); ++i) {
    const int o =
        maker.observable("o" + c.species[i],
                         maker.apply(Op::div, maker.symbol(c.species[i]), maker.number(units[i])),
                         maker.number(0.05 * std::max(c.start[i], 0.1)));
    for (double t : c.times) maker.measure(o, t, data.empty() ? 1 : data[row++]);
  }
  return maker.problem_ready();
}

// What the model says, with errors of some per cent.
std::vector<double> data_of(const FitCase& c) {
  const ProblemObjective truth(problem_of(c, std::vector<double>(c.species.size(), 1.0), {}),
                               Maker::options());
  std::string failure;
  const std::vector<Prediction> said = truth.predict(truth.nominal(), failure);
  EXPECT_EQ(failure, "") << c.name;
  std::vector<double> data;
  for (const Prediction& p : said)
    data.push_back(p.value * (1 + 0.05 * std::sin(1.7 * static_cast<double>(data.size() + 1))));
  return data;
}

TEST(NoUnitIsSpecialInFits, ObjectiveAndGradientAreThose) {
  int compared = 0;
  for (const FitCase& c : cases) {
    const std::vector<double> data = data_of(c), ones(c.species.size(), 1.0);
    for (GradientMethod way : {GradientMethod::forward, GradientMethod::adjoint}) {
      ObjectiveOptions options;
      options.gradient = way;
      const ProblemObjective plain(problem_of(c, ones, data), options);
      std::vector<double> theta = plain.nominal();
      for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += k % 2 ? 0.03 : -0.02;
      const Evaluation expected = plain.evaluate(theta, Need::gradient);
      ASSERT_TRUE(expected.ok()) << c.name << ": " << expected.failure;
      double steepest = 0;
      for (double g : expected.gradient) steepest = std::max(steepest, std::fabs(g));
      const double loose = 100 * options.integration.rtol;
      for (unsigned long seed = 1; seed <= (sanitized ? 2 : 8); ++seed) {
        const auto units = random_units(static_cast<int>(c.species.size()), seed);
        const ProblemObjective other(problem_of(c, units, data), options);
        const Evaluation found = other.evaluate(theta, Need::gradient);
        ASSERT_TRUE(found.ok()) << c.name << " seed " << seed << ": " << found.failure;
        EXPECT_NEAR(found.value, expected.value, loose * (1 + std::fabs(expected.value)))
            << c.name << " seed " << seed;
        ASSERT_EQ(found.gradient.size(), expected.gradient.size());
        for (std::size_t k = 0; k < found.gradient.size(); ++k)
          EXPECT_NEAR(found.gradient[k], expected.gradient[k], loose * (1 + steepest))
              << c.name << " seed " << seed << ' ' << other.unknowns()[k].id;
        // Side by side.
        const std::vector<std::vector<double>> points(5, theta);
        for (const Evaluation& e : other.values(points, 1))
          EXPECT_NEAR(e.value, expected.value, loose * (1 + std::fabs(expected.value)))
              << c.name << " seed " << seed << " in lanes: " << e.failure;
        compared += 2 + static_cast<int>(found.gradient.size());
      }
    }
  }
  RecordProperty("compared", compared);
}

}  // namespace
}  // namespace stiffit::internal
