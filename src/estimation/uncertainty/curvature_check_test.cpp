// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/curvature_check.h"

#include <gtest/gtest.h>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"

using namespace stiffit::internal;

namespace {

std::vector<std::string> curved(const Objective& o, long& evaluations) {
  std::vector<double> x;
  for (const EstimatedParameter& u : o.unknowns()) x.push_back(u.start);
  const LocalFit best = fit_trust_region(o, x, {});
  std::vector<std::string> names;
  for (std::size_t i : curved_unknowns(o, best, fit_statistics(o, best), 1, evaluations))
    names.push_back(o.unknowns()[i].id);
  return names;
}

using Names = std::vector<std::string>;

TEST(CurvatureCheck, OfALinearModelThereIsNone) {
  for (bool unknown_noise : {false, true}) {
    const TrialLeastSquares problem(
        {{"a", -100, 100, 0}, {"b", -100, 100, 0}},
        [](std::span<const double> p) -> std::vector<double> {
          return {p[0] - 1, p[0] + p[1] - 3, p[0] + 2 * p[1] - 2, p[0] + 3 * p[1] - 5};
        },
        unknown_noise);
    long evaluations = 0;
    EXPECT_EQ(curved(problem, evaluations), Names());
    EXPECT_EQ(evaluations, 4);
  }
}

// What is bent is named, and what stands beside it is not: an exponential, and a valley whose floor
// is as flat as a line though the others have to move to stay in it.
TEST(CurvatureCheck, NamesWhatIsBent) {
  const TrialLeastSquares problem(
      {{"a", -9, 9, 0.5}, {"b", -9, 9, 0.5}, {"c", -90, 90, 0.5}},
      [](std::span<const double> p) -> std::vector<double> {
        return {2 * (std::exp(p[0]) - 2), 3 * (p[1] - 1), 5 * (p[2] - 4)};
      });
  long evaluations = 0;
  EXPECT_EQ(curved(problem, evaluations), Names{"a"});
  const TrialLeastSquares valley({{"a", -9, 9, 0.5}, {"b", -90, 90, 0.5}},
                                 [](std::span<const double> p) -> std::vector<double> {
                                   return {p[0] - 1, 20 * (p[1] - p[0] * p[0])};
                                 });
  const Names found = curved(valley, evaluations);
  EXPECT_NE(std::find(found.begin(), found.end(), "b"), found.end());
}

}  // namespace
