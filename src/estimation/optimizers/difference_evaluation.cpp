// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/difference_evaluation.h"

#include <algorithm>
#include <cmath>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Far above the errors of an integration, and small enough for a straight line.
constexpr double slope_step = 1e-3, curve_step = 2e-2;

double step_of(const EstimatedParameter& u, double theta, double step) {
  if (u.scale != Scale::lin) return step;
  const double range = u.upper - u.lower;
  return theta != 0 ? step * std::abs(theta)
                    : step * (std::isfinite(range) && range > 0 ? range : 1);
}

class Differences {
 public:
  Differences(const Objective& objective, std::span<const double> theta)
      : objective_(objective), theta_(theta.begin(), theta.end()) {}

  Evaluation run(Need need) {
    at_ = objective_.evaluate(theta_, Need::value);
    if (!at_.ok() || need == Need::value) return at_;
    const std::size_t n = theta_.size(), rows = at_.residuals.size();
    at_.gradient.assign(n, 0);
    MatrixXd jacobian = MatrixXd::Zero(rows, n);
    for (std::size_t i = 0; i < n; ++i) {
      const Side up = beside(i, 1), down = beside(i, -1);
      const double apart = up.moved - down.moved;
      if (!(apart > 0)) {
        at_.failure = "it cannot be evaluated beside this point, and derivatives are differences";
        return at_;
      }
      at_.gradient[i] = (up.at.value - down.at.value) / apart;
      for (std::size_t k = 0; k < rows; ++k)
        jacobian(k, i) = (up.at.residuals[k] - down.at.residuals[k]) / apart;
    }
    if (objective_.least_squares() && rows > 0) {
      const VectorXd r = VectorXd::Map(at_.residuals.data(), rows), g = jacobian.transpose() * r;
      at_.gradient.assign(g.begin(), g.end());
    }
    if (need == Need::fisher) {
      const MatrixXd f = objective_.least_squares() && rows > 0
                             ? MatrixXd(jacobian.transpose() * jacobian)
                             : curvature();
      at_.fisher.resize(n * n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) at_.fisher[i * n + j] = f(i, j);
      at_.jacobian.resize(rows * n);
      for (std::size_t k = 0; k < rows; ++k)
        for (std::size_t i = 0; i < n; ++i) at_.jacobian[k * n + i] = jacobian(k, i);
    }
    return at_;
  }

 private:
  struct Side {
    Evaluation at;
    double moved = 0;
  };

  // One step away inside the bounds; nowhere if that fails.
  Side beside(std::size_t i, double sign) const {
    const EstimatedParameter& u = objective_.unknowns()[i];
    std::vector<double> x = theta_;
    x[i] = std::clamp(x[i] + sign * step_of(u, x[i], slope_step), u.lower, u.upper);
    Side side{objective_.evaluate(x, Need::value), x[i] - theta_[i]};
    if (!side.at.ok()) side = {at_, 0};
    return side;
  }

  // Second differences of the values, without what is negative of them.
  MatrixXd curvature() const {
    const std::size_t n = theta_.size();
    auto value = [&](std::size_t i, double a, std::size_t j, double b) {
      std::vector<double> x = theta_;
      const auto& unknowns = objective_.unknowns();
      x[i] += a * step_of(unknowns[i], theta_[i], curve_step);
      x[j] += b * step_of(unknowns[j], theta_[j], curve_step);
      const Evaluation e = objective_.evaluate(x, Need::value);
      return e.ok() ? e.value : std::nan("");
    };
    MatrixXd h = MatrixXd::Zero(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double size = step_of(objective_.unknowns()[i], theta_[i], curve_step) *
                            step_of(objective_.unknowns()[j], theta_[j], curve_step);
        const double second = i == j
                                  ? (value(i, 1, i, 0) - 2 * at_.value + value(i, -1, i, 0)) / size
                                  : (value(i, 1, j, 1) - value(i, 1, j, -1) - value(i, -1, j, 1) +
                                     value(i, -1, j, -1)) /
                                        (4 * size);
        h(i, j) = h(j, i) = std::isfinite(second) ? second : 0;
      }
    const SymmetricEigen eigen(h);
    return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
           eigen.eigenvectors().transpose();
  }

  const Objective& objective_;
  std::vector<double> theta_;
  Evaluation at_;
};

}  // namespace

Evaluation evaluate_by_differences(const Objective& objective, std::span<const double> theta,
                                   Need need) {
  return Differences(objective, theta).run(need);
}

}  // namespace stiffit::internal
