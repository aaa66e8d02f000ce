// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/profile.h"

#include <gtest/gtest.h>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/statistics.h"

using namespace stiffit::internal;

namespace {

LocalFit found_fit(const Objective& o) {
  std::vector<double> x;
  for (const EstimatedParameter& u : o.unknowns()) x.push_back(u.start);
  return fit_trust_region(o, x, {});
}

Profile profile_of(const Objective& o, std::size_t unknown, ProfileOptions options = {}) {
  LocalFit best = found_fit(o);
  Profile p;
  p.unknown = unknown;
  p.lower.direction = -1;
  profile_side(o, best, unknown, options, p.lower);
  profile_side(o, best, unknown, options, p.upper);
  p.verdict = profile_verdict(o.unknowns()[unknown], best.x[unknown], p);
  return p;
}

// Of a linear model the profile is the parabola of the statistics.
TEST(Profile, LinearModelGivesTheLinearLimits) {
  for (bool unknown_noise : {false, true}) {
    TrialLeastSquares problem(
        {{"a", -100, 100, 0}, {"b", -100, 100, 0}},
        [](std::span<const double> p) -> std::vector<double> {
          return {p[0] - 1, p[0] + p[1] - 3, p[0] + 2 * p[1] - 2, p[0] + 3 * p[1] - 5};
        },
        unknown_noise);
    FitStatistics s = fit_statistics(problem, found_fit(problem));
    for (std::size_t i : {0u, 1u}) {
      Profile p = profile_of(problem, i);
      EXPECT_EQ(p.lower.stop, ProfileStop::threshold) << p.lower.message;
      EXPECT_EQ(p.upper.stop, ProfileStop::threshold) << p.upper.message;
      double half = s.each[i].free_single;
      EXPECT_NEAR(p.lower.limit, 1.1 - half, 0.01 * half);
      EXPECT_NEAR(p.upper.limit, 1.1 + half, 0.01 * half);
    }
  }
}

TEST(Profile, ProductIsFlatToTheBounds) {
  TrialLeastSquares problem(
      {{"a", -3, 3, 0.5, Scale::log10}, {"b", -6, 6, 0.1, Scale::log10}},
      [](std::span<const double> p) -> std::vector<double> {
        return {50 * (std::pow(10, p[0] + p[1]) - 2), 50 * (std::pow(10, p[0] + p[1]) - 2.05)};
      });
  Profile p = profile_of(problem, 0);
  EXPECT_EQ(p.lower.stop, ProfileStop::flat) << p.lower.message;
  EXPECT_EQ(p.upper.stop, ProfileStop::flat) << p.upper.message;
  EXPECT_EQ(p.verdict, "not determined: no value within its bounds fits worse");
  EXPECT_LT(p.lower.points.size(), 30u);
}

// k only matters above 1: an upper limit, and the lower bound below it.
TEST(Profile, OneSided) {
  TrialLeastSquares problem({{"k", -4, 4, -1, Scale::log10}, {"b", -10, 10, 1}},
                            [](std::span<const double> p) -> std::vector<double> {
                              double k = std::pow(10, p[0]);
                              return {10 * (k / (1 + k) - 0.01), p[1] - 2, p[1] - 2.5};
                            });
  Profile p = profile_of(problem, 0);
  EXPECT_TRUE(p.lower.stop == ProfileStop::bound || p.lower.stop == ProfileStop::flat);
  EXPECT_EQ(p.upper.stop, ProfileStop::threshold);
  // 10 (k/(1+k) - 0.01) = 1.96
  EXPECT_NEAR(std::pow(10, p.upper.limit), 0.206 / 0.794, 0.01);
  EXPECT_EQ(p.verdict.find("one-sided: at most 0.2"), 0u) << p.verdict;
}

TEST(Profile, StopsWhereItCannotBeIntegrated) {
  TrialLeastSquares problem({{"a", -100, 100, 0}, {"b", -100, 100, 0}},
                            [](std::span<const double> p) -> std::vector<double> {
                              return {p[0] - 1, p[0] + p[1] - 3, p[0] + 2 * p[1] - 2};
                            });
  problem.fails = [](std::span<const double> p) { return p[0] > 2; };
  Profile p = profile_of(problem, 0);
  EXPECT_EQ(p.lower.stop, ProfileStop::threshold);
  EXPECT_EQ(p.upper.stop, ProfileStop::unintegrable);
  EXPECT_NE(p.upper.message.find("cannot be integrated here"), std::string::npos);
  EXPECT_GT(p.upper.failures, 0);
}

TEST(Profile, LimitsHold) {
  TrialLeastSquares problem = trial_rosenbrock();
  ProfileOptions options;
  options.max_points = 2;
  Profile p = profile_of(problem, 0, options);
  EXPECT_EQ(p.upper.stop, ProfileStop::limit);
  options.max_points = 60;
  options.max_evaluations = 10;
  p = profile_of(problem, 0, options);
  EXPECT_EQ(p.upper.stop, ProfileStop::limit);
}

TEST(Profile, ABetterFitIsSaid) {
  TrialLeastSquares problem({{"x", -3, 3, 0.9}, {"y", -3, 3, 0}},
                            [](std::span<const double> p) -> std::vector<double> {
                              return {1.5 * (p[0] * p[0] - 1), 0.5 * (p[0] + 1), p[1] - 0.3};
                            });
  LocalOptions careful;
  careful.first_radius = 0.05;
  LocalFit local = fit_trust_region(problem, std::vector<double>{1, 0}, careful);
  ASSERT_GT(local.x[0], 0.8);
  ProfileSide side;
  side.direction = -1;
  profile_side(problem, local, 0, {}, side);
  EXPECT_EQ(side.stop, ProfileStop::better) << side.message;
  EXPECT_LT(side.points.back().value, local.at.value);
}

// A side that goes on from its stored points ends as one that was never stopped.
TEST(Profile, GoesOnFromStoredPoints) {
  TrialLeastSquares problem = trial_rosenbrock();
  LocalFit best = found_fit(problem);
  ProfileOptions options;
  ProfileSide whole;
  profile_side(problem, best, 0, options, whole);
  ASSERT_GT(whole.points.size(), 3u);
  ProfileSide part;
  std::atomic<bool> stop{false};
  options.local.interrupt = &stop;
  int seen = 0;
  profile_side(problem, best, 0, options, part, [&](const ProfilePoint&) { stop = ++seen == 2; });
  EXPECT_FALSE(part.done);
  stop = false;
  profile_side(problem, best, 0, options, part);
  EXPECT_TRUE(part.done);
  EXPECT_EQ(part.limit, whole.limit);
  ASSERT_EQ(part.points.size(), whole.points.size());
  for (std::size_t k = 0; k < whole.points.size(); ++k)
    EXPECT_EQ(part.points[k].x, whole.points[k].x);
}

// Where the ratio jumps, grows like a fourth power or like a square root: the limit is where it
// passes the quantile, on both sides of it.
TEST(Profile, LimitsOfAnyShapeAreClosedInOn) {
  const double wanted = 1.959964;
  struct Shape {
    std::function<double(double)> residual;
    double limit;
  };
  const std::vector<Shape> shapes{
      {[](double x) { return x < 1.7 ? 0.1 * x : 50 + x; }, 1.7},
      {[](double x) { return x < 1.7 ? 1e-3 * x : 1e6 * (x - 1.7); }, 1.7 + 1.959964e-6},
      {[](double x) { return std::pow(x / 3, 5) * 1.959964; }, 3},
      {[](double x) { return 4 * std::copysign(std::sqrt(std::fabs(x)), x); },
       std::pow(1.959964 / 4, 2)},
      {[](double x) { return 0.01 * std::expm1(x); }, std::log1p(195.9964)},
  };
  for (const Shape& shape : shapes) {
    TrialLeastSquares problem({{"a", -10, 10, 0}, {"b", -10, 10, 0}},
                              [&](std::span<const double> p) -> std::vector<double> {
                                return {shape.residual(p[0]), p[1] - 1};
                              });
    LocalFit best = fit_trust_region(problem, std::vector<double>{0, 1}, {});
    best.x[0] = 0;
    best.at = problem.evaluate(best.x, Need::fisher);
    ProfileSide side;
    ProfileOptions options;
    options.min_points = 9;
    profile_side(problem, best, 0, options, side);
    ASSERT_EQ(side.stop, ProfileStop::threshold) << side.message;
    EXPECT_NEAR(side.limit, shape.limit, 2e-2 * shape.limit);
    EXPECT_GE(side.points.size(), 9u);
    EXPECT_LT(std::fabs(shape.residual(side.limit * 0.98)), wanted);
    EXPECT_GT(std::fabs(shape.residual(side.limit * 1.02)), wanted);
    for (std::size_t k = 1; k < side.points.size(); ++k)
      EXPECT_GT(side.points[k].theta, side.points[k - 1].theta);
  }
}

// Of how many orders of magnitude the bounds are wider than the limits, or by what end the limit is
// closed in on, the picture of either side has its points up to the limit.
TEST(Profile, PicturesHaveTheirPointsUpToTheLimit) {
  for (double steep : {0.7, 30.0, 211.0, 1e3, 3.3e4})
    for (double bent : {0.0, 0.004, -0.004, 0.02, -0.02}) {
      const double middle = 0.0537;
      TrialLeastSquares problem(
          {{"a", -190, 190, middle}, {"b", -10, 10, 0}},
          [&](std::span<const double> p) -> std::vector<double> {
            const double far = steep * (p[0] - middle);
            return {far + bent * far * far, p[1] - 1 + 1e-3 * (p[0] - middle)};
          });
      LocalFit best = fit_trust_region(problem, std::vector<double>{middle, 1}, {});
      for (int direction : {-1, 1}) {
        ProfileSide side;
        side.direction = direction;
        ProfileOptions options;
        options.min_points = 9;
        profile_side(problem, best, 0, options, side);
        ASSERT_EQ(side.stop, ProfileStop::threshold) << side.message;
        const auto inside = std::count_if(
            side.points.begin(), side.points.end(),
            [&](const ProfilePoint& point) { return (point.theta - side.limit) * direction <= 0; });
        EXPECT_GE(inside, 9) << steep << ", " << bent << ", " << direction;
      }
    }
}

TEST(Profile, OneUnknownAlone) {
  TrialLeastSquares problem({{"a", -10, 10, 0}}, [](std::span<const double> p) {
    return std::vector<double>{p[0] - 1, p[0] - 2};
  });
  Profile p = profile_of(problem, 0);
  EXPECT_NEAR(p.upper.limit, 1.5 + 1.959964 / std::sqrt(2.0), 0.01);
}

// Values that fit lie in two stretches, with a hill between: both ends of both are found, from
// either of the two minima, and a better one is not passed by.
TEST(Profile, FindsStretchesBeyondAHill) {
  const double wanted = 1.959964 * 1.959964;
  struct Hill {
    double depth;  // of the second minimum at 4, above the first at 0
    bool reached;
  };
  for (const Hill& hill : {Hill{1.0, true}, Hill{3.0, true}, Hill{6.0, false}}) {
    // 2 (value - minimum) is the smaller one of two parabolas.
    auto ratio = [&](double x) { return std::min(9 * x * x, hill.depth + 16 * (x - 4) * (x - 4)); };
    TrialLeastSquares problem({{"a", -10, 10, 0}, {"b", -10, 10, 0}},
                              [&](std::span<const double> p) -> std::vector<double> {
                                const double r = std::sqrt(ratio(p[0]));
                                return {p[0] < 0 ? -r : r, p[1] - 1};
                              });
    LocalFit best = found_fit(problem);
    best.x = {0, 1};
    best.at = problem.evaluate(best.x, Need::fisher);
    best.at.fisher = {9, 0, 0, 1};
    Profile p;
    p.lower.direction = -1;
    ProfileOptions options;
    options.beyond = true;
    profile_side(problem, best, 0, options, p.lower);
    profile_side(problem, best, 0, options, p.upper);
    ASSERT_EQ(p.upper.stop, ProfileStop::threshold) << p.upper.message;
    EXPECT_NEAR(p.upper.limit, std::sqrt(wanted) / 3, 1e-2);
    EXPECT_NEAR(p.lower.limit, -std::sqrt(wanted) / 3, 1e-2);
    EXPECT_TRUE(p.lower.beyond.empty());
    const std::vector<Limits> stretches = profile_stretches(p, Scale::lin);
    ASSERT_EQ(stretches.size(), hill.reached ? 2u : 1u);
    if (!hill.reached) continue;
    const double half = std::sqrt((wanted - hill.depth) / 16);
    EXPECT_NEAR(stretches[1].low, 4 - half, 1e-2);
    EXPECT_NEAR(stretches[1].high, 4 + half, 1e-2);
    const std::string words = profile_verdict(problem.unknowns()[0], 0, p);
    EXPECT_NE(words.find("; only -0.65"), std::string::npos) << words;
  }
}

// The same with the second minimum lower than where the profile began.
TEST(Profile, BeyondAHillABetterFitEndsIt) {
  TrialLeastSquares problem({{"a", -10, 10, 0}}, [&](std::span<const double> p) {
    const double x = p[0];
    return std::vector<double>{std::sqrt(std::min(2 + 9 * x * x, 16 * (x - 4) * (x - 4)))};
  });
  LocalFit best = found_fit(problem);
  best.x = {0};
  best.at = problem.evaluate(best.x, Need::fisher);
  best.at.fisher = {9};
  ProfileSide side;
  ProfileOptions options;
  options.beyond = true;
  profile_side(problem, best, 0, options, side);
  EXPECT_EQ(side.stop, ProfileStop::better) << side.message;
  EXPECT_NEAR(side.points.back().theta, 4, 0.4);
}

}  // namespace
