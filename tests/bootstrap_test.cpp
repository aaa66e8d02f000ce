// Limits by fits of drawn data: do they hold as often as they say, and does nothing but the seed
// matter? SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/normal_draw.h"
#include "sanitized.h"
#include "stiffit/stiffit.h"

namespace stiffit::internal {
namespace {

struct Truth {
  std::string model, shown, estimate;
  std::vector<std::pair<std::string, double>> values;
  double end = 10, noise = 0.05;
  int points = 16;
};

const Truth decay_truth{
    "A -> B; k*A\nA = 2; B = 0; k = 0.3\n", "A", "k=0.3,A=2", {{"k", 0.3}, {"A(0)", 2}}};
const Truth michaelis{"S -> P; V*S/(K + S)\nS = 1; P = 0; V = 0.3; K = 0.4\n",
                      "S",
                      "V=0.3,K=0.4,S=1",
                      {{"V", 0.3}, {"K", 0.4}, {"S(0)", 1}},
                      8,
                      0.01,
                      20};

std::string table_of(const Truth& truth, std::uint64_t seed) {
  api::SimulateOptions options;
  options.end = truth.end;
  options.points = truth.points;
  options.show = {truth.shown};
  const auto course = api::Model::from_text(truth.model).simulate(options).or_throw();
  SplitMix random = stream(seed, 3);
  std::string text = "time," + truth.shown + "\n";
  for (std::size_t i = 0; i < course.times.size(); ++i) {
    char line[80];
    snprintf(line, sizeof line, "%.12g,%.12g\n", course.times[i],
             course.column(truth.shown)[i] + truth.noise * normal_draw(random));
    text += line;
  }
  return text;
}

api::Problem drawn_problem(const Truth& truth, const std::string& table) {
  return api::Problem::from_data(api::Model::from_text(truth.model), {{"d.csv", table}},
                                 {truth.estimate});
}

api::FitOptions options_of(int samples, const std::string& kind = "residual", int threads = 1) {
  api::FitOptions options;
  options.advice = false;
  options.profiles = "no";
  options.bootstrap = samples;
  options.bootstrap_kind = kind;
  options.run.threads = threads;
  return options;
}

struct Setting {
  const char* name;
  Truth truth;
  std::string kind;
};

class Coverage : public testing::TestWithParam<Setting> {};

// The true share is about 95 %; 200 sets tell it to 1.5 %.
TEST_P(Coverage, LimitsHoldAsOftenAsTheySay) {
  const Setting& s = GetParam();
  const int sets = sanitized ? 3 : 200;
  std::map<std::string, int> held;
  for (int set = 0; set < sets; ++set) {
    const api::Fit fit = drawn_problem(s.truth, table_of(s.truth, 40 + set))
                             .fit(options_of(sanitized ? 99 : 119, s.kind, 2));
    ASSERT_TRUE(fit.found());
    for (const auto& [id, value] : s.truth.values)
      for (const api::BootstrapLimits& p : fit.bootstrap.parameters)
        if (p.id == id) held[id] += !(p.low > value) && !(p.high < value);
  }
  for (const auto& [id, value] : s.truth.values) {
    const double share = static_cast<double>(held[id]) / sets;
    RecordProperty(id, std::to_string(share));
    std::cout << s.name << " " << id << ": " << share << "\n";
    if (sanitized) continue;
    EXPECT_GE(share, 0.92) << id;
    EXPECT_LE(share, 0.985) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Bootstrap, Coverage,
                         testing::Values(Setting{"decay", decay_truth, "residual"},
                                         Setting{"decay_cases", decay_truth, "case"},
                                         Setting{"michaelis", michaelis, "residual"}),
                         [](const auto& param) { return std::string(param.param.name); });

// The standard error of drawn residuals around a straight line is that of regression, whatever the
// noise: s sqrt((n-p)/n) times the same factor that the residuals were made larger by.
TEST(Bootstrap, StandardErrorsAreThoseOfRegression) {
  const std::vector<double> x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
      y{1.3, 1.1, 3.2, 2.9, 3.4, 5.9, 5.2, 6.3, 6.6, 8.8, 8.5, 9.9};
  std::string data = "time,A\n";
  double mx = 0, my = 0, xx = 0, xy = 0, squares = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    data += std::to_string(x[i]) + "," + std::to_string(y[i]) + "\n";
    mx += x[i] / n, my += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i)
    xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  const double slope = xy / xx;
  for (std::size_t i = 0; i < x.size(); ++i)
    squares += std::pow(y[i] - my - slope * (x[i] - mx), 2);
  const double error = std::sqrt(squares / (n - 2) / xx);
  const api::Problem p =
      api::Problem::from_data(api::Model::from_text("-> A; k\nA = 1; k = 1\n"), {{"d.csv", data}},
                              {"k=1:-10:10:lin,A=1:-10:10:lin"});
  const int samples = sanitized ? 200 : 4000;
  const api::Fit fit = p.fit(options_of(samples));
  ASSERT_EQ(fit.bootstrap.used, static_cast<std::size_t>(samples));
  const api::BootstrapLimits& k = fit.bootstrap.parameters[0];
  EXPECT_NEAR(k.standard_error, error, (sanitized ? 0.2 : 0.06) * error);
  EXPECT_NEAR(k.bias, 0, 0.2 * error);
  const double t = boost::math::quantile(boost::math::students_t(n - 2), 0.975);
  EXPECT_NEAR(k.low, slope - t * error, (sanitized ? 1.0 : 0.35) * error);
  EXPECT_NEAR(k.high, slope + t * error, (sanitized ? 1.0 : 0.35) * error);
  EXPECT_EQ(fit.parameters[0].limits_by, "bootstrap");
  EXPECT_EQ(fit.parameters[0].low, k.low);
  EXPECT_NE(fit.text.find("bootstrap: " + std::to_string(samples) + " fits"), std::string::npos)
      << fit.text;
  EXPECT_NE(fit.json.find("\"bootstrap\":{\"kind\":\"residual\""), std::string::npos);
}

TEST(Bootstrap, DependsOnTheSeedAlone) {
  const api::Problem p = drawn_problem(decay_truth, table_of(decay_truth, 5));
  for (const char* kind : {"residual", "case"}) {
    const api::Fit one = p.fit(options_of(120, kind, 1)), four = p.fit(options_of(120, kind, 4));
    api::FitOptions other = options_of(120, kind, 1);
    other.seed = 2;
    const api::Fit differs = p.fit(other);
    for (std::size_t i = 0; i < one.bootstrap.parameters.size(); ++i) {
      EXPECT_EQ(one.bootstrap.parameters[i].low, four.bootstrap.parameters[i].low);
      EXPECT_EQ(one.bootstrap.parameters[i].standard_error,
                four.bootstrap.parameters[i].standard_error);
      EXPECT_NE(one.bootstrap.parameters[i].low, differs.bootstrap.parameters[i].low);
    }
  }
}

TEST(Bootstrap, TooFewSamplesGiveNoLimits) {
  const api::Fit fit = drawn_problem(decay_truth, table_of(decay_truth, 6)).fit(options_of(20));
  EXPECT_EQ(fit.parameters[0].limits_by, "wald");
  EXPECT_NE(fit.bootstrap.words.find("too few for limits, which need at least 80"),
            std::string::npos)
      << fit.bootstrap.words;
}

// A detection limit cuts drawn data as it has cut the measured ones: the mean of the samples is
// where the estimate is, within what samples scatter.
TEST(Bootstrap, LimitsStayLimits) {
  std::string data = "time,A\n";
  SplitMix random = stream(8, 1);
  for (int i = 0; i <= 20; ++i) {
    const double value = 2 * std::exp(-0.15 * i) + 0.05 * normal_draw(random);
    data += std::to_string(i) + "," + (value < 0.4 ? "<0.4" : std::to_string(value)) + "\n";
  }
  for (const char* kind : {"residual", "case"}) {
    const api::Fit fit = drawn_problem(decay_truth, data).fit(options_of(400, kind, 2));
    const api::BootstrapLimits& k = fit.bootstrap.parameters[0];
    EXPECT_LT(std::abs(k.bias), 0.35 * k.standard_error) << kind;
    EXPECT_NEAR(k.standard_error, fit.parameters[0].theta_error,
                0.35 * fit.parameters[0].theta_error)
        << kind;
  }
}

TEST(Bootstrap, GoesWithASearch) {
  const api::Problem p = drawn_problem(decay_truth, table_of(decay_truth, 6));
  api::FitOptions options = options_of(100);
  options.method = "integral";
  EXPECT_THROW(p.fit(options), std::exception);
  options = options_of(0, "case");
  EXPECT_THROW(p.fit(options), std::exception);
}

}  // namespace
}  // namespace stiffit::internal
