// A trust-region step that stays strictly inside the bounds: the affine scaling of Coleman and Li,
// which shortens the region towards a bound that the gradient points at, and the best of the step
// cut before the bound, reflected at it, continued along it, or along the gradient.
// Coleman and Li, SIAM J. Optim. 6 (1996) 418.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "estimation/optimizers/trust_region_subproblem.h"

namespace stiffit::internal {

struct BoundedStep {
  Eigen::VectorXd s;      // in theta
  double length = 0;      // in scaled coordinates
  double predicted = 0;   // reduction of the scaled model, > 0
  double correction = 0;  // what the scaling adds to the actual change before the two are compared
};

class BoundedModel {
 public:
  BoundedModel(const Eigen::VectorXd& x, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
               const Eigen::VectorXd& g, const Eigen::MatrixXd& hessian);

  BoundedStep step(double radius) const;
  // Largest component of the gradient times the distance to the bound it points at: zero at a
  // minimum in the box.
  double optimality() const;

 private:
  // All of these are in scaled coordinates: theta = x + scale * s.
  double fraction_to_bound(const Eigen::VectorXd& from, const Eigen::VectorXd& direction,
                           Eigen::Index& which) const;
  Eigen::VectorXd best_along(const Eigen::VectorXd& from, const Eigen::VectorXd& direction,
                             double radius) const;
  Eigen::VectorXd reflected(const Eigen::VectorXd& full, double fraction, Eigen::Index which,
                            double radius) const;
  Eigen::VectorXd slid(Eigen::VectorXd full, double radius) const;
  Eigen::VectorXd inside(Eigen::VectorXd s) const;

  const Eigen::VectorXd x_, lower_, upper_, g_;
  Eigen::VectorXd curvature_, scale_, scaled_g_;  // in this order: scale_ brings curvature_
  Eigen::MatrixXd scaled_;
  TrustRegionSubproblem subproblem_;
  double back_off_ = 0.95;
};

}  // namespace stiffit::internal
