// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/gauss_newton.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "estimation/optimizers/counted_objective.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int most_relaxations = 40;
// A trial that cannot be evaluated counts as one of nine times the sum of squares.
constexpr double failed_growth = 9;

class Iteration {
 public:
  Iteration(const Objective& objective, std::span<const double> start, const LocalOptions& options)
      : objective_(objective), options_(options), evaluate_(objective, fit_) {
    fit_.start.assign(start.begin(), start.end());
    x_ = Eigen::Map<const VectorXd>(start.data(), start.size());
    x_ = within(x_);
  }

  LocalFit run() {
    at_ = evaluate_(span(x_), Need::fisher);
    fit_.start_value = at_.ok() ? at_.value : std::nan("");
    if (!at_.ok()) return end(FitOutcome::failed, at_.failure);
    int still = 0;
    while (true) {
      if (options_.interrupt && options_.interrupt->load())
        return end(FitOutcome::interrupted, "interrupted");
      if (options_.on_step) options_.on_step(span(x_), at_.value);
      if (fit_.iterations >= options_.max_iterations)
        return end(FitOutcome::iterations,
                   "stopped after " + std::to_string(fit_.iterations) + " iterations");
      double before = at_.chi2;
      VectorXd from = x_;
      if (!improve()) return end_without_step();
      ++fit_.iterations;
      double unit = value_unit(objective_, at_);
      bool same = before - at_.chi2 < options_.value_tolerance * unit ||
                  (x_ - from).norm() < options_.step_tolerance * (1 + x_.norm());
      still = same ? still + 1 : 0;
      if (still == 2) return end(FitOutcome::converged, "S no longer decreases");
    }
  }

 private:
  std::span<const double> span(const VectorXd& x) const {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }

  VectorXd within(VectorXd x) const {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const EstimatedParameter& u = objective_.unknowns()[i];
      x(i) = std::clamp(x(i), u.lower, u.upper);
    }
    return x;
  }

  // S at p + dp; infinite if it cannot be evaluated. The point is kept if S is smaller.
  bool accept(const VectorXd& step, double& sum) {
    VectorXd trial = within(x_ + step);
    Evaluation e = evaluate_(span(trial), Need::value);
    sum = e.ok() ? e.chi2 : std::numeric_limits<double>::infinity();
    if (!(sum < at_.chi2)) return false;
    Evaluation full = evaluate_(span(trial), Need::fisher);
    if (!full.ok()) return false;
    x_ = trial;
    at_ = std::move(full);
    return true;
  }

  bool improve() {
    Eigen::Index m = at_.residuals.size();
    RowMatrix a = Eigen::Map<const RowMatrix>(at_.jacobian.data(), m, x_.size());
    VectorXd y = Eigen::Map<const VectorXd>(at_.residuals.data(), m);
    double sum;
    newton_ = shortest_solution(a, -y);
    if (accept(newton_, sum)) return true;
    VectorXd r = -a.transpose() * y;
    double ar = (a * r).squaredNorm();
    if (!(ar > 0)) return false;
    VectorXd step = r * (r.squaredNorm() / ar);
    for (int k = 0; k < most_relaxations; ++k) {
      if (accept(step, sum)) return true;
      if (options_.interrupt && options_.interrupt->load()) return false;
      step *= std::isfinite(sum) ? at_.chi2 / (at_.chi2 + sum) : 1 / (1 + failed_growth);
      if (step.norm() < options_.step_tolerance * 1e-3) return false;
    }
    return false;
  }

  LocalFit end_without_step() {
    // What the linear model still promised, against the scatter of the data.
    double promised = 0.5 * std::abs(newton_.dot(gradient())) / value_unit(objective_, at_);
    if (promised < 1e-2) return end(FitOutcome::converged, "no step decreases S");
    fit_.promised = promised;
    return end(FitOutcome::stalled, "no step decreases S, though the derivatives promise that");
  }

  VectorXd gradient() const { return Eigen::Map<const VectorXd>(at_.gradient.data(), x_.size()); }

  LocalFit end(FitOutcome outcome, std::string message) {
    fit_.x.assign(x_.begin(), x_.end());
    fit_.at = at_;
    end_descent(objective_, fit_, outcome, std::move(message));
    return std::move(fit_);
  }

  const Objective& objective_;
  const LocalOptions& options_;
  LocalFit fit_;
  CountedObjective evaluate_;
  VectorXd x_, newton_;
  Evaluation at_;
};

}  // namespace

LocalFit fit_gauss_newton(const Objective& objective, std::span<const double> start,
                          const LocalOptions& options) {
  return Iteration(objective, start, options).run();
}

}  // namespace stiffit::internal
