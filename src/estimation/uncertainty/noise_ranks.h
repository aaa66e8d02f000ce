// Tests of residuals held against the same tests of drawn noise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "base/splitmix.h"
#include "estimation/uncertainty/residual_tests.h"
#include "model/fit_problem.h"

namespace stiffit::internal {

// p-values by ranks among draws. Draws are rows, tests columns.
class NoiseRanks {
 public:
  explicit NoiseRanks(Eigen::MatrixXd draws);
  Eigen::Index draws() const { return draws_.rows(); }
  double p_value(Eigen::Index test, double statistic) const;
  // Of several tests at once: how often the least p-value of noise is as small as theirs.
  double joint(const std::vector<Eigen::Index>& tests, const std::vector<double>& values) const;

 private:
  double at_least(Eigen::Index test, double statistic) const;

  Eigen::MatrixXd draws_;
  std::vector<std::vector<double>> sorted_;
};

// Of the standardised distribution.
double noise_draw(SplitMix& random, NoiseKind kind, double freedom);

// What a residual counts in tests. Of noise with heavy tails large ones say little: the slope of
// the log-likelihood instead.
double tested_residual(double residual, NoiseKind kind, double freedom);

// Noise of these kinds over the data and then the priors, less what a fit would have followed of
// it (`directions` times `share` of the noise), by all tests. Of least squares the directions are
// orthonormal, and the share is their transpose.
Eigen::MatrixXd tests_of_noise(const ResidualTests& tests, const Eigen::MatrixXd& directions,
                               const Eigen::MatrixXd& share, const std::vector<NoiseKind>& kinds,
                               const std::vector<double>& freedom, std::uint64_t seed);

}  // namespace stiffit::internal
