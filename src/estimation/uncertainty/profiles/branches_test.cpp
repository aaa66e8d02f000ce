// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/profiles/branches.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/statistics.h"

using namespace stiffit::internal;

namespace {

// With w = exp(-u), which is nothing on the plateau around the best fit, k goes up to
// 1 + c w + sqrt(3.84 - 4 w^2)/10, whose largest is in closed form.
TEST(Branches, AnUnknownReachesFurtherWhereAnotherHasLeftAPlateau) {
  for (double c : {0.5, -0.8, 0.0}) {
    const TrialLeastSquares problem({{"u", -3, 30, 20}, {"k", -9, 9, 1.2}},
                                    [&](std::span<const double> p) {
                                      const double w = std::exp(-p[0]);
                                      return std::vector<double>{10 * (p[1] - 1 - c * w), 2 * w};
                                    });
    const LocalFit best = fit_trust_region(problem, std::vector<double>{20, 1.2}, {});
    ASSERT_GT(best.x[0], 10);
    const double threshold = single_quantile(problem, 0.95), local = 0.1 * std::sqrt(threshold);
    std::vector<Profile> profiles(1);
    profiles[0].lower.direction = -1;
    for (ProfileSide* side : {&profiles[0].lower, &profiles[0].upper})
      profile_side(problem, best, 0, {}, *side);
    // Those of k are of the plateau.
    const std::vector<Limits> limits{{profiles[0].lower.limit, std::nan("")},
                                     {1 - local, 1 + local}};
    long evaluations = 0;
    const std::vector<Branch> found =
        branches_beyond(problem, best, limits, profiles, 0.95, 1, evaluations);
    EXPECT_LE(evaluations, 6);
    if (c == 0) {
      EXPECT_TRUE(found.empty());
      continue;
    }
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].unknown, 1u);
    EXPECT_EQ(found[0].direction, c > 0 ? 1 : -1);
    const ProfileSide side = follow_branch(problem, best, found[0], {});
    ASSERT_TRUE(has_ended(side));
    const double furthest = std::sqrt(threshold * (c * c / 4 + 0.01));
    const Limits stretch = stretch_of(best, found[0], side, Scale::lin);
    EXPECT_NEAR(c > 0 ? stretch.high : stretch.low, 1 + (c > 0 ? furthest : -furthest),
                0.01 * furthest);
    EXPECT_NEAR(c > 0 ? stretch.low : stretch.high, best.x[1], 1e-9);
  }
}

}  // namespace
