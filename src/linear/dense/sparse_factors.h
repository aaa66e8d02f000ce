// LU of one sparse matrix with numerical pivoting, compiled once like the dense decompositions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace stiffit::internal {

struct SparseEntry {
  int row, column;
  double value;
};

class SparseFactors {
 public:
  SparseFactors(Eigen::Index size, const std::vector<SparseEntry>& entries);
  ~SparseFactors();
  bool ok() const;
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  double sign_of_determinant() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stiffit::internal
