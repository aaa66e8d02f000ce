// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/statistics.h"

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/number.h"
#include "estimation/uncertainty/verdict.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
// Relative to the largest, in the scaling where every unknown has the same information.
constexpr double rank_tolerance = 1e-12;

// What `count` unknowns at once may move 2 (value - minimum) / unit by.
double quantile(bool unknown_noise, int count, int freedom, double level) {
  if (count <= 0) return 0;
  if (!unknown_noise) return boost::math::quantile(boost::math::chi_squared(count), level);
  if (freedom <= 0) return infinity;
  return count * boost::math::quantile(boost::math::fisher_f(count, freedom), level);
}

int bound_touched(const EstimatedParameter& u, double theta, double gradient) {
  double width = u.upper - u.lower;
  double margin = std::isfinite(width) ? 1e-6 * width : 1e-9 * (1 + std::abs(theta));
  if (theta - u.lower <= margin && gradient >= 0) return -1;
  if (u.upper - theta <= margin && gradient <= 0) return 1;
  return 0;
}

// A bound went to its logarithm and back: 100, not 100.00000000000004.
double as_given(double value) {
  char text[40];
  snprintf(text, sizeof text, "%.14g", value);
  return parse_number(text).value_or(value);
}

Limits limits_of(double theta, double half, Scale scale) {
  if (std::isnan(half)) return {nan_value, nan_value};
  return {from_theta(theta - half, scale), from_theta(theta + half, scale)};
}

// The inverse of F over the free unknowns, as far as it has one: eigenvectors of F scaled to unit
// diagonal, because a singular F shows itself there and not in units.
struct Inverse {
  MatrixXd matrix;  // infinite variances where a direction without information takes part
  int rank = 0;
  MatrixXd null_space;  // columns, in theta
};

// `least_felt`: an unknown with less information than this has none; the rest is rounding.
Inverse invert(const MatrixXd& f, const VectorXd& least_felt) {
  Eigen::Index n = f.rows();
  VectorXd d(n);
  for (Eigen::Index i = 0; i < n; ++i) d(i) = f(i, i) > least_felt(i) ? 1 / std::sqrt(f(i, i)) : 0;
  const SymmetricEigen eigen(d.asDiagonal() * f * d.asDiagonal());
  VectorXd values = eigen.eigenvalues();
  double least = rank_tolerance * std::max(1.0, values(n - 1));
  Inverse inverse;
  inverse.matrix = MatrixXd::Zero(n, n);
  std::vector<VectorXd> null;
  VectorXd lost = VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    VectorXd v = eigen.eigenvectors().col(k);
    if (values(k) > least) {
      VectorXd scaled = d.cwiseProduct(v);
      inverse.matrix += scaled * scaled.transpose() / values(k);
      ++inverse.rank;
      continue;
    }
    VectorXd direction(n);
    for (Eigen::Index i = 0; i < n; ++i) direction(i) = d(i) > 0 ? v(i) * d(i) : 0;
    // Unknowns without any information are directions of their own.
    for (Eigen::Index i = 0; i < n; ++i)
      if (d(i) == 0 && std::abs(v(i)) > 0.5) direction = VectorXd::Unit(n, i);
    if (direction.norm() > 0) null.push_back(direction / direction.norm());
    lost += v.cwiseAbs2();
  }
  for (Eigen::Index i = 0; i < n; ++i)
    if (lost(i) > 1e-6) inverse.matrix(i, i) = infinity;
  inverse.null_space.resize(n, null.size());
  for (std::size_t k = 0; k < null.size(); ++k) inverse.null_space.col(k) = null[k];
  return inverse;
}

void fill_unknown(ParameterStatistics& u, double information, double variance_free,
                  const FitStatistics& s) {
  u.error = std::sqrt(s.variance * variance_free);
  u.value_error = u.error * std::abs(theta_slope(u.value, u.scale));
  double held = std::sqrt(s.variance / information);
  u.held = std::sqrt(s.joint_quantile) * held;
  u.free = std::sqrt(s.joint_quantile) * u.error;
  u.held_single = std::sqrt(s.single_quantile) * held;
  u.free_single = std::sqrt(s.single_quantile) * u.error;
  u.held_limits = limits_of(u.theta, u.held, u.scale);
  u.free_limits = limits_of(u.theta, u.free, u.scale);
  u.held_single_limits = limits_of(u.theta, u.held_single, u.scale);
  u.free_single_limits = limits_of(u.theta, u.free_single, u.scale);
}

// What is at a bound is held there; the limits of the others are too narrow if they could move with
// it. (By how much a profile tells, in which it is free.)
void find_sheltered(FitStatistics& s, const LocalFit& fit, const VectorXd& least_felt) {
  constexpr double noticeable = 1.1;
  const Eigen::Index n = s.each.size();
  for (Eigen::Index b = 0; b < n; ++b) {
    if (s.each[b].at_bound == 0) continue;
    std::vector<Eigen::Index> with(s.free.begin(), s.free.end());
    with.push_back(b);
    const Eigen::Index m = with.size();
    MatrixXd f(m, m);
    VectorXd least(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      least(i) = least_felt(with[i]);
      for (Eigen::Index j = 0; j < m; ++j) f(i, j) = fit.at.fisher[with[i] * n + with[j]];
    }
    if (!(f(m - 1, m - 1) > least(m - 1))) continue;
    const Inverse inverse = invert(f, least);
    for (Eigen::Index i = 0; i + 1 < m; ++i) {
      ParameterStatistics& u = s.each[with[i]];
      if (std::sqrt(s.variance * inverse.matrix(i, i)) > noticeable * u.error)
        u.sheltered_by.push_back(s.each[b].id);
    }
  }
}

void fill_axes(FitStatistics& s, const MatrixXd& f, MatrixXd& vectors, VectorXd& spreads) {
  const SymmetricEigen eigen(f);
  vectors = eigen.eigenvectors();
  spreads.resize(f.rows());
  for (Eigen::Index k = 0; k < f.rows(); ++k) {
    double lambda = eigen.eigenvalues()(k);
    spreads(k) = lambda > 0 ? std::sqrt(s.variance / lambda) : infinity;
    EllipsoidAxis axis;
    axis.half_length = std::sqrt(s.joint_quantile) * spreads(k);
    VectorXd v = vectors.col(k);
    axis.direction.assign(v.begin(), v.end());
    s.axes.push_back(std::move(axis));
  }
}

}  // namespace

double joint_quantile(const Objective& objective, int count, double level) {
  int freedom = objective.data_count() - static_cast<int>(objective.unknowns().size());
  return quantile(objective.unknown_noise(), count, freedom, level);
}
double single_quantile(const Objective& objective, double level) {
  return joint_quantile(objective, 1, level);
}

FitStatistics fit_statistics(const Objective& objective, const LocalFit& fit, double level) {
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  std::size_t n = unknowns.size();
  FitStatistics s;
  s.level = level;
  s.unknown_noise = objective.unknown_noise();
  s.data = objective.data_count();
  s.sum_of_squares = fit.at.chi2;
  for (std::size_t i = 0; i < n; ++i) {
    ParameterStatistics u;
    u.id = unknowns[i].id;
    u.scale = unknowns[i].scale;
    u.theta = fit.x[i];
    u.value = from_theta(u.theta, u.scale);
    u.at_bound = bound_touched(unknowns[i], u.theta, fit.at.gradient[i]);
    u.error = u.value_error = u.held = u.free = u.held_single = u.free_single = nan_value;
    u.held_limits = u.free_limits = u.held_single_limits = u.free_single_limits = u.limits =
        limits_of(0, nan_value, u.scale);
    if (u.at_bound != 0) u.value = as_given(u.value);
    if (u.at_bound == 0) s.free.push_back(static_cast<int>(i));
    s.each.push_back(std::move(u));
  }
  s.unknowns = static_cast<int>(s.free.size());
  int freedom = s.data - s.unknowns;
  s.variance = !s.unknown_noise ? 1 : freedom > 0 ? s.sum_of_squares / freedom : nan_value;
  s.joint_quantile = quantile(s.unknown_noise, s.unknowns, freedom, level);
  s.single_quantile = quantile(s.unknown_noise, 1, freedom, level);
  if (s.unknown_noise && freedom <= 0)
    s.notes.push_back("no more data than estimated parameters (" + std::to_string(s.data) +
                      " and " + std::to_string(s.unknowns) +
                      "): the scatter of the data, and so every error, is unknown");

  Eigen::Index m = s.free.size();
  MatrixXd f(m, m), vectors = MatrixXd::Zero(m, m);
  VectorXd spreads = VectorXd::Zero(m);
  for (Eigen::Index a = 0; a < m; ++a)
    for (Eigen::Index b = 0; b < m; ++b) f(a, b) = fit.at.fisher[s.free[a] * n + s.free[b]];
  if (m > 0) {
    constexpr double rounding = 1e-6;  // units of the objective, over the whole range
    VectorXd least_felt(n), own(m);
    for (std::size_t i = 0; i < n; ++i) {
      const EstimatedParameter& u = unknowns[i];
      double width = std::isfinite(u.upper - u.lower) ? u.upper - u.lower : 10;
      least_felt(i) = rounding * value_unit(objective, fit.at) / (width * width);
    }
    for (Eigen::Index a = 0; a < m; ++a) own(a) = least_felt(s.free[a]);
    Inverse inverse = invert(f, own);
    s.rank = inverse.rank;
    for (Eigen::Index a = 0; a < m; ++a)
      fill_unknown(s.each[s.free[a]], f(a, a), inverse.matrix(a, a), s);
    for (Eigen::Index a = 0; a < m; ++a)
      for (Eigen::Index b = 0; b < m; ++b) {
        double va = inverse.matrix(a, a), vb = inverse.matrix(b, b);
        bool finite = std::isfinite(va) && std::isfinite(vb);
        s.covariance.push_back(finite ? s.variance * inverse.matrix(a, b) : nan_value);
        s.correlation.push_back(a == b   ? 1
                                : finite ? inverse.matrix(a, b) / std::sqrt(va * vb)
                                         : nan_value);
      }
    find_sheltered(s, fit, least_felt);
    fill_axes(s, f, vectors, spreads);
    for (Eigen::Index k = 0; k < inverse.null_space.cols(); ++k)
      s.null_directions.emplace_back(inverse.null_space.col(k).begin(),
                                     inverse.null_space.col(k).end());
  }
  judge_unknowns(s, unknowns, vectors, spreads);
  if (!fit.at_minimum()) {
    leave_unjudged(s, fit.message);
    return s;
  }
  for (std::string& note : correlation_notes(s)) s.notes.push_back(std::move(note));
  return s;
}

}  // namespace stiffit::internal
