// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/continuation_levels.h"

#include <gtest/gtest.h>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/strategies/multi_start.h"

using namespace stiffit::internal;

namespace {

// A sine seen until `end`: out of step there are many minima, and the more the longer it is.
TrialLeastSquares sine(double end) {
  return TrialLeastSquares({{"w", 0.3, 6, 1}}, [end](std::span<const double> p) {
    std::vector<double> r;
    for (double t = 0; t <= end; t += 0.1) r.push_back(std::sin(p[0] * t) - std::sin(2.3 * t));
    return r;
  });
}

ContinuationLevel level_of(const Objective& objective) {
  return {[&objective](std::span<const double> start, const LocalOptions& options) {
            return fit_trust_region(objective, start, options);
          },
          [&objective](std::span<const std::vector<double>> x) { return objective.values(x, 1); }};
}

TEST(ContinuationResult, StaysInStep) {
  const TrialLeastSquares first = sine(1.5), second = sine(5), all = sine(40);
  const std::vector<double> start{1.2};
  EXPECT_GT(fit_trust_region(all, start, {}).at.value, 1) << "the trial is too easy";
  const ContinuationResult up =
      run_continuation({level_of(first), level_of(second)}, {start, {5.5}}, 2, {});
  ASSERT_FALSE(up.arrived.empty());
  EXPECT_NEAR(up.arrived[0][0], 2.3, 1e-2);
  EXPECT_LT(fit_trust_region(all, up.arrived[0], {}).at.value, 1e-9);
  EXPECT_GT(up.gradients, 0);
}

TEST(ContinuationResult, StartsClimbTheSameOverAnyThreads) {
  const TrialLeastSquares first = sine(1.5), second = sine(5), all = sine(40);
  auto run = [&](int threads) {
    MultiStartOptions o;
    o.method = fit_trust_region;
    o.continuation_levels = {{level_of(first), level_of(second)}};
    o.candidate_pool = 3;
    o.starts = 6;
    o.threads = threads;
    return MultiStart(all, o).run();
  };
  const auto one = run(1), three = run(3);
  ASSERT_EQ(one.size(), 6u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].fit.x, three[i].fit.x);
    EXPECT_EQ(one[i].gradients, three[i].gradients);
    EXPECT_LT(one[i].fit.at.value, 1e-9);
  }
}

TEST(ContinuationResult, CandidatesThatCannotBeEvaluatedStayBehind) {
  TrialLeastSquares first = sine(1.5);
  first.fails = [](std::span<const double> x) { return x[0] > 5; };
  const ContinuationResult up = run_continuation({level_of(first)}, {{5.5}, {1.5}}, 2, {});
  ASSERT_EQ(up.arrived.size(), 1u);
  EXPECT_GT(up.failures, 0);
  // If none can, all are handed on as they are.
  first.fails = [](std::span<const double>) { return true; };
  EXPECT_EQ(run_continuation({level_of(first)}, {{5.5}, {1.5}}, 2, {}).arrived.size(), 2u);
}

}  // namespace
