// Objectives with known answers, for tests of the optimisers and the statistics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "estimation/optimizers/objective.h"

namespace stiffit::internal {

// Residuals r(theta); their derivatives by differences of a complex-free kind are good enough here:
// central, with steps that leave ten digits on smooth functions.
class TrialLeastSquares : public Objective {
 public:
  using Residuals = std::function<std::vector<double>(std::span<const double>)>;
  TrialLeastSquares(std::vector<EstimatedParameter> unknowns, Residuals residuals,
                    bool unknown_noise = false)
      : unknowns_(std::move(unknowns)), residuals_(std::move(residuals)), unknown_(unknown_noise) {
    std::vector<double> at;
    for (const EstimatedParameter& u : unknowns_)
      at.push_back(std::isfinite(u.start) ? u.start : u.lower);
    count_ = static_cast<int>(residuals_(at).size());
  }

  const std::vector<EstimatedParameter>& unknowns() const override { return unknowns_; }
  int data_count() const override { return count_; }
  bool least_squares() const override { return true; }
  bool unknown_noise() const override { return unknown_; }
  // The value fails where this is true.
  std::function<bool(std::span<const double>)> fails;

  Evaluation evaluate(std::span<const double> theta, Need need) const override {
    Evaluation e;
    if (fails && fails(theta)) {
      e.value = std::nan("");
      e.failure = "cannot be integrated here";
      return e;
    }
    e.residuals = residuals_(theta);
    for (double r : e.residuals) e.chi2 += r * r;
    e.value = 0.5 * e.chi2;
    e.llh = -e.value;
    if (need == Need::value) return e;
    std::size_t n = theta.size(), m = e.residuals.size();
    e.jacobian.assign(m * n, 0);
    std::vector<double> x(theta.begin(), theta.end());
    for (std::size_t j = 0; j < n; ++j) {
      double h = 1e-5 * (1 + std::abs(theta[j]));
      auto at = [&](double d) {
        x[j] = theta[j] + d;
        return residuals_(x);
      };
      auto a = at(-2 * h), b = at(-h), c = at(h), d = at(2 * h);
      x[j] = theta[j];
      for (std::size_t i = 0; i < m; ++i)
        e.jacobian[i * n + j] = (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h);
    }
    e.gradient.assign(n, 0);
    e.fisher.assign(n * n, 0);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        e.gradient[j] += e.jacobian[i * n + j] * e.residuals[i];
        for (std::size_t k = 0; k < n; ++k)
          e.fisher[j * n + k] += e.jacobian[i * n + j] * e.jacobian[i * n + k];
      }
    return e;
  }

 private:
  std::vector<EstimatedParameter> unknowns_;
  Residuals residuals_;
  bool unknown_;
  int count_;
};

// y = a + b t with normal noise of unknown ln sigma (theta 2): no least-squares problem.
class TrialNoiseLine : public Objective {
 public:
  TrialNoiseLine(std::vector<double> t, std::vector<double> y)
      : t_(std::move(t)), y_(std::move(y)) {}
  const std::vector<EstimatedParameter>& unknowns() const override { return unknowns_; }
  int data_count() const override { return static_cast<int>(y_.size()); }
  bool least_squares() const override { return false; }
  Evaluation evaluate(std::span<const double> theta, Need need) const override {
    Evaluation e;
    double sigma = std::exp(theta[2]), n = static_cast<double>(y_.size());
    if (need != Need::value) e.gradient.assign(3, 0), e.fisher.assign(9, 0);
    e.value = 0.5 * n * std::log(2 * 3.14159265358979323846) + n * theta[2];
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double r = (theta[0] + theta[1] * t_[i] - y_[i]) / sigma;
      e.chi2 += r * r;
      e.value += 0.5 * r * r;
      if (need == Need::value) continue;
      e.gradient[0] += r / sigma;
      e.gradient[1] += r * t_[i] / sigma;
      e.gradient[2] += 1 - r * r;
      e.fisher[0] += 1 / (sigma * sigma);
      e.fisher[1] += t_[i] / (sigma * sigma);
      e.fisher[4] += t_[i] * t_[i] / (sigma * sigma);
      e.fisher[8] += 2;
    }
    if (need != Need::value) e.fisher[3] = e.fisher[1];
    e.llh = -e.value;
    return e;
  }

 private:
  std::vector<EstimatedParameter> unknowns_{
      {"a", -100, 100, 0.5},
      {"b", -100, 100, 0.5},
      {"sigma", std::log(1e-4), std::log(1e4), 3, Scale::log}};
  std::vector<double> t_, y_;
};

inline TrialLeastSquares trial_rosenbrock(double upper = 5) {
  return TrialLeastSquares({{"x", -5, upper, -1.2}, {"y", -5, 5, 1}},
                           [](std::span<const double> p) -> std::vector<double> {
                             return {10 * (p[1] - p[0] * p[0]), 1 - p[0]};
                           });
}

}  // namespace stiffit::internal
