// Least squares for the coefficients of a linear fit, with a rank: what the data do not determine
// is found and named, not divided by. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace stiffit::internal {

struct ColumnSolution {
  Eigen::VectorXd c;
  Eigen::MatrixXd inverse;     // of G, or its pseudo-inverse
  Eigen::VectorXd singular;    // values of the scaled columns, the largest first
  Eigen::MatrixXd null_space;  // directions of c that change nothing, in columns
  int rank = 0;
  std::vector<int> at_zero;  // held at zero by the wish for no negative ones
  double condition = 0;      // of G
};

// min |X c - b|, by QR with column pivoting and the singular values of its triangle; columns are
// scaled to unit length first, and the shortest c is taken (in that scale) where many serve.
ColumnSolution solve_columns(const Eigen::MatrixXd& x, const Eigen::VectorXd& b);
// G c = a for a symmetric G, by eigenvalues. Not positive semi-definite: rank -1.
ColumnSolution solve_normal(const Eigen::MatrixXd& g, const Eigen::VectorXd& a);
// The same with c >= 0 (Lawson and Hanson 1974).
ColumnSolution solve_not_negative(const Eigen::MatrixXd& g, const Eigen::VectorXd& a);

}  // namespace stiffit::internal
