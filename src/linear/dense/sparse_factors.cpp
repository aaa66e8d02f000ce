// SPDX-License-Identifier: Apache-2.0
#include "linear/dense/sparse_factors.h"

#include <Eigen/SparseLU>

namespace stiffit::internal {

struct SparseFactors::Impl {
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};

SparseFactors::SparseFactors(Eigen::Index size, const std::vector<SparseEntry>& entries)
    : impl_(std::make_unique<Impl>()) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size());
  for (const SparseEntry& e : entries) triplets.emplace_back(e.row, e.column, e.value);
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  matrix.makeCompressed();
  impl_->lu.compute(matrix);
}

SparseFactors::~SparseFactors() = default;

bool SparseFactors::ok() const { return impl_->lu.info() == Eigen::Success; }

Eigen::VectorXd SparseFactors::solve(const Eigen::VectorXd& b) const { return impl_->lu.solve(b); }

double SparseFactors::sign_of_determinant() const { return impl_->lu.signDeterminant(); }

}  // namespace stiffit::internal
