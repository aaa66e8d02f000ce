// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/sampling/mixture.h"

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

constexpr int rounds = 40;
constexpr double narrowest = 1e-4;  // least variance, beside that of the whole cloud
constexpr double wide_share = 0.05, wide_scale = 2.5;

MatrixXd covariance_of(const MatrixXd& points, const VectorXd& weights, const VectorXd& mean) {
  const MatrixXd d = points.colwise() - mean;
  return d * weights.asDiagonal() * d.transpose() / weights.sum();
}

double white_square(const MixturePart& part, const VectorXd& d) {
  return part.factor.triangularView<Eigen::Lower>().solve(d).squaredNorm();
}

double log_sum(const std::vector<double>& logs) {
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (double own : logs) sum += std::exp(own - top);
  return top + std::log(sum);
}

// Centres that are far from each other: each is drawn with a chance that grows with the squared
// distance from those before.
std::vector<Index> centres(const MatrixXd& points, int count, SplitMix& random) {
  std::vector<Index> found{random.below(static_cast<int>(points.cols()))};
  VectorXd distance = VectorXd::Constant(points.cols(), std::numeric_limits<double>::infinity());
  while (static_cast<int>(found.size()) < count) {
    distance = distance.cwiseMin(
        (points.colwise() - points.col(found.back())).colwise().squaredNorm().transpose());
    double left = random.unit() * distance.sum();
    Index next = 0;
    while (next + 1 < points.cols() && (left -= distance(next)) > 0) ++next;
    found.push_back(next);
  }
  return found;
}

// Of whitened points. Parts that too few points are left to are taken out.
std::vector<MixturePart> maximised(const MatrixXd& points, int count, SplitMix& random,
                                   double& log_likelihood) {
  const Index n = points.cols(), d = points.rows();
  std::vector<MixturePart> parts;
  for (Index at : centres(points, count, random))
    parts.push_back(
        {1.0 / count, points.col(at), MatrixXd::Identity(d, d) / std::pow(count, 1.0 / double(d))});
  double before = -std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    MatrixXd share(static_cast<Index>(parts.size()), n);  // log, then as it is
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const MixturePart& p = parts[k];
      const MatrixXd z = p.factor.triangularView<Eigen::Lower>().solve(points.colwise() - p.mean);
      share.row(k).array() = std::log(p.weight) - p.factor.diagonal().array().log().sum() -
                             0.5 * z.colwise().squaredNorm().array();
    }
    const Eigen::RowVectorXd top = share.colwise().maxCoeff();
    share = (share.rowwise() - top).array().exp();
    const Eigen::RowVectorXd sum = share.colwise().sum();
    log_likelihood =
        top.sum() + sum.array().log().sum() - 0.5 * double(n * d) * std::log(2 * std::numbers::pi);
    share.array().rowwise() /= sum.array();
    std::vector<MixturePart> next;
    for (Index k = 0; k < share.rows(); ++k) {
      const VectorXd own = share.row(k).transpose();
      if (own.sum() < 3 * double(d) + 3) continue;
      MixturePart p;
      p.weight = own.sum();
      p.mean = points * own / own.sum();
      MatrixXd covariance = covariance_of(points, own, p.mean);
      covariance.diagonal().array() += narrowest;
      p.factor = Cholesky(covariance).lower();
      next.push_back(std::move(p));
    }
    if (next.empty()) return {};
    double all = 0;
    for (const MixturePart& p : next) all += p.weight;
    for (MixturePart& p : next) p.weight /= all;
    const bool same = next.size() == parts.size();
    parts = std::move(next);
    if (same && log_likelihood - before < 1e-4 * double(n)) break;
    before = log_likelihood;
  }
  return parts;
}

}  // namespace

Mixture::Mixture(std::vector<MixturePart> parts) : parts_(std::move(parts)) {
  for (const MixturePart& p : parts_)
    log_factor_.push_back(std::log(p.weight) - p.factor.diagonal().array().log().sum() -
                          0.5 * double(p.mean.size()) * std::log(2 * std::numbers::pi));
}

std::vector<double> Mixture::logs_at(const VectorXd& x) const {
  std::vector<double> logs(parts_.size());
  for (std::size_t k = 0; k < parts_.size(); ++k)
    logs[k] = log_factor_[k] - 0.5 * white_square(parts_[k], x - parts_[k].mean);
  return logs;
}

double Mixture::log_density(const VectorXd& x) const { return log_sum(logs_at(x)); }

VectorXd Mixture::step(const VectorXd& x, double length, SplitMix& random,
                       const VectorXd& normals) const {
  const std::vector<double> logs = logs_at(x);
  const double all = log_sum(logs);
  double left = random.unit();
  std::size_t k = 0;
  while (k + 1 < parts_.size() && (left -= std::exp(logs[k] - all)) > 0) ++k;
  return x + length * (parts_[k].factor * normals);
}

double Mixture::log_step_density(const VectorXd& from, const VectorXd& to, double length) const {
  std::vector<double> logs = logs_at(from);
  const double all = log_sum(logs);
  const VectorXd d = (to - from) / length;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    logs[k] += log_factor_[k] - std::log(parts_[k].weight) - 0.5 * white_square(parts_[k], d);
  return log_sum(logs) - all;  // length^-d is the same both ways
}

VectorXd Mixture::draw(SplitMix& random, const VectorXd& normals) const {
  double left = random.unit();
  std::size_t k = 0;
  while (k + 1 < parts_.size() && (left -= parts_[k].weight) > 0) ++k;
  return parts_[k].mean + parts_[k].factor * normals;
}

Mixture joined(const Mixture& a, const Mixture& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  std::vector<MixturePart> parts = a.parts();
  parts.insert(parts.end(), b.parts().begin(), b.parts().end());
  for (MixturePart& p : parts) p.weight *= 0.5;
  return Mixture(std::move(parts));
}

Mixture fitted_mixture(const MatrixXd& points, int most, double worth, SplitMix random) {
  const Index n = points.cols(), d = points.rows();
  if (n < 10 * d + 10) return {};
  const VectorXd mean = points.rowwise().mean();
  MatrixXd covariance = covariance_of(points, VectorXd::Ones(n), mean);
  covariance.diagonal() *= 1 + 1e-9;
  const Cholesky cholesky(covariance);
  if (!cholesky.positive_definite() || !(covariance.diagonal().minCoeff() > 0)) return {};
  const MatrixXd& whole = cholesky.lower();
  const MatrixXd white = whole.triangularView<Eigen::Lower>().solve(points.colwise() - mean);
  // Schwarz's criterion.
  const double own_numbers = 1 + double(d) + 0.5 * double(d * (d + 1));
  std::vector<MixturePart> best;
  double best_score = std::numeric_limits<double>::infinity();
  int worse = 0;  // in a row
  for (int count = 1; count <= most; count += count < 4 ? 1 : 2) {
    double log_likelihood = 0;
    std::vector<MixturePart> parts = maximised(white, count, random, log_likelihood);
    const double score = -2 * worth * log_likelihood +
                         own_numbers * double(parts.size()) * std::log(worth * double(n));
    if (parts.empty() || !(score < best_score)) {
      if (++worse == 2) break;
      continue;
    }
    worse = 0;
    best_score = score;
    best = std::move(parts);
  }
  for (MixturePart& p : best) {
    p.weight *= 1 - wide_share;
    p.mean = mean + whole * p.mean;
    p.factor = (whole * p.factor).eval();
  }
  if (!best.empty()) best.push_back({wide_share, mean, wide_scale * whole});
  return Mixture(std::move(best));
}

}  // namespace stiffit::internal
