// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {

using Eigen::MatrixXd;
using Eigen::VectorXd;

SymmetricEigen::SymmetricEigen(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(a);
  values_ = solver.eigenvalues();
  vectors_ = solver.eigenvectors();
}

Cholesky::Cholesky(const MatrixXd& a) {
  const Eigen::LLT<MatrixXd> llt(a);
  positive_definite_ = llt.info() == Eigen::Success;
  lower_ = llt.matrixL();
}

struct SymmetricFactors::Impl {
  Eigen::LDLT<MatrixXd> ldlt;
};

SymmetricFactors::SymmetricFactors(const MatrixXd& a)
    : impl_(std::make_unique<Impl>(Impl{Eigen::LDLT<MatrixXd>(a)})) {}
SymmetricFactors::~SymmetricFactors() = default;

bool SymmetricFactors::positive() const {
  return impl_->ldlt.info() == Eigen::Success && impl_->ldlt.isPositive();
}

VectorXd SymmetricFactors::solve(const VectorXd& b) const { return impl_->ldlt.solve(b); }

MatrixXd SymmetricFactors::solve_columns(const MatrixXd& b) const { return impl_->ldlt.solve(b); }

MatrixXd SymmetricFactors::root() const {
  const auto& ldlt = impl_->ldlt;
  const MatrixXd order = ldlt.transpositionsP() * MatrixXd::Identity(ldlt.rows(), ldlt.rows());
  return ldlt.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal() * (ldlt.matrixU() * order);
}

}  // namespace stiffit::internal
