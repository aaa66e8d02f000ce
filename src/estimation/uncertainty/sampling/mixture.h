// A sum of normal distributions, fitted to points by expectation maximisation: bent and forked
// clouds that no single one describes. Proposals that do not depend on where a chain is are drawn
// from it: P. Giordani, R. Kohn, J. Comput. Graph. Stat. 19 (2010).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "base/splitmix.h"

namespace stiffit::internal {

struct MixturePart {
  double weight = 0;  // they add up to one
  Eigen::VectorXd mean;
  Eigen::MatrixXd factor;  // L of the covariance L L^T, lower triangular
};

class Mixture {
 public:
  Mixture() = default;
  explicit Mixture(std::vector<MixturePart> parts);
  bool empty() const { return parts_.empty(); }
  const std::vector<MixturePart>& parts() const { return parts_; }
  double log_density(const Eigen::VectorXd& x) const;
  // `normals`: as many standard normal draws as there are dimensions.
  Eigen::VectorXd draw(SplitMix& random, const Eigen::VectorXd& normals) const;

  // A step from `x`, `length` times as wide as the part that is chosen by its share of the density
  // at `x`; and the logarithm of its
  // density, up to what depends on `length` alone.
  Eigen::VectorXd step(const Eigen::VectorXd& x, double length, SplitMix& random,
                       const Eigen::VectorXd& normals) const;
  double log_step_density(const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                          double length) const;

 private:
  std::vector<double> logs_at(const Eigen::VectorXd& x) const;  // of each part's density

  std::vector<MixturePart> parts_;
  std::vector<double> log_factor_;  // of each part's density at its mean
};

// Half of each; one that is empty leaves the other whole.
Mixture joined(const Mixture& a, const Mixture& b);

// `points` [dimension][point]; as many parts, up to `most`, as the points speak for. `worth`: how
// many independent points one of them counts for, being states of chains. A twentieth is one wide
// part, so that no place near the cloud is nearly impossible. Empty: too few points.
Mixture fitted_mixture(const Eigen::MatrixXd& points, int most, double worth, SplitMix random);

}  // namespace stiffit::internal
