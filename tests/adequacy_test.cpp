// Whether a fit says that its model is wrong, and only then. Data have a known truth: a mechanism,
// its noise, and a seed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/normal_draw.h"
#include "sanitized.h"
#include "stiffit/stiffit.h"

namespace stiffit::internal {
namespace {

using Noise = std::function<double(double value, SplitMix& random)>;

Noise constant_noise(double s) {
  return [s](double, SplitMix& random) { return s * normal_draw(random); };
}

struct Truth {
  std::string text;  // a model
  double end = 10;
  int points = 24;
  std::vector<std::string> shown = {"P"};
};

// A table of what the truth shows, with noise; `sd` > 0: in columns beside it.
std::string table_of(const Truth& truth, const Noise& noise, std::uint64_t seed, double sd = 0,
                     int replicates = 1) {
  api::SimulateOptions options;
  options.end = truth.end;
  options.points = truth.points;
  options.show = truth.shown;
  const auto course = api::Model::from_text(truth.text).simulate(options).or_throw();
  SplitMix random = stream(seed, 7);
  std::string text = "time";
  for (const std::string& name : truth.shown) text += "," + name;
  if (sd > 0)
    for (const std::string& name : truth.shown) text += ",sd(" + name + ")";
  text += "\n";
  for (std::size_t i = 1; i < course.times.size(); ++i)
    for (int r = 0; r < replicates; ++r) {
      text += std::to_string(course.times[i]);
      for (const std::string& name : truth.shown) {
        const double value = course.column(name)[i];
        char cell[40];
        snprintf(cell, sizeof cell, ",%.12g", value + noise(value, random));
        text += cell;
      }
      if (sd > 0)
        for (std::size_t k = 0; k < truth.shown.size(); ++k) text += "," + std::to_string(sd);
      text += "\n";
    }
  return text;
}

api::Fit fit(const std::string& model, const std::string& table, const std::string& estimate) {
  api::FitOptions options;
  options.profiles = "no";
  options.advice = false;
  return api::Problem::from_data(api::Model::from_text(model), {{"data.csv", table}}, {estimate})
      .fit(options);
}

const Truth decay{"A -> P; k*A\nA = 1; P = 0; k = 0.35\n"};
const Truth michaelis{"S -> P; V*S/(K + S)\nS = 1; P = 0; V = 0.3; K = 0.08\n", 10, 24};
const Truth autocatalysis{"S -> P; k*S*(0.01 + P)\nS = 1; P = 0; k = 1\n", 10, 24};

struct Honest {
  const char* name;
  Truth truth;
  std::string estimate;
  double noise, sd;
  int replicates;
};

class RightModel : public testing::TestWithParam<Honest> {};

// 5 % of false alarms, within what as many data sets can tell.
TEST_P(RightModel, IsDoubtedAsOftenAsTheLevelSays) {
  const Honest& h = GetParam();
  const int sets = sanitized ? 20 : 150;
  int alarms = 0;
  for (int i = 0; i < sets; ++i) {
    const auto f =
        fit(h.truth.text, table_of(h.truth, constant_noise(h.noise), 100 + i, h.sd, h.replicates),
            h.estimate);
    ASSERT_TRUE(f.found());
    ASSERT_TRUE(f.adequacy.tested) << f.words.front();
    alarms += !f.adequacy.accepted;
  }
  RecordProperty("alarms", alarms);
  const double expected = 0.05 * sets, spread = std::sqrt(0.05 * 0.95 * sets);
  EXPECT_LE(alarms, expected + 3 * spread);
  if (!sanitized) {
    EXPECT_GE(alarms, expected - 3 * spread);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RightModel,
    testing::Values(Honest{"decay", decay, "k=0.3", 0.02, 0, 1},
                    Honest{"decay_known_noise", decay, "k=0.3", 0.02, 0.02, 1},
                    Honest{"decay_replicates", decay, "k=0.3", 0.05, 0, 3},
                    Honest{"michaelis_menten", michaelis, "V=0.2,K=0.1", 0.01, 0, 1},
                    Honest{"michaelis_menten_known", michaelis, "V=0.2,K=0.1", 0.01, 0.01, 1},
                    Honest{"few_data", Truth{decay.text, 6, 6}, "k=0.3", 0.05, 0, 1}),
    [](const auto& one) { return std::string(one.param.name); });

struct Wrong {
  const char* name;
  Truth truth;
  const char* model;
  std::string estimate;
  double noise, sd;
};

class WrongModel : public testing::TestWithParam<Wrong> {};

TEST_P(WrongModel, IsSaidFirst) {
  const Wrong& w = GetParam();
  for (std::uint64_t seed = 1; seed <= (sanitized ? 1 : 10); ++seed) {
    const auto f = fit(w.model, table_of(w.truth, constant_noise(w.noise), seed, w.sd), w.estimate);
    ASSERT_TRUE(f.found());
    ASSERT_TRUE(f.adequacy.tested) << f.words.front();
    EXPECT_FALSE(f.adequacy.accepted) << "p = " << f.adequacy.p_value;
    EXPECT_LT(f.adequacy.p_value, 0.01);
    EXPECT_EQ(f.words.front().find("the model does not describe these data"), 0u)
        << f.words.front();
  }
}

const char* const first_order = "S -> P; k*S\nS = 1; P = 0; k = 0.3\n";

INSTANTIATE_TEST_SUITE_P(
    All, WrongModel,
    testing::Values(
        Wrong{"first_order_for_saturation", michaelis, first_order, "k", 0.01, 0},
        Wrong{"first_order_for_saturation_known", michaelis, first_order, "k", 0.01, 0.01},
        Wrong{"saturation_for_first_order", Truth{"S -> P; k*S\nS = 1; P = 0; k = 0.5\n"},
              "S -> P; V*S/(0.02 + S)\nS = 1; P = 0; V = 0.3\n", "V", 0.02, 0},
        Wrong{"first_order_for_autocatalysis", autocatalysis, first_order, "k", 0.02, 0},
        Wrong{"one_step_for_two", Truth{"A -> B; 1*A\nB -> P; 0.8*B\nA = 1; B = 0; P = 0\n", 8, 24},
              "A -> P; k*A\nA = 1; P = 0; k = 0.3\n", "k", 0.01, 0},
        Wrong{"irreversible_for_reversible",
              Truth{"A -> P; 0.6*A\nP -> A; 0.3*P\nA = 1; P = 0\n", 10, 24},
              "A -> P; k*A\nA = 1; P = 0; k = 0.3\n", "k", 0.02, 0}),
    [](const auto& one) { return std::string(one.param.name); });

// Data without noise have nothing to test: what is left is rounding.
TEST(Adequacy, ExactDataAreNotTested) {
  const auto f = fit(decay.text, table_of(decay, constant_noise(0), 1), "k=0.3");
  EXPECT_FALSE(f.adequacy.tested);
  EXPECT_TRUE(f.adequacy.accepted);
  EXPECT_NE(f.words.front().find("was not tested"), std::string::npos);
}

TEST(Adequacy, CriteriaAreTheTextbooks) {
  const auto f = fit(decay.text, table_of(decay, constant_noise(0.02), 3), "k=0.3");
  const double n = 24, k = 2;  // k and the size of the noise
  EXPECT_NEAR(f.adequacy.aic, -2 * f.llh + 2 * k, 1e-9);
  EXPECT_NEAR(f.adequacy.aicc, f.adequacy.aic + 2 * k * (k + 1) / (n - k - 1), 1e-9);
  EXPECT_NEAR(f.adequacy.bic, -2 * f.llh + k * std::log(n), 1e-9);
  EXPECT_NEAR(f.adequacy.s, std::sqrt(f.chi2 / (n - 1)), 1e-9);
  EXPECT_GT(f.adequacy.r2, 0.98);
}

// With known noise and nothing else to see, the p-value is that of chi-square.
TEST(Adequacy, ChiSquareIsTheTextbooks) {
  const auto f = fit(decay.text, table_of(decay, constant_noise(0.02), 5, 0.02), "k=0.3");
  ASSERT_FALSE(f.adequacy.tests.empty());
  EXPECT_EQ(f.adequacy.tests.front().test, "chi-square");
  EXPECT_NEAR(f.adequacy.tests.front().statistic, f.chi2, 1e-9);
  // 23 degrees of freedom, by the series for odd ones would be long: the median is near 22.34.
  EXPECT_EQ(f.adequacy.tests.front().p_value > 0.5, f.chi2 < 22.337);
}

// One observable of two is not described: that one is named.
TEST(Adequacy, NamesWhatIsNotDescribed) {
  const Truth truth{
      "A -> B; 0.5*A\nS -> P; 0.3*S/(0.05 + S)\nA = 1; B = 0; S = 1; P = 0\n", 8, 24, {"B", "P"}};
  const auto f = fit("A -> B; a*A\nS -> P; b*S\nA = 1; B = 0; S = 1; P = 0; a = 0.4; b = 0.3\n",
                     table_of(truth, constant_noise(0.01), 11, 0.01), "a,b");
  ASSERT_EQ(f.adequacy.observables.size(), 2u);
  for (const auto& one : f.adequacy.observables) EXPECT_EQ(one.accepted, one.observable == "B");
  EXPECT_NE(f.words[1].find("P"), std::string::npos);
}

// In other units nothing changes.
TEST(Adequacy, UnitsDoNotMatter) {
  Truth large = michaelis;
  large.text = "S -> P; V*S/(K + S)\nS = 1e6; P = 0; V = 0.3e6; K = 0.08e6\n";
  const auto one = fit(michaelis.text, table_of(michaelis, constant_noise(0.01), 17), "V,K");
  const auto other = fit(large.text, table_of(large, constant_noise(0.01e6), 17), "V,K");
  EXPECT_NEAR(one.adequacy.p_value, other.adequacy.p_value, 0.02);
  EXPECT_EQ(one.adequacy.accepted, other.adequacy.accepted);
}

}  // namespace
}  // namespace stiffit::internal
