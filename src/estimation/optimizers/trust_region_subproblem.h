// min 1/2 s'Bs + g's over |s| <= radius, exactly, by the eigenvectors of B (which may be
// indefinite). The decomposition serves every radius and gradient.
// More and Sorensen, SIAM J. Sci. Stat. Comput. 4 (1983) 553.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace stiffit::internal {

class TrustRegionSubproblem {
 public:
  explicit TrustRegionSubproblem(const Eigen::MatrixXd& b);

  Eigen::VectorXd solve(const Eigen::VectorXd& g, double radius) const;
  const Eigen::VectorXd& eigenvalues() const { return values_; }  // ascending

 private:
  Eigen::VectorXd values_;
  Eigen::MatrixXd vectors_;
};

// 1/2 s'Bs + g's
double quadratic_value(const Eigen::MatrixXd& b, const Eigen::VectorXd& g,
                       const Eigen::VectorXd& s);

}  // namespace stiffit::internal
