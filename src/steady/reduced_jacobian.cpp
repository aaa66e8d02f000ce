// SPDX-License-Identifier: Apache-2.0
#include "steady/reduced_jacobian.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

namespace stiffit {
namespace {

constexpr Eigen::Index largest_dense = 200;
constexpr double smallest_rcond = 1e-14;
constexpr double standstill = 1e-16;  // of the fastest relative rate: rounding

}  // namespace

struct ReducedJacobian::Matrices {
  Eigen::Index size = 0;
  bool dense = true;
  std::vector<Eigen::Triplet<double>> entries;  // kept x kept, repeated ones add up
  Eigen::VectorXd row_scale, column_scale;      // the factored matrix is R J C
  Eigen::MatrixXd matrix;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  Eigen::SparseMatrix<double> sparse;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> sparse_lu;
};

ReducedJacobian::ReducedJacobian(const Sparsity& pattern, const MoietyRows& rows)
    : pattern_(pattern), rows_(rows), m_(std::make_unique<Matrices>()) {
  m_->size = static_cast<Eigen::Index>(rows.kept.size());
  m_->dense = m_->size <= largest_dense;
  row_of_.assign(rows.place.size(), -1);
  for (std::size_t r = 0; r < rows.rows.size(); ++r)
    row_of_[static_cast<std::size_t>(rows.rows[r].dependent)] = static_cast<int>(r);
}

ReducedJacobian::~ReducedJacobian() = default;

void ReducedJacobian::assemble(const double* jacobian) const {
  auto& entries = m_->entries;
  entries.clear();
  for (std::size_t j = 0; j < static_cast<std::size_t>(pattern_.n); ++j)
    for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k) {
      const int row =
          rows_.place[static_cast<std::size_t>(pattern_.row[static_cast<std::size_t>(k)])];
      if (row < 0) continue;
      if (rows_.place[j] >= 0) {
        entries.emplace_back(row, rows_.place[j], jacobian[k]);
        continue;
      }
      // A dependent state moves as the others of its row make it.
      for (auto& [state, c] : rows_.rows[static_cast<std::size_t>(row_of_[j])].others)
        entries.emplace_back(row, rows_.place[static_cast<std::size_t>(state)], -c * jacobian[k]);
    }
}

bool ReducedJacobian::factor(const double* jacobian, std::span<const double> scale) {
  Matrices& m = *m_;
  if (m.size == 0) return true;
  assemble(jacobian);
  m.column_scale.resize(m.size);
  for (Eigen::Index j = 0; j < m.size; ++j) {
    const double s = scale[static_cast<std::size_t>(rows_.kept[static_cast<std::size_t>(j)])];
    m.column_scale[j] = s > 0 ? s : 1;
  }
  m.sparse.resize(m.size, m.size);
  m.sparse.setFromTriplets(m.entries.begin(), m.entries.end());
  m.row_scale = Eigen::VectorXd::Zero(m.size);
  for (Eigen::Index j = 0; j < m.size; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(m.sparse, j); it; ++it) {
      it.valueRef() *= m.column_scale[j];
      m.row_scale[it.row()] = std::max(m.row_scale[it.row()], std::fabs(it.value()));
    }
  fastest_ = 0;
  for (Eigen::Index i = 0; i < m.size; ++i) {
    if (!std::isfinite(m.row_scale[i])) return false;
    fastest_ = std::max(fastest_, m.row_scale[i] / m.column_scale[i]);
  }
  frozen_.clear();
  std::vector<Eigen::Triplet<double>> held;
  for (Eigen::Index i = 0; i < m.size; ++i) {
    double& s = m.row_scale[i];
    if (s / m.column_scale[i] > standstill * fastest_) {
      s = 1 / s;
      continue;
    }
    frozen_.push_back(rows_.kept[static_cast<std::size_t>(i)]);
    s = 0;
    held.emplace_back(i, i, -1.0);
  }
  m.sparse = m.row_scale.asDiagonal() * m.sparse;
  if (!held.empty()) {
    Eigen::SparseMatrix<double> diagonal(m.size, m.size);
    diagonal.setFromTriplets(held.begin(), held.end());
    m.sparse = m.sparse + diagonal;
  }
  if (m.dense) {
    m.matrix = Eigen::MatrixXd(m.sparse);
    m.lu.compute(m.matrix);
    return m.lu.rcond() > smallest_rcond;
  }
  m.sparse.makeCompressed();
  m.sparse_lu.compute(m.sparse);
  if (m.sparse_lu.info() != Eigen::Success) return false;
  // One solve shows whether the numbers can be trusted.
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(m.size);
  const Eigen::VectorXd back = m.sparse * m.sparse_lu.solve(ones).eval();
  return (back - ones).lpNorm<Eigen::Infinity>() < 1e-4;
}

void ReducedJacobian::solve(std::span<const double> right, std::span<double> change) const {
  const Matrices& m = *m_;
  Eigen::VectorXd b(m.size);
  for (Eigen::Index i = 0; i < m.size; ++i)
    b[i] =
        m.row_scale[i] * right[static_cast<std::size_t>(rows_.kept[static_cast<std::size_t>(i)])];
  if (m.size > 0) b = m.dense ? m.lu.solve(b).eval() : m.sparse_lu.solve(b).eval();
  for (Eigen::Index i = 0; i < m.size; ++i)
    change[static_cast<std::size_t>(rows_.kept[static_cast<std::size_t>(i)])] =
        b[i] * m.column_scale[i];
  rows_.complete(change);
}

int ReducedJacobian::sign() const {
  const Matrices& m = *m_;
  if (m.size == 0) return 1;
  int sign = m.size % 2 ? -1 : 1;
  if (!m.dense) return sign * (const_cast<Matrices&>(m).sparse_lu.signDeterminant() > 0 ? 1 : -1);
  for (Eigen::Index i = 0; i < m.size; ++i)
    if (m.lu.matrixLU()(i, i) < 0) sign = -sign;
  return sign * static_cast<int>(m.lu.permutationP().determinant());
}

std::vector<std::complex<double>> ReducedJacobian::eigenvalues(
    const double* jacobian, const std::vector<double>& mass) const {
  assemble(jacobian);
  const Eigen::Index size = m_->size;
  if (size == 0) return {};
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(size, size);
  for (auto& entry : m_->entries) full(entry.row(), entry.col()) += entry.value();
  std::vector<Eigen::Index> moving, still;
  for (Eigen::Index i = 0; i < size; ++i) {
    const auto state = static_cast<std::size_t>(rows_.kept[static_cast<std::size_t>(i)]);
    (mass.empty() || mass[state] != 0 ? moving : still).push_back(i);
  }
  Eigen::MatrixXd matrix = full(moving, moving);
  if (!still.empty())
    matrix -= full(moving, still) * full(still, still).partialPivLu().solve(full(still, moving));
  // Balanced by powers of two: rates of ten decades stand in one matrix.
  for (bool again = true; again;) {
    again = false;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      const double diagonal = std::fabs(matrix(i, i));
      const double r = matrix.row(i).lpNorm<1>() - diagonal,
                   c = matrix.col(i).lpNorm<1>() - diagonal;
      if (!(r > 0) || !(c > 0)) continue;
      const double f = std::exp2(std::round(0.5 * std::log2(r / c)));
      if (r / f + c * f < 0.95 * (r + c)) {
        matrix.row(i) /= f;
        matrix.col(i) *= f;
        again = true;
      }
    }
  }
  const Eigen::VectorXcd values = matrix.eigenvalues();
  std::vector<std::complex<double>> result(values.begin(), values.end());
  std::sort(result.begin(), result.end(), [](auto& a, auto& b) {
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
  return result;
}

}  // namespace stiffit
