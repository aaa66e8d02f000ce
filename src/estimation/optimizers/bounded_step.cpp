// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/bounded_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiffit::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Eigen::VectorXd scale_of(const Eigen::VectorXd& x, const Eigen::VectorXd& lower,
                         const Eigen::VectorXd& upper, const Eigen::VectorXd& g,
                         Eigen::VectorXd& curvature) {
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(x.size());
  curvature = Eigen::VectorXd::Zero(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    double distance = g(i) < 0 ? upper(i) - x(i) : x(i) - lower(i);
    if (!std::isfinite(distance)) continue;
    scale(i) = std::sqrt(std::max(distance, 1e-300));
    curvature(i) = std::abs(g(i));
  }
  return scale;
}

Eigen::MatrixXd scaled_hessian(const Eigen::MatrixXd& hessian, const Eigen::VectorXd& scale,
                               const Eigen::VectorXd& curvature) {
  Eigen::MatrixXd scaled = scale.asDiagonal() * hessian * scale.asDiagonal();
  scaled.diagonal() += curvature;
  return scaled;
}

}  // namespace

BoundedModel::BoundedModel(const Eigen::VectorXd& x, const Eigen::VectorXd& lower,
                           const Eigen::VectorXd& upper, const Eigen::VectorXd& g,
                           const Eigen::MatrixXd& hessian)
    : x_(x),
      lower_(lower),
      upper_(upper),
      g_(g),
      scale_(scale_of(x, lower, upper, g, curvature_)),
      scaled_g_(scale_.cwiseProduct(g)),
      scaled_(scaled_hessian(hessian, scale_, curvature_)),
      subproblem_(scaled_) {
  back_off_ = std::max(0.95, 1 - optimality());
}

double BoundedModel::optimality() const {
  return scale_.cwiseProduct(scaled_g_).cwiseAbs().maxCoeff();
}

double BoundedModel::fraction_to_bound(const Eigen::VectorXd& from,
                                       const Eigen::VectorXd& direction,
                                       Eigen::Index& which) const {
  double least = infinity;
  which = -1;
  for (Eigen::Index i = 0; i < x_.size(); ++i) {
    double d = scale_(i) * direction(i);
    if (d == 0) continue;
    double at = x_(i) + scale_(i) * from(i);
    double fraction = std::max(0.0, ((d > 0 ? upper_(i) : lower_(i)) - at) / d);
    if (fraction < least) {
      least = fraction;
      which = i;
    }
  }
  return least;
}

// The minimum of the model on a ray, inside the region and before the bounds.
Eigen::VectorXd BoundedModel::best_along(const Eigen::VectorXd& from,
                                         const Eigen::VectorXd& direction, double radius) const {
  double length = direction.norm();
  if (!(length > 0)) return from;
  Eigen::VectorXd d = direction / length;
  double b = from.dot(d), c = from.squaredNorm() - radius * radius;
  double most = c < 0 ? -b + std::sqrt(b * b - c) : 0;
  Eigen::Index which;
  most = std::min(most, back_off_ * fraction_to_bound(from, d, which));
  double curvature = d.dot(scaled_ * d);
  double slope = d.dot(scaled_ * from + scaled_g_);
  double t = curvature > 0 ? -slope / curvature : slope < 0 ? most : 0;
  return from + std::clamp(t, 0.0, most) * d;
}

Eigen::VectorXd BoundedModel::reflected(const Eigen::VectorXd& full, double fraction,
                                        Eigen::Index which, double radius) const {
  Eigen::VectorXd turned = full;
  turned(which) = -turned(which);
  return best_along(fraction * full, turned, radius);
}

// Unknowns that would cross a bound are set just before it, and the others solved for anew.
Eigen::VectorXd BoundedModel::slid(Eigen::VectorXd full, double radius) const {
  constexpr int most_rounds = 12;
  Eigen::Index n = x_.size();
  std::vector<bool> held(n, false);
  Eigen::VectorXd s = Eigen::VectorXd::Zero(n);  // of the held ones
  for (int round = 0; round < most_rounds; ++round) {
    bool crossed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (held[i]) continue;
      double up = (upper_(i) - x_(i)) / scale_(i), down = (lower_(i) - x_(i)) / scale_(i);
      if (full(i) < up && full(i) > down) continue;
      s(i) = back_off_ * (full(i) >= up ? up : down);
      held[i] = crossed = true;
    }
    if (!crossed) return full;
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < n; ++i)
      if (!held[i]) free.push_back(i);
    double rest = radius * radius - s.squaredNorm();
    full = s;
    if (free.empty() || rest <= 0) return full;
    Eigen::Index k = free.size();
    Eigen::VectorXd g = scaled_g_ + scaled_ * s, reduced_g(k);
    Eigen::MatrixXd reduced(k, k);
    for (Eigen::Index a = 0; a < k; ++a) {
      reduced_g(a) = g(free[a]);
      for (Eigen::Index b = 0; b < k; ++b) reduced(a, b) = scaled_(free[a], free[b]);
    }
    Eigen::VectorXd part = TrustRegionSubproblem(reduced).solve(reduced_g, std::sqrt(rest));
    for (Eigen::Index a = 0; a < k; ++a) full(free[a]) = part(a);
  }
  return full;
}

Eigen::VectorXd BoundedModel::inside(Eigen::VectorXd s) const {
  double most = std::max(back_off_, 0.999);
  for (Eigen::Index i = 0; i < x_.size(); ++i)
    s(i) = std::clamp(s(i), most * (lower_(i) - x_(i)) / scale_(i),
                      most * (upper_(i) - x_(i)) / scale_(i));
  return s;
}

BoundedStep BoundedModel::step(double radius) const {
  Eigen::VectorXd full = subproblem_.solve(scaled_g_, radius);
  std::vector<Eigen::VectorXd> candidates;
  Eigen::Index which;
  double fraction = fraction_to_bound(Eigen::VectorXd::Zero(x_.size()), full, which);
  if (fraction > 1) {
    candidates.push_back(full);
  } else {
    candidates.push_back(back_off_ * fraction * full);
    candidates.push_back(reflected(full, fraction, which, radius));
    candidates.push_back(slid(full, radius));
    candidates.push_back(best_along(Eigen::VectorXd::Zero(x_.size()), -scaled_g_, radius));
  }
  BoundedStep best;
  best.s = Eigen::VectorXd::Zero(x_.size());
  for (Eigen::VectorXd& candidate : candidates) {
    Eigen::VectorXd s = inside(std::move(candidate));
    double predicted = -quadratic_value(scaled_, scaled_g_, s);
    if (!(predicted > best.predicted)) continue;
    best.predicted = predicted;
    best.length = s.norm();
    best.correction = 0.5 * s.cwiseAbs2().dot(curvature_);
    best.s = scale_.cwiseProduct(s);
  }
  return best;
}

}  // namespace stiffit::internal
