// SPDX-License-Identifier: Apache-2.0
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

SingularValues singular_values(const MatrixXd& a) {
  const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}

VectorXd only_singular_values(const MatrixXd& a) {
  return Eigen::JacobiSVD<MatrixXd>(a).singularValues();
}

SingularValues thin_left_singular_values(const MatrixXd& a) {
  const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeThinU);
  return {svd.singularValues(), svd.matrixU(), {}};
}

struct PivotedQr::Impl {
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
};

PivotedQr::PivotedQr(const MatrixXd& a)
    : impl_(std::make_unique<Impl>(Impl{Eigen::ColPivHouseholderQR<MatrixXd>(a)})) {}
PivotedQr::~PivotedQr() = default;

Index PivotedQr::rank() const { return impl_->qr.rank(); }

MatrixXd PivotedQr::upper() const {
  const MatrixXd& both = impl_->qr.matrixQR();
  return both.topRows(std::min(both.rows(), both.cols())).triangularView<Eigen::Upper>();
}

VectorXd PivotedQr::turned(const VectorXd& b) const {
  return impl_->qr.householderQ().adjoint() * b;
}

MatrixXd PivotedQr::basis(Index columns) const {
  return impl_->qr.householderQ() * MatrixXd::Identity(impl_->qr.rows(), columns);
}

MatrixXd PivotedQr::permuted_rows(const MatrixXd& m) const {
  return impl_->qr.colsPermutation() * m;
}

MatrixXd PivotedQr::unpermuted_columns(const MatrixXd& m) const {
  return m * impl_->qr.colsPermutation().transpose();
}

VectorXd PivotedQr::solve(const VectorXd& b) const { return impl_->qr.solve(b); }

VectorXd shortest_solution(const MatrixXd& a, const VectorXd& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  if (threshold >= 0) solver.setThreshold(threshold);
  return solver.compute(a).solve(b);
}

struct ShortestSolver::Impl {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors;
};

ShortestSolver::ShortestSolver(const MatrixXd& a, double threshold)
    : impl_(std::make_unique<Impl>()) {
  impl_->factors.setThreshold(threshold);
  impl_->factors.compute(a);
}
ShortestSolver::~ShortestSolver() = default;

VectorXd ShortestSolver::solve(const VectorXd& b) const { return impl_->factors.solve(b); }

MatrixXd shortest_solutions(const MatrixXd& a, const MatrixXd& b) {
  return Eigen::CompleteOrthogonalDecomposition<MatrixXd>(a).solve(b);
}

}  // namespace stiffit::internal
