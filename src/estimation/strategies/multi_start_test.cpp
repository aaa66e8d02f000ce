// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/multi_start.h"

#include <gtest/gtest.h>

#include <set>

#include "estimation/optimizers/gauss_newton.h"
#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"

using namespace stiffit::internal;

namespace {

// Two minima: near x = -1 (value 0 up to the tilt) and near x = 1 (higher).
TrialLeastSquares double_well() {
  return TrialLeastSquares({{"x", -3, 3, 0.5}, {"y", -3, 3, 0}},
                           [](std::span<const double> p) -> std::vector<double> {
                             return {4 * (p[0] * p[0] - 1), p[0] + 1, p[1] - 0.3};
                           });
}

MultiStartOptions options_of(std::size_t starts, int threads) {
  MultiStartOptions o;
  o.method = fit_trust_region;
  o.starts = starts;
  o.threads = threads;
  o.screened = 3;
  return o;
}

TEST(Starts, LatinHypercubeAndSobolCoverTheBounds) {
  std::vector<EstimatedParameter> unknowns{{"a", -2, 3, 0}, {"b", 10, 20, 15}};
  Quantile box = uniform_in_bounds(unknowns);
  auto latin = sample_starts(unknowns, 50, Sampling::latin_hypercube, 7, box);
  for (std::size_t j = 0; j < 2; ++j) {
    std::set<int> slices;
    for (auto& p : latin) {
      double u = (p[j] - unknowns[j].lower) / (unknowns[j].upper - unknowns[j].lower);
      ASSERT_TRUE(u > 0 && u < 1);
      slices.insert(static_cast<int>(u * 50));
    }
    EXPECT_EQ(slices.size(), 50u);
  }
  EXPECT_EQ(latin, sample_starts(unknowns, 50, Sampling::latin_hypercube, 7, box));
  EXPECT_NE(latin, sample_starts(unknowns, 50, Sampling::latin_hypercube, 8, box));
  auto sobol = sample_starts(unknowns, 64, Sampling::sobol, 7, box);
  std::set<std::pair<int, int>> cells;
  for (auto& p : sobol)
    cells.insert({static_cast<int>((p[0] + 2) / 5 * 4), static_cast<int>((p[1] - 10) / 10 * 4)});
  EXPECT_EQ(cells.size(), 16u);
}

TEST(Starts, UnknownsWithoutBounds) {
  double inf = std::numeric_limits<double>::infinity();
  std::vector<EstimatedParameter> unknowns{{"a", -inf, inf, 2}, {"b", 0, inf, 5}};
  for (auto& p : sample_starts(unknowns, 20, Sampling::uniform, 1, uniform_in_bounds(unknowns))) {
    EXPECT_TRUE(std::isfinite(p[0]) && std::isfinite(p[1]));
    EXPECT_GE(p[1], 0);
  }
}

TEST(MultiStart, SameAnswerForAnyThreads) {
  TrialLeastSquares problem = double_well();
  auto one = MultiStart(problem, options_of(12, 1)).run();
  auto four = MultiStart(problem, options_of(12, 4)).run();
  ASSERT_EQ(one.size(), 12u);
  ASSERT_EQ(four.size(), 12u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].fit.x, four[i].fit.x);
    EXPECT_EQ(one[i].values, four[i].values);
  }
}

TEST(MultiStart, ReportsBothMinima) {
  TrialLeastSquares problem = double_well();
  MultiStartOptions options = options_of(20, 2);
  options.screened = 1;
  options.replacements = 0;
  options.given = {{0.8, 0}};
  auto results = MultiStart(problem, options).run();
  EXPECT_TRUE(results[0].given);
  EXPECT_GT(results[0].fit.x[0], 0);  // the basin of the given start
  auto minima = distinct_minima(problem, results);
  ASSERT_EQ(minima.size(), 2u);
  EXPECT_EQ(minima[0].starts + minima[1].starts, 20u);
  EXPECT_NEAR(results[minima[0].result].fit.x[0], -1, 1e-3);
  EXPECT_NEAR(results[minima[1].result].fit.x[0], (1 + std::sqrt(0.875)) / 2, 1e-3);
  auto order = ranked(results);
  for (std::size_t k = 1; k < order.size(); ++k)
    EXPECT_LE(results[order[k - 1]].fit.at.value, results[order[k]].fit.at.value);
}

TEST(MultiStart, CandidatesThatFailAreScreenedOutAndCounted) {
  TrialLeastSquares problem = double_well();
  problem.fails = [](std::span<const double> p) { return p[1] > 0.5 || p[1] < -1; };
  MultiStartOptions options = options_of(10, 2);
  options.screened = 8;
  auto results = MultiStart(problem, options).run();
  long failed = 0;
  for (auto& r : results) {
    EXPECT_EQ(r.fit.outcome, FitOutcome::converged);
    EXPECT_EQ(r.screened, 8);
    failed += r.screening_failures;
  }
  EXPECT_GT(failed, 20);
}

// Half of the box is a plateau; every start leaves it for another candidate.
TEST(MultiStart, PlateausAreLeft) {
  TrialLeastSquares problem({{"a", -10, 10, 0}, {"b", -10, 10, 0}}, [](std::span<const double> p) {
    std::vector<double> r;
    for (double t : {0.5, 1.0, 2.0, 4.0})
      r.push_back(std::exp(p[0] - std::exp(p[1]) * t) - 5 * std::exp(-0.3 * t));
    return r;
  });
  MultiStartOptions options = options_of(8, 2);
  options.screened = 3;
  options.given = {{0, 6}};
  auto results = MultiStart(problem, options).run();
  EXPECT_EQ(results[0].fit.outcome, FitOutcome::flat);
  std::size_t converged = 0;
  for (std::size_t i = 1; i < results.size(); ++i)
    converged += results[i].fit.outcome == FitOutcome::converged;
  EXPECT_GE(converged, 5u);
  mark_plateaus(problem, results);
  auto minima = distinct_minima(problem, results);
  ASSERT_EQ(minima.size(), 1u);
  EXPECT_NEAR(std::exp(results[minima[0].result].fit.x[1]), 0.3, 1e-3);
}

TEST(MultiStart, FinishedStartsAreNotRunAgain) {
  TrialLeastSquares problem = double_well();
  auto whole = MultiStart(problem, options_of(6, 1)).run();
  MultiStart again(problem, options_of(6, 1));
  again.finished = {whole[1], whole[4]};
  std::vector<std::size_t> ran;
  again.on_finished = [&](const StartResult& r) { ran.push_back(r.index); };
  auto results = again.run();
  EXPECT_EQ(ran, (std::vector<std::size_t>{0, 2, 3, 5}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(results[i].fit.x, whole[i].fit.x);
}

TEST(MultiStart, InterruptKeepsWhatIsThere) {
  TrialLeastSquares problem = double_well();
  std::atomic<bool> stop{false};
  MultiStartOptions options = options_of(50, 1);
  options.local.interrupt = &stop;
  MultiStart multi(problem, options);
  int seen = 0;
  multi.on_finished = [&](const StartResult&) { stop = ++seen == 3; };
  EXPECT_EQ(multi.run().size(), 3u);
}

}  // namespace
