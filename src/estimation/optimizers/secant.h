// The part of the Hessian that the Fisher information leaves out, learned from gradients along the
// way: the sized update of Dennis, Gay and Welsch (ACM TOMS 7 (1981) 348); and plain BFGS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace stiffit::internal {

// S, where Hessian = fisher + S, after a step s that changed the gradient by y; `fisher` is that at
// the new point.
void update_structured_secant(Eigen::MatrixXd& s_matrix, const Eigen::VectorXd& s,
                              const Eigen::VectorXd& y, const Eigen::MatrixXd& fisher);

// Damped (Powell), so that B stays positive definite.
void update_bfgs(Eigen::MatrixXd& b, const Eigen::VectorXd& s, Eigen::VectorXd y);

}  // namespace stiffit::internal
