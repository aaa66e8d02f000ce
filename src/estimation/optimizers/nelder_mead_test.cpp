// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/nelder_mead.h"

#include <gtest/gtest.h>

#include "estimation/optimizers/trial_objectives.h"

namespace stiffit::internal {
namespace {

using Residuals = std::vector<double>;

std::vector<EstimatedParameter> between(double lower, double upper, int count) {
  return std::vector<EstimatedParameter>(static_cast<std::size_t>(count), {"x", lower, upper, 0});
}

// Counts what is asked for, and by how much the bounds are left.
class Watched : public TrialLeastSquares {
 public:
  using TrialLeastSquares::TrialLeastSquares;
  Evaluation evaluate(std::span<const double> theta, Need need) const override {
    ++(need == Need::value ? values : derivatives);
    for (std::size_t i = 0; i < theta.size(); ++i)
      outside += theta[i] < unknowns()[i].lower || theta[i] > unknowns()[i].upper;
    return TrialLeastSquares::evaluate(theta, need);
  }
  mutable long values = 0, derivatives = 0, outside = 0;
};

TEST(NelderMead, NeedsValuesAloneAndCountsThem) {
  const Watched valley(between(-5, 5, 2), [](std::span<const double> p) {
    return Residuals{10 * (p[1] - p[0] * p[0]), 1 - p[0]};
  });
  const LocalFit fit = fit_nelder_mead(valley, std::vector<double>{-1.2, 1}, {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_EQ(fit.values, valley.values);
  EXPECT_EQ(fit.gradients, 1);  // at the end, for whoever wants statistics
  EXPECT_EQ(valley.derivatives, 1);
  EXPECT_EQ(fit.at.fisher.size(), 4u);
  EXPECT_NEAR(fit.x[0], 1, 1e-4);
  EXPECT_NEAR(fit.start_value, 0.5 * 24.2, 1e-12);
  EXPECT_LT(valley.values, 400);
}

// Problems 13, 17 and 20 of More, Garbow, Hillstrom (1981), with their starts and minima.
TEST(NelderMead, FindsPublishedMinima) {
  const TrialLeastSquares powell(between(-10, 10, 4), [](std::span<const double> p) {
    return Residuals{p[0] + 10 * p[1], std::sqrt(5) * (p[2] - p[3]),
                     (p[1] - 2 * p[2]) * (p[1] - 2 * p[2]),
                     std::sqrt(10) * (p[0] - p[3]) * (p[0] - p[3])};
  });
  LocalFit fit = fit_nelder_mead(powell, std::vector<double>{3, -1, 0, 1}, {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_LT(fit.at.value, 1e-8);

  static const double osborne_y[] = {0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818,
                                     0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558,
                                     0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438,
                                     0.431, 0.424, 0.420, 0.414, 0.411, 0.406};
  const TrialLeastSquares osborne(
      between(-4, 4, 5),
      [](std::span<const double> p) {
        Residuals r;
        for (int i = 0; i < 33; ++i) {
          const double t = 10 * i;
          r.push_back(p[0] + p[1] * std::exp(-t * p[3]) + p[2] * std::exp(-t * p[4]) -
                      osborne_y[i]);
        }
        return r;
      },
      true);  // noise of unknown size: units are those of the residuals
  fit = fit_nelder_mead(osborne, std::vector<double>{0.5, 1.5, -1, 0.01, 0.02}, {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_NEAR(fit.at.chi2, 5.46489e-5, 1e-9);

  const TrialLeastSquares watson(between(-10, 10, 6), [](std::span<const double> p) {
    Residuals r;
    for (int i = 1; i <= 29; ++i) {
      double slope = 0, sum = 0;
      for (std::size_t j = 6; j-- > 0;) {
        if (j > 0) slope = slope * i / 29 + static_cast<double>(j) * p[j];
        sum = sum * i / 29 + p[j];
      }
      r.push_back(slope - sum * sum - 1);
    }
    r.push_back(p[0]);
    r.push_back(p[1] - p[0] * p[0] - 1);
    return r;
  });
  fit = fit_nelder_mead(watson, std::vector<double>(6, 0.0), {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_NEAR(fit.at.chi2, 2.28767e-3, 1e-7);
}

// The bound holds the minimum: on it the valley is y = x^2, and x = 1/2 the nearest to 1.
TEST(NelderMead, EndsAtABoundAndNeverLooksBeyond) {
  std::vector<EstimatedParameter> unknowns{{"x", -5, 0.5, -1.2}, {"y", -5, 5, 1}};
  const Watched bounded(unknowns, [](std::span<const double> p) {
    return Residuals{10 * (p[1] - p[0] * p[0]), 1 - p[0]};
  });
  for (const std::vector<double>& start : {std::vector<double>{-1.2, 1}, {0.5, -5}, {0.5, 0.25}}) {
    const LocalFit fit = fit_nelder_mead(bounded, start, {});
    EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
    EXPECT_NEAR(fit.x[0], 0.5, 1e-6);
    EXPECT_NEAR(fit.x[1], 0.25, 1e-4);
  }
  EXPECT_EQ(bounded.outside, 0);
}

// McKinnon (SIAM J. Optim. 9 (1998) 148): from this simplex every move is a contraction towards
// (0, 0), which is no minimum: y falls further. Coordinates are such that the first simplex, with
// edges of 0.5 along the axes, is his.
TEST(NelderMead, ASimplexThatHasLostItsWayIsReplaced) {
  const double root = std::sqrt(33.0), second[] = {(1 + root) / 8, (1 - root) / 8};
  auto place = [&](std::span<const double> p) {
    return std::pair{(p[0] + second[0] * p[1]) / 0.5, (p[0] + second[1] * p[1]) / 0.5};
  };
  const TrialLeastSquares mckinnon(between(-2.5, 2.5, 2), [&](std::span<const double> p) {
    const auto [x, y] = place(p);
    return Residuals{std::sqrt(x < 0 ? 360.0 : 6.0) * x, y + 0.5};
  });
  const LocalFit fit = fit_nelder_mead(mckinnon, std::vector<double>{0, 0}, {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  const auto [x, y] = place(fit.x);
  EXPECT_NEAR(x, 0, 1e-3);
  EXPECT_NEAR(y, -0.5, 1e-3);
}

TEST(NelderMead, GoesAroundWhatCannotBeIntegrated) {
  TrialLeastSquares valley = trial_rosenbrock();
  valley.fails = [](std::span<const double> p) { return p[1] < -0.1 || p[0] + p[1] > 2.2; };
  LocalFit fit = fit_nelder_mead(valley, std::vector<double>{-1.2, 1}, {});
  EXPECT_EQ(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_NEAR(fit.x[0], 1, 1e-4);
  EXPECT_GT(fit.failures, 0);
  fit = fit_nelder_mead(valley, std::vector<double>{0, -3}, {});
  EXPECT_EQ(fit.outcome, FitOutcome::failed);
  EXPECT_EQ(fit.message, "cannot be integrated here");
  EXPECT_TRUE(std::isnan(fit.start_value));
}

TEST(NelderMead, SaysHowItEnds) {
  const TrialLeastSquares valley = trial_rosenbrock();
  LocalOptions few;
  few.max_iterations = 5;
  std::vector<double> seen;
  few.on_step = [&](std::span<const double>, double value) { seen.push_back(value); };
  LocalFit fit = fit_nelder_mead(valley, std::vector<double>{-1.2, 1}, few);
  EXPECT_EQ(fit.outcome, FitOutcome::iterations);
  EXPECT_EQ(fit.iterations, 5);
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_TRUE(std::is_sorted(seen.rbegin(), seen.rend()));

  const std::atomic<bool> stop = true;
  LocalOptions stopped;
  stopped.interrupt = &stop;
  EXPECT_EQ(fit_nelder_mead(valley, std::vector<double>{-1.2, 1}, stopped).outcome,
            FitOutcome::interrupted);

  const TrialLeastSquares plateau(between(-1, 1, 2),
                                  [](std::span<const double>) { return Residuals{1}; });
  EXPECT_EQ(fit_nelder_mead(plateau, std::vector<double>{0, 0}, {}).outcome, FitOutcome::flat);

  // A corner in the value: it ends there, and the derivatives beside it say otherwise.
  const TrialLeastSquares corner(between(-1, 1, 2), [](std::span<const double> p) {
    return Residuals{1 + std::sqrt(std::abs(p[0] - 0.3)), 1 + std::sqrt(std::abs(p[1]))};
  });
  fit = fit_nelder_mead(corner, std::vector<double>{0.9, 0.7}, {});
  EXPECT_NE(fit.outcome, FitOutcome::converged) << fit.message;
  EXPECT_NEAR(fit.x[0], 0.3, 1e-3);
}

}  // namespace
}  // namespace stiffit::internal
