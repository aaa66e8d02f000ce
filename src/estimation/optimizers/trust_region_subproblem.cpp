// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/trust_region_subproblem.h"

#include <algorithm>
#include <cmath>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

// |s(mu)|, s = -(B + mu I)^-1 g, in eigen coordinates.
double length(const Eigen::VectorXd& values, const Eigen::VectorXd& along, double mu) {
  double sum = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (along(i) == 0) continue;
    double s = along(i) / (values(i) + mu);
    sum += s * s;
  }
  return std::sqrt(sum);
}

}  // namespace

TrustRegionSubproblem::TrustRegionSubproblem(const Eigen::MatrixXd& b) {
  const SymmetricEigen eigen(b);
  values_ = eigen.eigenvalues();
  vectors_ = eigen.eigenvectors();
}

Eigen::VectorXd TrustRegionSubproblem::solve(const Eigen::VectorXd& g, double radius) const {
  Eigen::Index n = g.size();
  Eigen::VectorXd along = vectors_.transpose() * g;
  double largest = std::max(std::abs(values_(0)), std::abs(values_(n - 1)));
  double negligible = 1e-14 * largest;
  if (values_(0) > negligible && length(values_, along, 0) <= radius)
    return -(vectors_ * along.cwiseQuotient(values_));

  double g_length = along.norm();
  if (g_length == 0 && values_(0) >= 0) return Eigen::VectorXd::Zero(n);
  // mu in [low, high] with |s(mu)| = radius: above -lambda_min, and below it would be too long.
  double low = std::max(0.0, -values_(0));
  double high = low + g_length / radius + 1e-300;
  double start = low + 1e-12 * std::max({low, largest, g_length / radius});
  Eigen::VectorXd s = Eigen::VectorXd::Zero(n);
  if (length(values_, along, start) < radius) {
    // The hard case: the gradient has nothing along the lowest eigenvectors; those fill up.
    for (Eigen::Index i = 0; i < n; ++i) {
      double d = values_(i) + start;
      if (d > 1e-11 * std::max(largest, 1e-300)) s(i) = -along(i) / d;
    }
    double rest = radius * radius - s.squaredNorm();
    if (values_(0) < -negligible && rest > 0)
      s(0) += along(0) > 0 ? -std::sqrt(rest) : std::sqrt(rest);
    return vectors_ * s;
  }
  double a = start, b = high, mu = start;
  for (int k = 0; k < 200; ++k) {
    double l = length(values_, along, mu);
    if (std::abs(l - radius) <= 1e-10 * radius) break;
    (l > radius ? a : b) = mu;
    // Newton on 1/radius - 1/|s|, which is almost linear; bisection if it leaves [a, b].
    double slope = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      double d = values_(i) + mu;
      if (along(i) != 0) slope += along(i) * along(i) / (d * d * d);
    }
    double next = mu + (l * l / slope) * (l - radius) / radius;
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    if (next == mu) break;
    mu = next;
  }
  for (Eigen::Index i = 0; i < n; ++i)
    if (along(i) != 0) s(i) = -along(i) / (values_(i) + mu);
  if (double l = s.norm(); l > radius) s *= radius / l;
  return vectors_ * s;
}

double quadratic_value(const Eigen::MatrixXd& b, const Eigen::VectorXd& g,
                       const Eigen::VectorXd& s) {
  return 0.5 * s.dot(b * s) + g.dot(s);
}

}  // namespace stiffit::internal
