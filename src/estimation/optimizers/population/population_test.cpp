// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimation/optimizers/population/population_fit.h"
#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"

using namespace stiffit::internal;

namespace {

// Ten by ten hollows; the deepest is at (0.7, -1.3), and every descent from elsewhere ends in
// another one.
TrialLeastSquares hollows(double lower = -5) {
  return TrialLeastSquares(
      {{"x", lower, 5, 3.6}, {"y", -5, 5, 3.2}}, [](std::span<const double> p) {
        std::vector<double> r;
        for (auto [at, place] : {std::pair{p[0], 0.7}, std::pair{p[1], -1.3}}) {
          const double d = at - place;
          r.push_back(0.5 * d);
          r.push_back(2 * std::sin(std::numbers::pi * d));
        }
        return r;
      });
}

PopulationOptions options_for(PopulationKind kind, const Objective& objective,
                              std::span<const double> start = {}) {
  PopulationOptions o;
  o.search.kind = kind;
  o.search.seed = 7;
  place_population(objective.unknowns(), start, 0, o.search);
  return o;
}

constexpr PopulationKind all_kinds[] = {PopulationKind::evolution, PopulationKind::cma_es,
                                        PopulationKind::differential_evolution};

TEST(Population, FindsTheDeepestOfManyHollows) {
  const TrialLeastSquares objective = hollows();
  const std::vector<double> start{3.6, 3.2};
  EXPECT_GT(fit_trust_region(objective, start, {}).at.value, 0.5) << "the trial is too easy";
  for (PopulationKind kind : all_kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    PopulationOptions o = options_for(kind, objective);
    o.search.restarts = 6;
    if (kind == PopulationKind::evolution) o.search.parents = 40, o.search.offspring = 280;
    const LocalFit fit = fit_population(objective, start, {}, o);
    ASSERT_TRUE(fit.usable()) << fit.message;
    EXPECT_NEAR(fit.x[0], 0.7, 1e-3);
    EXPECT_NEAR(fit.x[1], -1.3, 1e-3);
    EXPECT_EQ(fit.at.fisher.size(), 4u);
  }
}

TEST(Population, TheOptionsOfTheEvolutionStrategyFindItToo) {
  const TrialLeastSquares objective = hollows();
  for (Recombination how : {Recombination::discrete, Recombination::intermediate})
    for (bool plus : {false, true}) {
      PopulationOptions o = options_for(PopulationKind::evolution, objective);
      o.search.recombination = how;
      o.search.plus = plus;
      o.search.parents = 20;
      o.search.offspring = 140;
      o.generations = 80;
      const LocalFit fit = fit_population(objective, std::vector<double>{3.6, 3.2}, {}, o);
      EXPECT_LT(fit.at.value, 1e-3) << plus;
      EXPECT_LE(fit.iterations, 80);
      EXPECT_LE(fit.values, 80 * 140 + 1);
    }
}

// Along a narrow curved valley only step sizes that adapt get anywhere.
TEST(Population, FollowsACurvedValley) {
  const TrialLeastSquares objective = trial_rosenbrock();
  for (PopulationKind kind : {PopulationKind::cma_es, PopulationKind::differential_evolution}) {
    const LocalFit fit =
        fit_population(objective, std::vector<double>{-1.2, 1}, {}, options_for(kind, objective));
    EXPECT_LT(fit.at.value, 1e-8) << static_cast<int>(kind);
    EXPECT_EQ(fit.outcome, FitOutcome::converged);
  }
}

TEST(Population, KeepsToTheBounds) {
  const TrialLeastSquares objective = hollows(1.5);  // the deepest hollow is outside
  for (PopulationKind kind : all_kinds) {
    PopulationOptions o = options_for(kind, objective);
    const LocalFit fit = fit_population(objective, std::vector<double>{3.6, 3.2}, {}, o);
    EXPECT_GE(fit.x[0], 1.5);
    EXPECT_NEAR(fit.x[1], -1.3, 1e-2) << static_cast<int>(kind);
  }
  EXPECT_EQ(reflected(-0.25, 0, 1), 0.25);
  EXPECT_EQ(reflected(3.25, 0, 1), 0.75);
  EXPECT_EQ(reflected(-3.25, 0, 1), 0.75);
  EXPECT_EQ(reflected(-2, 0, INFINITY), 2);
  EXPECT_EQ(reflected(7, 4, 4), 4);
}

TEST(Population, PointsThatFailAreNoIndividuals) {
  TrialLeastSquares objective = hollows();
  objective.fails = [](std::span<const double> p) { return p[0] < 0; };
  for (PopulationKind kind : all_kinds) {
    const LocalFit fit =
        fit_population(objective, std::vector<double>{3.6, 3.2}, {}, options_for(kind, objective));
    EXPECT_GT(fit.failures, 0);
    EXPECT_LT(fit.at.value, 0.6) << static_cast<int>(kind);
  }
  objective.fails = [](std::span<const double>) { return true; };
  PopulationOptions o = options_for(PopulationKind::evolution, objective);
  o.generations = 3;
  const LocalFit fit = fit_population(objective, std::vector<double>{3.6, 3.2}, {}, o);
  EXPECT_EQ(fit.outcome, FitOutcome::failed);
  EXPECT_NE(fit.message.find("cannot be integrated"), std::string::npos) << fit.message;
}

TEST(Population, SeedsRepeatAndAKeptStateGoesOn) {
  const TrialLeastSquares objective = hollows();
  const std::vector<double> start{3.6, 3.2};
  for (PopulationKind kind : all_kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    PopulationOptions o = options_for(kind, objective);
    o.generations = 30;
    const LocalFit whole = fit_population(objective, start, {}, o);
    o.threads = 3;
    std::string kept;
    o.on_generation = [&](long generation, double value, std::span<const double> best,
                          const std::function<std::string()>& state) {
      EXPECT_EQ(objective.evaluate(best, Need::value).value, value);
      if (generation == 11) kept = state();
    };
    EXPECT_EQ(fit_population(objective, start, {}, o).x, whole.x);
    o.on_generation = nullptr;
    o.resume = kept;
    const LocalFit rest = fit_population(objective, start, {}, o);
    EXPECT_EQ(rest.x, whole.x);
    EXPECT_EQ(rest.values, whole.values);
    o.resume = kept.substr(0, kept.size() / 2);
    EXPECT_THROW(fit_population(objective, start, {}, o), BadRecord);
    o.resume.clear();
    o.search.seed = 8;
    EXPECT_NE(fit_population(objective, start, {}, o).x, whole.x);
  }
}

TEST(Population, ADescentEndsIt) {
  const TrialLeastSquares objective = trial_rosenbrock();
  PopulationOptions o = options_for(PopulationKind::evolution, objective);
  o.generations = 5;
  const LocalFit rough = fit_population(objective, std::vector<double>{-1.2, 1}, {}, o);
  o.polish = fit_trust_region;
  const LocalFit fine = fit_population(objective, std::vector<double>{-1.2, 1}, {}, o);
  EXPECT_GT(rough.at.value, 1e-8);
  EXPECT_LT(fine.at.value, 1e-12);
  EXPECT_EQ(fine.outcome, FitOutcome::converged);
  EXPECT_GT(fine.gradients, 0);
}

}  // namespace
