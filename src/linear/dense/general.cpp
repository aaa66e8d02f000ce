// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

VectorXcd eigenvalues(const MatrixXd& a) {
  return Eigen::EigenSolver<MatrixXd>(a, false).eigenvalues();
}

struct GeneralFactors::Impl {
  Eigen::PartialPivLU<MatrixXd> lu;
};

GeneralFactors::GeneralFactors(const MatrixXd& a)
    : impl_(std::make_unique<Impl>(Impl{Eigen::PartialPivLU<MatrixXd>(a)})) {}
GeneralFactors::~GeneralFactors() = default;

VectorXd GeneralFactors::solve(const VectorXd& b) const { return impl_->lu.solve(b); }

MatrixXd GeneralFactors::solve_columns(const MatrixXd& b) const { return impl_->lu.solve(b); }

double GeneralFactors::rcond() const { return impl_->lu.rcond(); }

int GeneralFactors::sign_of_determinant() const {
  int sign = static_cast<int>(impl_->lu.permutationP().determinant());
  const MatrixXd& lu = impl_->lu.matrixLU();
  for (Eigen::Index i = 0; i < lu.rows(); ++i)
    if (lu(i, i) < 0) sign = -sign;
  return sign;
}

struct ComplexFactors::Impl {
  Eigen::PartialPivLU<MatrixXcd> lu;
};

ComplexFactors::ComplexFactors(const MatrixXcd& a)
    : impl_(std::make_unique<Impl>(Impl{Eigen::PartialPivLU<MatrixXcd>(a)})) {}
ComplexFactors::~ComplexFactors() = default;

VectorXcd ComplexFactors::solve(const VectorXcd& b) const { return impl_->lu.solve(b); }

VectorXcd ComplexFactors::solve_transposed(const VectorXcd& b) const {
  return impl_->lu.transpose().solve(b);
}

MatrixXd inverse(const MatrixXd& a) { return a.inverse(); }

MatrixXd solve_columns_safely(const MatrixXd& a, const MatrixXd& b) {
  return a.fullPivLu().solve(b);
}

}  // namespace stiffit::internal
