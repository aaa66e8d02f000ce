// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/identifiable_combinations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"

using namespace stiffit::internal;

namespace {

using Known = std::function<std::vector<double>(std::span<const double> values)>;

// Data that tell `known` of positive parameters, each with a relative error.
TrialLeastSquares telling(const std::vector<double>& truth, const Known& known, double error) {
  std::vector<EstimatedParameter> unknowns;
  for (std::size_t i = 0; i < truth.size(); ++i)
    unknowns.push_back({std::string(1, static_cast<char>('a' + i)), std::log10(truth[i]) - 3,
                        std::log10(truth[i]) + 3, std::log10(truth[i]) + 0.1, Scale::log10});
  const std::vector<double> measured = known(truth);
  return TrialLeastSquares(unknowns, [=](std::span<const double> theta) {
    std::vector<double> values;
    for (double t : theta) values.push_back(std::pow(10, t));
    std::vector<double> r = known(values);
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = (r[k] / measured[k] - 1) / error;
    return r;
  });
}

CombinationSearch search(const Objective& o,
                         const std::vector<std::pair<std::string, double>>& constants = {}) {
  std::vector<double> x;
  for (const EstimatedParameter& u : o.unknowns()) x.push_back(u.start);
  std::vector<std::size_t> all(x.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const LocalFit best = fit_trust_region(o, x, {});
  return find_combinations(o, best, all, constants, {});
}

std::vector<std::string> formulas(const CombinationSearch& s) {
  std::vector<std::string> list;
  for (const IdentifiableCombination& c : s.found) list.push_back(c.formula);
  return list;
}

struct Case {
  const char* name;
  std::vector<double> truth;
  Known known;
  std::vector<std::string> expected;
};
using Values = std::span<const double>;

class Combinations : public testing::TestWithParam<Case> {};

TEST_P(Combinations, TheTrueOnesAreNamed) {
  const Case& c = GetParam();
  for (double error : {0.002, 0.02, 0.1}) {
    const CombinationSearch s = search(telling(c.truth, c.known, error));
    EXPECT_EQ(formulas(s), c.expected) << "error " << error;
    for (const IdentifiableCombination& one : s.found) {
      const double value = one.value_at(c.truth);
      EXPECT_LE(one.low, value) << one.words;
      EXPECT_GE(one.high, value) << one.words;
      EXPECT_LT(one.high / one.low, 1 + 6 * error) << one.words;
    }
    EXPECT_FALSE(s.unfinished) << s.evaluations;
    EXPECT_LT(s.evaluations, 3000);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Combinations,
    testing::Values(Case{"sum",
                         {0.1, 0.3},
                         [](Values v) -> std::vector<double> { return {v[0] + v[1]}; },
                         {"a+b"}},
                    Case{"uneven_sum",
                         {7, 0.6},
                         [](Values v) -> std::vector<double> { return {v[0] + v[1]}; },
                         {"a+b"}},
                    Case{"ratio",
                         {40, 3},
                         [](Values v) -> std::vector<double> { return {v[0] / v[1]}; },
                         {"a/b"}},
                    Case{"product",
                         {1e-3, 3e4},
                         [](Values v) -> std::vector<double> { return {v[0] * v[1]}; },
                         {"a*b"}},
                    Case{"three",
                         {0.2, 0.1, 0.4},
                         [](Values v) -> std::vector<double> { return {v[0] + v[1] + v[2]}; },
                         {"a+b+c"}},
                    Case{"michaelis",
                         {2, 3, 4},
                         [](Values v) -> std::vector<double> {
                           return {v[2], (v[1] + v[2]) / v[0]};
                         },
                         {"(b+c)/a"}},
                    Case{"square",
                         {2, 3},
                         [](Values v) -> std::vector<double> { return {v[0] * v[1] * v[1]}; },
                         {"a*b^2"}},
                    Case{"two_ratios",
                         {2, 3, 5, 7},
                         [](Values v) -> std::vector<double> {
                           return {v[0] / v[1], v[2] * v[3]};
                         },
                         {"a/b", "c*d"}},
                    Case{"branching",
                         {2, 3, 5},
                         [](Values v) -> std::vector<double> { return {v[0] * (v[1] + v[2])}; },
                         {"a*(b+c)"}}),
    [](const auto& one) { return std::string(one.param.name); });

// The data tell a + 2.37 b, or a b^0.37: no small expression says that, and none is named.
TEST(CombinationsWithoutAName, AreNotClaimed) {
  for (double error : {0.002, 0.01}) {
    auto weighted = search(telling(
        {1, 0.8}, [](Values v) -> std::vector<double> { return {v[0] + 2.37 * v[1]}; }, error));
    EXPECT_TRUE(weighted.found.empty()) << weighted.found.front().words;
    EXPECT_EQ(weighted.open.size(), 2u);
    EXPECT_EQ(weighted.open[0].with, std::vector<std::string>{"b"});
    auto odd = search(telling(
        {1, 0.8}, [](Values v) -> std::vector<double> { return {v[0] * std::pow(v[1], 0.37)}; },
        error));
    EXPECT_TRUE(odd.found.empty()) << odd.found.front().words;
  }
}

TEST(CombinationsWithoutAName, WhatIsDeterminedAloneNeedsNone) {
  const auto s = search(telling(
      {1, 2},
      [](Values v) -> std::vector<double> {
        return {v[0], v[1], v[0] * v[1]};
      },
      0.05));
  EXPECT_TRUE(s.found.empty());
  EXPECT_TRUE(s.open.empty());
}

TEST(CombinationsWithoutAName, WhatHasNoEffectIsOpenByItself) {
  const auto s = search(telling(
      {1, 2, 3},
      [](Values v) -> std::vector<double> {
        return {v[0], v[0] * v[0]};
      },
      0.05));
  EXPECT_TRUE(s.found.empty());
  ASSERT_EQ(s.open.size(), 2u);
  for (const OpenUnknown& open : s.open) EXPECT_FALSE(open.felt);
}

// A constant of the model stands in a sum.
TEST(CombinationsWithoutAName, ConstantsOfTheModelTakePart) {
  const auto s = search(
      telling(
          {1, 1}, [](Values v) -> std::vector<double> { return {(v[1] + 0.5) / v[0]}; }, 0.01),
      {{"k2", 0.5}, {"other", 0.13}});
  EXPECT_EQ(formulas(s), std::vector<std::string>{"(b+k2)/a"});
}

// Parameters known to a factor of two by themselves are not open, however they are correlated.
TEST(CombinationsWithoutAName, WhatCannotMoveByAFactorOfThreeIsNotOpen) {
  const auto s = search(telling(
      {1, 2},
      [](Values v) -> std::vector<double> {
        return {v[0] / v[1], 1 + 0.02 * (std::log(v[0]) + std::log(v[1] / 2))};
      },
      0.01));
  EXPECT_TRUE(s.found.empty()) << s.found.front().words;
}

TEST(ValleyStops, EndAtBoundsAndKeepTheirSign) {
  const ValleyStops up = valley_stops({"k", -1, 1, 0, Scale::log10}, 0.2, 1);
  ASSERT_EQ(up.thetas.size(), 3u);
  EXPECT_NEAR(up.thetas[1], 0.2 + std::log10(3.0), 1e-12);
  EXPECT_EQ(up.test, 1);
  EXPECT_EQ(up.thetas.back(), 1);
  const ValleyStops down = valley_stops({"k", 0, 10, 1, Scale::lin}, 2, -1);
  EXPECT_NEAR(down.thetas[static_cast<std::size_t>(down.test)], 2.0 / 3, 1e-12);
  EXPECT_EQ(down.thetas.back(), 0);
  for (double t : down.thetas) EXPECT_GE(t, 0);
  const ValleyStops none = valley_stops({"k", 0, 10, 1, Scale::lin}, 10, 1);
  EXPECT_EQ(none.test, -1);
}

}  // namespace
