// What a fit says of several parameters at once is true: of models with a known truth, and noise.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/normal_draw.h"
#include "sanitized.h"
#include "stiffit/stiffit.h"

namespace stiffit::internal {
namespace {

struct Tried {
  const char* name;
  std::string text;  // the truth
  double end;
  std::vector<std::string> shown;
  double noise;
  std::string estimate;
  std::vector<std::string> observe;
  // Formulas and their true values, of which one is to be named; several where the data can hardly
  // tell them apart. Empty: none may be named.
  std::map<std::string, double> expected;
  int points = 24;
};

std::string noisy_table(const Tried& t, std::uint64_t seed) {
  api::SimulateOptions options;
  options.end = t.end;
  options.points = t.points;
  options.show = t.shown;
  const auto course = api::Model::from_text(t.text).simulate(options).or_throw();
  SplitMix random = stream(seed, 11);
  std::string text = "time";
  for (const std::string& name : t.shown) text += "," + name;
  text += "\n";
  for (std::size_t i = 1; i < course.times.size(); ++i) {
    text += std::to_string(course.times[i]);
    for (const std::string& name : t.shown) {
      char cell[40];
      snprintf(cell, sizeof cell, ",%.12g", course.column(name)[i] + t.noise * normal_draw(random));
      text += cell;
    }
    text += "\n";
  }
  return text;
}

api::Fit fit_of(const Tried& t, std::uint64_t seed) {
  api::FitOptions options;
  options.advice = false;
  options.run.threads = 1;
  return api::Problem::from_data(api::Model::from_text(t.text),
                                 {{"data.csv", noisy_table(t, seed)}}, {t.estimate}, t.observe)
      .fit(options);
}

const std::string same_product = "A -> B; k1*A\nA -> B; k2*A\nA = 1; B = 0; ";
const std::string two_products = "A -> B; k1*A\nA -> C; k2*A\nA = 2; B = 0; C = 0; ";
const std::string enzyme =
    "S + E -> X; k1*S*E\nX -> S + E; k_1*X\nX -> E + P; k2*X\nS = 1; E = 0.01; X = 0; P = 0; ";

class Combination : public testing::TestWithParam<Tried> {};

TEST_P(Combination, IsNamedAndHoldsAtTheTruth) {
  const Tried& t = GetParam();
  const int sets = sanitized ? 2 : 20;
  int named = 0, inside = 0, others = 0;
  std::string words;
  for (int seed = 1; seed <= sets; ++seed) {
    const api::Fit f = fit_of(t, seed);
    ASSERT_TRUE(f.found()) << f.message;
    for (const api::Combination& c : f.combinations) {
      const auto truth = t.expected.find(c.formula);
      if (truth == t.expected.end()) {
        ++others;
        words += c.formula + " ";
        continue;
      }
      ++named;
      inside += c.low <= truth->second && truth->second <= c.high;
      // Those in it are known only together.
      for (const api::FittedParameter& p : f.parameters)
        if (std::find(c.parameters.begin(), c.parameters.end(), p.id) != c.parameters.end() &&
            p.determination != "determined" && p.determination != "roughly-determined") {
          EXPECT_EQ(p.determination, "in-combination") << p.id << ": " << p.verdict;
        }
    }
  }
  RecordProperty("named", named);
  RecordProperty("inside", inside);
  EXPECT_EQ(others, 0) << words;
  if (!t.expected.empty()) {
    EXPECT_GE(named, sets - sets / 5) << "of " << sets;
  }
  EXPECT_GE(inside, named - std::max(1, named / 5)) << "of " << named;
}

INSTANTIATE_TEST_SUITE_P(
    All, Combination,
    testing::Values(
        Tried{"two_rates",
              same_product + "k1 = 0.1; k2 = 0.26",
              12,
              {"A"},
              0.01,
              "k1,k2",
              {},
              {{"k1+k2", 0.36}}},
        Tried{"two_rates_noisy",
              same_product + "k1 = 3; k2 = 0.4",
              1,
              {"B"},
              0.04,
              "k1,k2",
              {},
              {{"k1+k2", 3.4}}},
        Tried{"two_products",
              two_products + "k1 = 0.02; k2 = 0.05",
              40,
              {"A"},
              0.02,
              "k1,k2",
              {},
              {{"k1+k2", 0.07}}},
        Tried{"three_rates",
              "A -> B; k1*A\nA -> C; k2*A\nA -> D; k3*A\nA = 5; B = 0; C = 0; D = 0; k1 = 1; k2 = "
              "2; k3 = 4",
              0.6,
              {"A"},
              0.05,
              "k1,k2,k3",
              {},
              {{"k1+k2+k3", 7}}},
        Tried{"one_product_too",
              two_products + "k1 = 0.02; k2 = 0.05",
              40,
              {"A", "B"},
              0.02,
              "k1,k2",
              {},
              {}},
        Tried{"scale_and_start",
              "A -> B; k*A\nA = 2; B = 0; k = 0.3; f = 1.5; z := f*A",
              8,
              {"z"},
              0.02,
              "k,A,f",
              {},
              {{"A(0)*f", 3}}},
        Tried{"enzyme",
              enzyme + "k1 = 1; k_1 = 1; k2 = 0.5",
              900,
              {"P"},
              0.003,
              "k1,k_1",
              {},
              {{"(k_1+k2)/k1", 1.5}},
              30},
        Tried{"first_order_enzyme",
              "S -> P; V*S/(K + S)\nS = 1; P = 0; V = 8; K = 200",
              60,
              {"S"},
              0.01,
              "V,K=200:40:4000",
              {},
              {{"V/K", 0.04}}},
        Tried{"fast_equilibrium",
              "A -> B; kf*A\nB -> A; kb*B\nB -> C; k*B\nA = 1; B = 0; C = 0; kf = 300; kb = 150; k "
              "= 0.2",
              10,
              {"A", "B"},
              0.01,
              "kf,kb,k",
              {},
              {{"kf/kb", 2}, {"(kf+k)/(kb+k)", 300.2 / 150.2}, {"(kf-k)/kb", 299.8 / 150}}},
        // The data tell k1 + 2.4 k2: there is no small expression for that.
        Tried{"no_formula",
              "A -> B; k1*A\nA -> B; 2.4*k2*A\nA = 1; B = 0; k1 = 0.1; k2 = 0.11",
              12,
              {"A"},
              0.003,
              "k1,k2",
              {},
              {}},
        Tried{"identifiable",
              "A -> B; k1*A\nB -> C; k2*B\nA = 1; B = 0; C = 0; k1 = 1; k2 = 0.3",
              10,
              {"A", "B"},
              0.02,
              "k1,k2",
              {},
              {}},
        Tried{"identifiable_michaelis",
              "S -> P; V*S/(K + S)\nS = 1; P = 0; V = 0.3; K = 0.3",
              12,
              {"P"},
              0.005,
              "V,K",
              {},
              {}}),
    [](const auto& one) { return std::string(one.param.name); });

// Derived quantities: the same words as parameters, on the fit, the profile and the ensemble.
api::Problem enzyme_problem(std::uint64_t seed) {
  const Tried t{"", enzyme + "k1 = 1; k_1 = 1; k2 = 0.5", 900, {"P"}, 0.003, "", {}, {}, 30};
  return api::Problem::from_data(api::Model::from_text(t.text),
                                 {{"data.csv", noisy_table(t, seed)}}, {"k1,k_1"});
}

TEST(Derived, MichaelisConstantIsDeterminedThoughItsPartsAreNot) {
  api::FitOptions options;
  options.advice = false;
  options.derive = {"Km = (k_1 + k2)/k1", "slow = 1/k1", "doubled = 2*Km_like"};
  EXPECT_THROW(enzyme_problem(1).fit(options), std::exception);
  options.derive.pop_back();
  const int sets = sanitized ? 2 : 20;
  int inside = 0;
  for (int seed = 1; seed <= sets; ++seed) {
    const api::Fit f = enzyme_problem(seed).fit(options);
    ASSERT_EQ(f.derived.size(), 2u);
    EXPECT_EQ(f.derived[0].name, "Km");
    EXPECT_EQ(f.derived[0].formula, "(k_1 + k2)/k1");
    EXPECT_EQ(f.derived[0].determination, "determined") << f.derived[0].verdict;
    EXPECT_EQ(f.derived[0].limits_by, "profile");
    inside += f.derived[0].low <= 1.5 && 1.5 <= f.derived[0].high;
    EXPECT_NE(f.derived[1].determination, "determined") << f.derived[1].verdict;
    EXPECT_NE(f.json.find("\"derived\":"), std::string::npos);
    EXPECT_NE(f.text.find("Km"), std::string::npos);
  }
  EXPECT_GE(inside, sets - 1 - sets / 10);
}

TEST(Derived, OfOneParameterItIsItsOwnProfile) {
  const Tried t{"", "A -> B; k*A\nA = 1; B = 0; k = 0.4", 6, {"A"}, 0.02, "", {}, {}};
  const auto problem = api::Problem::from_data(api::Model::from_text(t.text),
                                               {{"data.csv", noisy_table(t, 3)}}, {"k"});
  api::ProfileOptions options;
  options.fit.derive = {"same = k", "life = ln(2)/k"};
  const api::Profiles p = problem.profile(options);
  ASSERT_EQ(p.derived.size(), 2u);
  EXPECT_NEAR(p.derived[0].low, p.parameters[0].low, 2e-3 * p.parameters[0].low);
  EXPECT_NEAR(p.derived[0].high, p.parameters[0].high, 2e-3 * p.parameters[0].high);
  const double ln2 = std::log(2.0);
  EXPECT_NEAR(p.derived[1].low, ln2 / p.parameters[0].high, 2e-3 * p.derived[1].low);
  EXPECT_NEAR(p.derived[1].high, ln2 / p.parameters[0].low, 2e-3 * p.derived[1].high);
  EXPECT_EQ(p.derived[1].determination, "determined");
}

TEST(Derived, OverAnEnsembleItIsThatOfTheDraws) {
  const Tried t{"", "A -> B; k*A\nA = 1; B = 0; k = 0.4", 6, {"A"}, 0.02, "", {}, {}};
  const auto problem = api::Problem::from_data(api::Model::from_text(t.text),
                                               {{"data.csv", noisy_table(t, 3)}}, {"k"});
  api::PosteriorOptions options;
  options.samples = 2000;
  options.fit.derive = {"life = ln(2)/k"};
  const api::Posterior p = problem.ensemble(options);
  ASSERT_EQ(p.derived.size(), 1u);
  EXPECT_EQ(p.derived[0].limits_by, "ensemble");
  EXPECT_NEAR(p.derived[0].low, std::log(2.0) / p.parameters[0].high, 5e-3 * p.derived[0].low);
  EXPECT_NEAR(p.derived[0].high, std::log(2.0) / p.parameters[0].low, 5e-3 * p.derived[0].high);
}

// (k_1 + 0.5)/k1 of independent uniform draws: its mean is 2 ln(3)/2.
TEST(Derived, WithoutDataItHasADistribution) {
  api::ParameterEnsembleOptions options;
  options.sample = {{"k1", "uniform(1,3)"}, {"k_1", "uniform(1,2)"}};
  options.samples = sanitized ? 200 : 4000;
  options.end = 1;
  options.points = 1;
  options.derive = {"Km = (k_1 + k2)/k1"};
  const auto e = api::Model::from_text(enzyme + "k1 = 1; k_1 = 1; k2 = 0.5").ensemble(options);
  ASSERT_EQ(e.derived.size(), 1u);
  const api::DerivedDistribution& d = e.derived[0];
  EXPECT_NEAR(d.mean, std::log(3.0),
              4 * d.deviation / std::sqrt(static_cast<double>(options.samples)));
  EXPECT_GT(d.low, 0.5);
  EXPECT_LT(d.low, d.median);
  EXPECT_LT(d.high, 2.5);
  EXPECT_GT(d.high, d.median);
}

TEST(Derived, MistakesAreNamed) {
  const auto problem = enzyme_problem(1);
  for (auto [text, word] : {std::pair{"Km = (k_1+k3)/k1", "k3"},
                            {"k1 = 2*k_1", "k1"},
                            {"x = P*k1", "species"},
                            {"x = 3*k2", "no estimated parameter"},
                            {"x 3", "NAME = formula"},
                            {"P = k1", "'P'"}}) {
    api::FitOptions options;
    options.derive = {text};
    try {
      problem.fit(options);
      ADD_FAILURE() << text;
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
  api::FitOptions options;
  options.derive = {"x = k1", "x = k_1"};
  EXPECT_THROW(problem.fit(options), std::exception);
}

}  // namespace
}  // namespace stiffit::internal
