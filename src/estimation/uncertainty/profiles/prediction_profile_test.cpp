// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/profiles/prediction_profile.h"

#include <gtest/gtest.h>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/statistics.h"

using namespace stiffit::internal;

namespace {

LocalFit fitted(const Objective& o) {
  std::vector<double> x;
  for (const EstimatedParameter& u : o.unknowns()) x.push_back(u.start);
  return fit_trust_region(o, x, {});
}

// A line a + b t through data at 0, 1, 2, 3, predicted at 7: the limits are those of linear
// regression, a + 7 b -+ q s sqrt(1/4 + (7 - 1.5)^2/5).
TEST(PredictionProfile, OfALineIsThatOfLinearRegression) {
  for (const double level : {0.9, 0.95, 0.99})
    for (const bool unknown_noise : {false, true}) {
      const std::vector<EstimatedParameter> unknowns{{"a", -100, 100, 0}, {"b", -100, 100, 0}};
      const TrialLeastSquares data(
          unknowns,
          [](std::span<const double> p) -> std::vector<double> {
            return {p[0] - 1, p[0] + p[1] - 3, p[0] + 2 * p[1] - 2, p[0] + 3 * p[1] - 5};
          },
          unknown_noise);
      const TrialLeastSquares prediction(
          unknowns, [](std::span<const double> p) { return std::vector<double>{p[0] + 7 * p[1]}; });
      ProfileOptions options;
      options.level = level;
      options.min_points = 9;
      const PredictionProfile p = profile_prediction(data, fitted(data), prediction, "y", options);
      const double s2 = unknown_noise ? 2.7 / 2 : 1;
      const double half = std::sqrt(single_quantile(data, level) * s2 * (0.25 + 5.5 * 5.5 / 5));
      EXPECT_NEAR(p.estimate, 1.1 + 7 * 1.1, 1e-4);
      ASSERT_EQ(p.lower.stop, ProfileStop::threshold) << p.lower.message;
      ASSERT_EQ(p.upper.stop, ProfileStop::threshold) << p.upper.message;
      EXPECT_NEAR(p.lower.limit, p.estimate - half, 1e-3 * half);
      EXPECT_NEAR(p.upper.limit, p.estimate + half, 1e-3 * half);
      EXPECT_GE(p.lower.points.size(), 9u);
    }
}

// A parameter's own profile is that of the prediction exp(parameter), whose limits are the
// exponentials of the parameter's, though it is far from linear.
TEST(PredictionProfile, AgreesWithTheProfileOfWhatItIsAFunctionOf) {
  const std::vector<EstimatedParameter> unknowns{{"a", -10, 10, 0.2}, {"b", -10, 10, 0.3}};
  const TrialLeastSquares data(unknowns, [](std::span<const double> p) -> std::vector<double> {
    return {2 * (p[0] - 1), 3 * (p[1] - p[0] * p[0])};
  });
  const TrialLeastSquares prediction(
      unknowns, [](std::span<const double> p) { return std::vector<double>{std::exp(3 * p[0])}; });
  const PredictionProfile p = profile_prediction(data, fitted(data), prediction, "y", {});
  const double half = std::sqrt(single_quantile(data, 0.95)) / 2;
  EXPECT_NEAR(std::log(p.lower.limit) / 3, 1 - half, 2e-3 * half);
  EXPECT_NEAR(std::log(p.upper.limit) / 3, 1 + half, 2e-3 * half);
}

// What the data do not tell can be predicted only as far as the model goes: a share lies below one.
TEST(PredictionProfile, EndsWhereTheModelDoes) {
  const std::vector<EstimatedParameter> unknowns{{"a", -4, 4, 0.2}, {"b", -6, 6, 0}};
  const TrialLeastSquares data(
      unknowns, [](std::span<const double> p) -> std::vector<double> { return {5 * (p[0] - 1)}; });
  const TrialLeastSquares prediction(unknowns, [](std::span<const double> p) {
    return std::vector<double>{1 / (1 + std::exp(-p[1]))};
  });
  const PredictionProfile p = profile_prediction(data, fitted(data), prediction, "share", {});
  EXPECT_EQ(p.upper.stop, ProfileStop::bound) << p.upper.message;
  EXPECT_NEAR(p.upper.limit, 1 / (1 + std::exp(-6.0)), 1e-3);
  EXPECT_NEAR(p.lower.limit, 1 / (1 + std::exp(6.0)), 1e-3);
}

}  // namespace
