// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/sampling/mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/normal_draw.h"

using namespace stiffit::internal;

namespace {

// Bent: b follows a^2.
Eigen::MatrixXd bent(int count) {
  SplitMix random(11);
  Eigen::MatrixXd points(2, count);
  for (int k = 0; k < count; ++k) {
    points(0, k) = normal_draw(random);
    points(1, k) = points(0, k) * points(0, k) + 0.1 * normal_draw(random);
  }
  return points;
}

double mean_log(const Mixture& mixture, const Eigen::MatrixXd& points) {
  double sum = 0;
  for (Eigen::Index k = 0; k < points.cols(); ++k) sum += mixture.log_density(points.col(k));
  return sum / static_cast<double>(points.cols());
}

TEST(Mixture, FollowsABentCloud) {
  const Eigen::MatrixXd points = bent(1000);
  const Mixture one = fitted_mixture(points, 1, 1, SplitMix(1));
  const Mixture many = fitted_mixture(points, 10, 1, SplitMix(1));
  ASSERT_EQ(one.parts().size(), 2u);  // and the wide one
  EXPECT_GT(many.parts().size(), 3u);
  EXPECT_GT(mean_log(many, points), mean_log(one, points) + 0.5);
  // Not more than the truth: -ln(2 pi 0.1) - 1 on average.
  EXPECT_LT(mean_log(many, points), 0.52);
  EXPECT_TRUE(fitted_mixture(points.leftCols(5), 3, 1, SplitMix(1)).empty());
  // A cloud without width in one direction has no density.
  Eigen::MatrixXd flat = points;
  flat.row(1).setConstant(2);
  EXPECT_TRUE(fitted_mixture(flat, 3, 1, SplitMix(1)).empty());
}

TEST(Mixture, DensitiesAreThoseOfTheDraws) {
  const Mixture mixture = fitted_mixture(bent(1000).topRows(2), 4, 1, SplitMix(1));
  // Both integrate to one on a grid.
  const Eigen::Vector2d from(0.7, 0.6);
  const double length = 0.8, cell = 0.1;
  double density = 0, step = 0;
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (double a = -12; a < 12; a += cell)
    for (double b = -16; b < 18; b += cell) {
      const Eigen::Vector2d x(a, b);
      density += std::exp(mixture.log_density(x)) * cell * cell;
      const double own =
          std::exp(mixture.log_step_density(from, x, length)) / (length * length) * cell * cell;
      step += own;
      mean += own * x;
    }
  EXPECT_NEAR(density, 1, 2e-3);
  EXPECT_NEAR(step, 1, 2e-3);
  EXPECT_NEAR((mean - from).norm(), 0, 5e-3);
  // Shares of the draws beyond a line agree with the density there.
  SplitMix random(5);
  auto normals = [&] { return Eigen::Vector2d(normal_draw(random), normal_draw(random)); };
  const int count = 20000;
  double beyond = 0, stepped = 0, expected = 0, expected_step = 0;
  for (int k = 0; k < count; ++k) {
    const Eigen::Vector2d z = normals();
    beyond += mixture.draw(random, z)(1) > 1.5;
    const Eigen::Vector2d y = normals();
    stepped += mixture.step(from, length, random, y)(1) > 1.5;
  }
  for (double a = -12; a < 12; a += cell)
    for (double b = 1.5 + cell / 2; b < 18; b += cell) {
      const Eigen::Vector2d x(a, b);
      expected += std::exp(mixture.log_density(x)) * cell * cell;
      expected_step +=
          std::exp(mixture.log_step_density(from, x, length)) / (length * length) * cell * cell;
    }
  EXPECT_NEAR(beyond / count, expected, 0.015);
  EXPECT_NEAR(stepped / count, expected_step, 0.015);
}

}  // namespace
