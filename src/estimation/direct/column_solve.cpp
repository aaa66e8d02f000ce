// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/column_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

VectorXd lengths(const VectorXd& squares) {
  VectorXd scale(squares.size());
  for (Index j = 0; j < scale.size(); ++j) scale(j) = squares(j) > 0 ? std::sqrt(squares(j)) : 0;
  return scale;
}

// Fills in everything but c, from the singular values and right vectors of the scaled columns.
void describe(ColumnSolution& s, const VectorXd& scale, const VectorXd& values, const MatrixXd& v,
              double tolerance) {
  const Index n = scale.size();
  s.singular = values;
  s.inverse = MatrixXd::Zero(n, n);
  std::vector<VectorXd> null;
  for (Index k = 0; k < n; ++k) {
    VectorXd direction(n);
    for (Index j = 0; j < n; ++j) direction(j) = scale(j) > 0 ? v(j, k) / scale(j) : 0;
    if (k < values.size() && values(k) > tolerance) {
      s.inverse += direction * direction.transpose() / (values(k) * values(k));
      ++s.rank;
    } else {
      if (direction.norm() > 0) null.push_back(direction / direction.norm());
    }
  }
  // A column of zeros is a direction by itself.
  std::erase_if(null, [&](const VectorXd& d) {
    for (Index j = 0; j < n; ++j)
      if (scale(j) == 0 && d.cwiseAbs().sum() == 0) return true;
    return false;
  });
  for (Index j = 0; j < n; ++j)
    if (scale(j) == 0) null.push_back(VectorXd::Unit(n, j));
  s.null_space.resize(n, null.size());
  for (std::size_t k = 0; k < null.size(); ++k) s.null_space.col(k) = null[k];
}

}  // namespace

ColumnSolution solve_columns(const MatrixXd& x, const VectorXd& b) {
  ColumnSolution s;
  const Index n = x.cols();
  const VectorXd scale = lengths(x.colwise().squaredNorm().transpose());
  MatrixXd scaled = x;
  for (Index j = 0; j < n; ++j)
    if (scale(j) > 0) scaled.col(j) /= scale(j);
  const PivotedQr qr(scaled);
  const Index rows = std::min(x.rows(), n);
  const MatrixXd r = qr.upper();
  const VectorXd rhs = qr.turned(b).head(rows);
  const SingularValues svd = singular_values(r);
  const VectorXd& values = svd.values;
  const MatrixXd v = qr.permuted_rows(svd.right);
  const double tolerance = values.size() > 0 ? values(0) * 1e-11 : 0;
  describe(s, scale, values, v, tolerance);
  if (s.rank == n) {
    // Triangular solve: what the singular values would lose in the last digits it keeps.
    VectorXd y = qr.solve(b);
    s.c = y.cwiseQuotient(scale);
  } else {
    VectorXd y = VectorXd::Zero(n);
    const VectorXd turned = svd.left.adjoint() * rhs;
    for (Index k = 0; k < values.size(); ++k)
      if (values(k) > tolerance) y += v.col(k) * (turned(k) / values(k));
    s.c = VectorXd::Zero(n);
    for (Index j = 0; j < n; ++j) s.c(j) = scale(j) > 0 ? y(j) / scale(j) : 0;
  }
  MatrixXd small = qr.unpermuted_columns(r);
  for (Index j = 0; j < n; ++j) small.col(j) *= scale(j);
  const VectorXd w = only_singular_values(small);
  s.condition = w.size() == n && w(n - 1) > 0 ? (w(0) / w(n - 1)) * (w(0) / w(n - 1))
                                              : std::numeric_limits<double>::infinity();
  return s;
}

ColumnSolution solve_normal(const MatrixXd& g, const VectorXd& a) {
  ColumnSolution s;
  const Index n = g.rows();
  const VectorXd scale = lengths(g.diagonal());
  MatrixXd scaled = g;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      scaled(i, j) = scale(i) > 0 && scale(j) > 0 ? g(i, j) / (scale(i) * scale(j)) : 0;
  const SymmetricEigen eigen(scaled);
  const VectorXd values = eigen.eigenvalues().reverse();
  const MatrixXd v = eigen.eigenvectors().rowwise().reverse();
  const double least = 1e-13 * std::max(values(0), 0.0);
  if (g.diagonal().minCoeff() < 0 || values(n - 1) < -1e3 * least) s.rank = -1;
  const bool bad = s.rank < 0;
  s.rank = 0;
  describe(s, scale, values.cwiseMax(0).cwiseSqrt(), v, std::sqrt(least));
  s.c = s.inverse * a;
  if (bad) s.rank = -1;
  const SymmetricEigen own(g);
  const double low = own.eigenvalues()(0), high = own.eigenvalues()(n - 1);
  s.condition = low > 0 ? high / low : std::numeric_limits<double>::infinity();
  return s;
}

ColumnSolution solve_not_negative(const MatrixXd& g, const VectorXd& a) {
  const Index n = g.rows();
  std::vector<char> free(n, 0);
  VectorXd c = VectorXd::Zero(n);
  auto free_list = [&] {
    std::vector<Index> list;
    for (Index j = 0; j < n; ++j)
      if (free[j]) list.push_back(j);
    return list;
  };
  auto solve_free = [&](const std::vector<Index>& list) {
    const Index m = list.size();
    MatrixXd part(m, m);
    VectorXd side(m);
    for (Index i = 0; i < m; ++i) {
      side(i) = a(list[i]);
      for (Index j = 0; j < m; ++j) part(i, j) = g(list[i], list[j]);
    }
    return solve_normal(part, side);
  };
  for (Index round = 0; round < 3 * n + 10; ++round) {
    const VectorXd pull = a - g * c;
    Index next = -1;
    double most = 0;
    for (Index j = 0; j < n; ++j) {
      const double strength = g(j, j) > 0 ? pull(j) / std::sqrt(g(j, j)) : 0;
      if (!free[j] && strength > most) {
        most = strength;
        next = j;
      }
    }
    const double unit = (a.cwiseAbs().array() / g.diagonal().array().max(1e-300).sqrt()).maxCoeff();
    if (next < 0 || most <= 1e-12 * unit) break;
    free[next] = 1;
    for (Index inner = 0; inner < n + 1; ++inner) {
      const std::vector<Index> list = free_list();
      if (list.empty()) break;
      const VectorXd z = solve_free(list).c;
      double step = 1;
      for (std::size_t k = 0; k < list.size(); ++k)
        if (z(k) <= 0) {
          const double from = c(list[k]), down = from - z(k);
          if (down > 0) step = std::min(step, from / down);
        }
      for (std::size_t k = 0; k < list.size(); ++k) c(list[k]) += step * (z(k) - c(list[k]));
      if (step >= 1 && z.minCoeff() > 0) break;
      for (Index j : list)
        if (c(j) <= 1e-14 * std::max(1.0, c.cwiseAbs().maxCoeff())) {
          c(j) = 0;
          free[j] = 0;
        }
    }
  }
  // What holds a coefficient at zero is a wish, not a measurement: errors are those of all.
  ColumnSolution s = solve_normal(g, a);
  s.rank = std::max(s.rank, 0);
  s.c = c;
  for (Index j = 0; j < n; ++j)
    if (!free[j]) s.at_zero.push_back(static_cast<int>(j));
  return s;
}

}  // namespace stiffit::internal
