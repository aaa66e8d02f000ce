// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/affine_block.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double at(const std::vector<double>& list, Index j) { return list[j]; }

// The least of 1/2 v'Nv - r'v in the bounds. All at once; if a bound is in the way, one after
// another, which ends at the best within them.
VectorXd bounded_quadratic(const MatrixXd& normal, const VectorXd& right, const VectorXd& low,
                           const VectorXd& high) {
  const Index n = right.size();
  VectorXd size(n);
  for (Index j = 0; j < n; ++j) size[j] = normal(j, j) > 0 ? std::sqrt(normal(j, j)) : 1;
  const MatrixXd scaled =
      size.cwiseInverse().asDiagonal() * normal * size.cwiseInverse().asDiagonal();
  const VectorXd target = right.cwiseQuotient(size);
  VectorXd v = shortest_solution(scaled, target).cwiseQuotient(size);
  if ((v.array() >= low.array()).all() && (v.array() <= high.array()).all()) return v;
  v = v.cwiseMax(low).cwiseMin(high).cwiseProduct(size);
  for (int sweep = 0; sweep < 500; ++sweep) {
    double change = 0;
    for (Index j = 0; j < n; ++j) {
      if (!(scaled(j, j) > 0)) continue;
      const double free = v[j] + (target[j] - scaled.row(j).dot(v)) / scaled(j, j);
      const double held = std::clamp(free / size[j], low[j], high[j]) * size[j];
      change = std::max(change, std::fabs(held - v[j]));
      v[j] = held;
    }
    if (change <= 1e-14 * v.lpNorm<Eigen::Infinity>()) break;
  }
  return v.cwiseQuotient(size).cwiseMax(low).cwiseMin(high);
}

// Least squares of the rows with these noise levels, without regard to transformations.
std::vector<double> linear_solution(const AffineBlock& block, bool relative) {
  const Index n = block.values.size();
  MatrixXd normal = MatrixXd::Zero(n, n);
  VectorXd right = VectorXd::Zero(n);
  for (const AffineRow& row : block.rows) {
    const bool logarithm = relative && row.transformation != Transformation::none;
    const double noise = row.noise * (logarithm ? std::fabs(row.measurement) : 1);
    const double weight = 1 / (noise * noise);
    const Eigen::Map<const VectorXd> slopes(row.slopes.data(), n);
    normal += weight * slopes * slopes.transpose();
    right += weight * (row.measurement - row.base) * slopes;
  }
  const VectorXd v =
      bounded_quadratic(normal, right, Eigen::Map<const VectorXd>(block.low.data(), n),
                        Eigen::Map<const VectorXd>(block.high.data(), n));
  return {v.begin(), v.end()};
}

// Damped Newton steps. Unknowns that cannot be zero move as their logarithms, which makes the
// logarithm of their sum a convex function.
class LogarithmicSearch {
 public:
  explicit LogarithmicSearch(AffineBlock& block) : block_(block) {
    n_ = block.values.size();
    low_.resize(n_);
    high_.resize(n_);
    theta_.resize(n_);
    g_ = v_ = d_ = VectorXd::Zero(n_);
    h_ = gauss_ = MatrixXd::Zero(n_, n_);
    for (Index j = 0; j < n_; ++j) {
      logarithmic_.push_back(at(block.low, j) > 0);
      low_[j] = to(j, at(block.low, j));
      high_[j] = to(j, at(block.high, j));
      theta_[j] = std::clamp(to(j, at(block.values, j)), low_[j], high_[j]);
    }
  }

  void run() {
    constexpr int most_steps = 100;
    constexpr double rounding = 1e-13;
    double value = look(theta_, true);
    if (!std::isfinite(value)) return;
    double damping = 1e-3;
    for (int step = 0; step < most_steps; ++step) {
      const VectorXd next = (theta_ + newton_step(damping)).cwiseMax(low_).cwiseMin(high_);
      const double promised = g_.dot(theta_ - next);
      if (!(promised > 0)) break;
      const bool last = promised < rounding * (1 + value);  // the value does not show it any more
      const double there = look(next, false);
      if (there < value || (last && there < value + rounding * (1 + value))) {
        theta_ = next;
        if (last) break;
        value = look(theta_, true);
        damping *= 0.03;
      } else {
        if (last || damping > 1e12) break;
        damping *= 10;
      }
    }
    for (Index j = 0; j < n_; ++j)
      block_.values[j] = std::clamp(from(j, theta_[j]), at(block_.low, j), at(block_.high, j));
  }

 private:
  double to(Index j, double v) const { return logarithmic_[j] ? std::log(v) : v; }
  double from(Index j, double t) const { return logarithmic_[j] ? std::exp(t) : t; }

  // Half the sum of squares; infinite where a logarithm has no value. In plain loops, because this
  // is what a projected evaluation spends its time on beside the integration.
  double look(const VectorXd& theta, bool derivatives) {
    for (Index j = 0; j < n_; ++j) {
      v_[j] = from(j, theta[j]);
      d_[j] = logarithmic_[j] ? v_[j] : 1;
    }
    if (derivatives) {
      g_.setZero();
      h_.setZero();
      gauss_.setZero();
    }
    double sum = 0;
    for (const AffineRow& row : block_.rows) {
      const double* slopes = row.slopes.data();
      double prediction = row.base;
      for (Index j = 0; j < n_; ++j) prediction += slopes[j] * v_[j];
      double gap, slope = 1, bend = 0;  // of the compared prediction, by the prediction
      if (row.transformation == Transformation::none) {
        gap = prediction - row.measurement;
      } else {
        if (!(prediction > 0)) return std::numeric_limits<double>::infinity();
        const double unit = row.transformation == Transformation::log10 ? std::numbers::ln10 : 1;
        gap = std::log(prediction / row.measurement) / unit;
        slope = 1 / (prediction * unit);
        bend = -slope / prediction;
      }
      const double weight = 1 / (row.noise * row.noise);
      sum += 0.5 * weight * gap * gap;
      if (!derivatives) continue;
      for (Index j = 0; j < n_; ++j) {
        const double first = slopes[j] * d_[j];
        if (first == 0) continue;
        g_[j] += weight * gap * slope * first;
        if (logarithmic_[j]) h_(j, j) += weight * gap * slope * first;
        for (Index k = 0; k <= j; ++k) {
          const double both = weight * first * slopes[k] * d_[k];
          gauss_(j, k) += slope * slope * both;
          h_(j, k) += gap * bend * both;
        }
      }
    }
    if (derivatives) {
      for (Index j = 0; j < n_; ++j)
        for (Index k = 0; k < j; ++k) {
          gauss_(k, j) = gauss_(j, k);
          h_(k, j) = h_(j, k);
        }
      h_ += gauss_;
    }
    return sum;
  }

  // Unknowns that a bound stops stay; the others go by the true curvature if it is one of a
  // minimum, and else by that without second derivatives.
  VectorXd newton_step(double damping) const {
    std::vector<Index> free;
    for (Index j = 0; j < n_; ++j)
      if (!((theta_[j] <= low_[j] && g_[j] >= 0) || (theta_[j] >= high_[j] && g_[j] <= 0)))
        free.push_back(j);
    VectorXd move = VectorXd::Zero(n_);
    if (free.empty()) return move;
    const VectorXd g = g_(free);
    const double size = gauss_(free, free).diagonal().maxCoeff();
    for (const MatrixXd* curvature : {&h_, &gauss_}) {
      MatrixXd b = (*curvature)(free, free);
      b.diagonal().array() += std::max(damping, 1e-14) * size + 1e-300;
      const SymmetricFactors factor(b);
      if (!factor.positive()) continue;
      const VectorXd part = -factor.solve(g);
      if (!part.allFinite() || !(part.dot(g) < 0)) continue;
      for (std::size_t k = 0; k < free.size(); ++k) {
        const double step = part[k];
        // A logarithm that moves further than this tells nothing of the curvature there.
        move[free[k]] = logarithmic_[free[k]] ? std::clamp(step, -5.0, 5.0) : step;
      }
      return move;
    }
    return move;
  }

  AffineBlock& block_;
  Index n_ = 0;
  std::vector<char> logarithmic_;
  VectorXd low_, high_, theta_, g_, v_, d_;
  MatrixXd h_, gauss_;
};

}  // namespace

void AffineBlock::solve(bool afresh) {
  bool plain = true;
  for (const AffineRow& row : rows) plain &= row.transformation == Transformation::none;
  if (afresh || plain) values = linear_solution(*this, true);
  if (!plain) LogarithmicSearch(*this).run();
}

}  // namespace stiffit::internal
