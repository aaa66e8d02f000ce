// Decompositions of dense matrices, compiled once: their templates are the slowest part of every
// unit that names one. Matrices and vectors themselves are Eigen's, whose core is quick to compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <complex>
#include <memory>

namespace stiffit::internal {

// A = V diag(lambda) V^T of a symmetric A; eigenvalues ascend.
class SymmetricEigen {
 public:
  explicit SymmetricEigen(const Eigen::MatrixXd& a);
  const Eigen::VectorXd& eigenvalues() const { return values_; }
  const Eigen::MatrixXd& eigenvectors() const { return vectors_; }

 private:
  Eigen::VectorXd values_;
  Eigen::MatrixXd vectors_;
};

// Of any square matrix, in no order.
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& a);

// A = L L^T.
class Cholesky {
 public:
  explicit Cholesky(const Eigen::MatrixXd& a);
  bool positive_definite() const { return positive_definite_; }
  const Eigen::MatrixXd& lower() const { return lower_; }

 private:
  Eigen::MatrixXd lower_;
  bool positive_definite_ = false;
};

// P A P^T = L D L^T, with pivoting.
class SymmetricFactors {
 public:
  explicit SymmetricFactors(const Eigen::MatrixXd& a);
  ~SymmetricFactors();
  bool positive() const;  // no pivot is negative, and none failed
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& b) const;
  // U with A = U^T U of a positive A.
  Eigen::MatrixXd root() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// P A = L U, with partial pivoting.
class GeneralFactors {
 public:
  explicit GeneralFactors(const Eigen::MatrixXd& a);
  ~GeneralFactors();
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& b) const;
  double rcond() const;  // about the reciprocal condition number
  int sign_of_determinant() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class ComplexFactors {
 public:
  explicit ComplexFactors(const Eigen::MatrixXcd& a);
  ~ComplexFactors();
  Eigen::VectorXcd solve(const Eigen::VectorXcd& b) const;
  Eigen::VectorXcd solve_transposed(const Eigen::VectorXcd& b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);
// With full pivoting, for what may be singular.
Eigen::MatrixXd solve_columns_safely(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

// A = U diag(s) V^T; singular values descend.
struct SingularValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd left, right;
};
SingularValues singular_values(const Eigen::MatrixXd& a);  // both sides full
Eigen::VectorXd only_singular_values(const Eigen::MatrixXd& a);
SingularValues thin_left_singular_values(const Eigen::MatrixXd& a);  // left alone, thin

// A P = Q R, with column pivoting.
class PivotedQr {
 public:
  explicit PivotedQr(const Eigen::MatrixXd& a);
  ~PivotedQr();
  Eigen::Index rank() const;
  Eigen::MatrixXd upper() const;                                  // the square or wide triangle
  Eigen::VectorXd turned(const Eigen::VectorXd& b) const;         // Q^T b
  Eigen::MatrixXd basis(Eigen::Index columns) const;              // the first ones of Q
  Eigen::MatrixXd permuted_rows(const Eigen::MatrixXd& m) const;  // P m
  Eigen::MatrixXd unpermuted_columns(const Eigen::MatrixXd& m) const;  // m P^T
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;               // least squares

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The shortest x of all that make |A x - b| least; what is below `threshold` of the largest pivot
// counts as zero (negative: what rounding leaves).
Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                  double threshold = -1);
Eigen::MatrixXd shortest_solutions(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
// The same for many b.
class ShortestSolver {
 public:
  ShortestSolver(const Eigen::MatrixXd& a, double threshold);
  ~ShortestSolver();
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stiffit::internal
