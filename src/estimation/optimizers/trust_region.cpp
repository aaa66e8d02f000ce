// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/trust_region.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "estimation/optimizers/bounded_step.h"
#include "estimation/optimizers/counted_objective.h"
#include "estimation/optimizers/secant.h"

namespace stiffit::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A step is accepted from this ratio of actual to predicted reduction on.
constexpr double accept_ratio = 1e-3;
constexpr double good_ratio = 0.75, poor_ratio = 0.25;
// So many steps in a row that reached the region's edge and were fair make it larger as well.
constexpr int fair_steps = 3;
// So many iterations that together bring less than this many value tolerances are the end.
constexpr int patience = 30;
// What a stop without progress may leave unexplained, in units of the objective, to pass as the
// noise of the integrations.
constexpr double noise_allowance = 1e-2;

std::span<const double> span_of(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

class Descent {
 public:
  Descent(const Objective& objective, std::span<const double> start, const LocalOptions& options)
      : objective_(objective), options_(options), evaluate_(objective, fit_) {
    Eigen::Index n = objective.unknowns().size();
    lower_.resize(n);
    upper_.resize(n);
    x_.resize(n);
    fit_.start.assign(start.begin(), start.end());
    for (Eigen::Index i = 0; i < n; ++i) {
      const EstimatedParameter& u = objective.unknowns()[i];
      lower_(i) = u.lower;
      upper_(i) = u.upper;
      x_(i) = interior(start[i], u);
    }
    correction_ = MatrixXd::Zero(n, n);
  }

  LocalFit run() {
    if (!begin()) return std::move(fit_);
    double radius = options_.first_radius;
    while (!ended_) {
      if (interrupted()) return end(FitOutcome::interrupted, "interrupted");
      if (options_.on_step) options_.on_step(span_of(x_), plain_value_);
      if (fit_.iterations >= options_.max_iterations)
        return end(FitOutcome::iterations,
                   "stopped after " + std::to_string(fit_.iterations) + " iterations");
      BoundedModel model(x_, lower_, upper_, g_, hessian());
      double unit = value_unit(objective_, at_);
      // What the model promises anywhere near, not only in a region that failures have shrunk.
      fit_.promised = promised_ = model.step(std::max(radius, 1.0)).predicted / unit;
      if (promised_ < options_.value_tolerance + 1e-13 * std::abs(at_.value) / unit)
        return end(FitOutcome::converged, "converged: no further improvement");
      if (model.optimality() / unit < options_.gradient_tolerance)
        return end(FitOutcome::converged, "the gradient vanishes");
      if (stagnates(unit)) {
        bool noise = promised_ < noise_allowance;
        return end(noise ? FitOutcome::converged : FitOutcome::stalled,
                   "the value does not improve any more");
      }
      radius = descend(model, radius);
    }
    return std::move(fit_);
  }

 private:
  static double interior(double theta, const EstimatedParameter& u) {
    double width = u.upper - u.lower;
    double margin = std::isfinite(width) ? 1e-3 * width : 1e-6;
    if (std::isfinite(u.lower)) theta = std::max(theta, u.lower + margin);
    if (std::isfinite(u.upper)) theta = std::min(theta, u.upper - margin);
    return theta;
  }

  bool begin() {
    Evaluation first = evaluate_(span_of(x_), Need::fisher);
    if (!first.ok()) {
      fit_.x.assign(x_.begin(), x_.end());
      fit_.start_value = std::nan("");
      fit_.outcome = FitOutcome::failed;
      fit_.message = first.failure;
      fit_.at = std::move(first);
      return false;
    }
    fit_.start_value = first.value;
    plain_value_ = watched_value_ = first.value;
    bfgs_ = matrix(first.fisher);
    take(std::move(first));
    return true;
  }

  MatrixXd matrix(const std::vector<double>& rows) const {
    return Eigen::Map<const MatrixXd>(rows.data(), x_.size(), x_.size());
  }

  void take(Evaluation e) {
    at_ = std::move(e);
    g_ = Eigen::Map<const VectorXd>(at_.gradient.data(), x_.size());
    fisher_ = matrix(at_.fisher);
  }

  MatrixXd hessian() const {
    if (options_.hessian == HessianKind::bfgs) return bfgs_;
    return corrected_ ? MatrixXd(fisher_ + correction_) : fisher_;
  }

  bool interrupted() const { return options_.interrupt && options_.interrupt->load(); }

  bool stagnates(double unit) {
    if (fit_.iterations < watched_ + patience) return false;
    bool still = watched_value_ - plain_value_ < patience * options_.value_tolerance * unit;
    watched_ = fit_.iterations;
    watched_value_ = plain_value_;
    return still;
  }

  // One iteration: a step in the region and, if it fails, in smaller ones or with the other model.
  // Gives the next radius.
  double descend(const BoundedModel& model, double radius) {
    for (int rejected = 0;; ++rejected) {
      BoundedStep step = model.step(radius);
      bool only_noise = rejected >= 3 && promised_ < noise_allowance * noise_allowance;
      if (only_noise || !(radius >= options_.step_tolerance) || !(step.predicted > 0)) {
        bool noise = promised_ < noise_allowance;
        end(noise ? FitOutcome::converged : FitOutcome::stalled,
            noise ? "no smaller step improves the value"
                  : "no step improves the value, though the derivatives promise " +
                        std::to_string(promised_) + " units");
        return radius;
      }
      if (interrupted()) return radius;
      VectorXd trial = x_ + step.s;
      Evaluation value = evaluate_(span_of(trial), Need::value);
      if (!value.ok()) {
        radius = 0.25 * step.length;
        continue;
      }
      double actual = plain_value_ - value.value;
      double ratio = (actual - step.correction) / step.predicted;
      if (ratio > accept_ratio && actual > 0) {
        Evaluation full = evaluate_(span_of(trial), Need::fisher);
        if (full.ok()) {
          plain_value_ = value.value;
          advance(step.s, std::move(full), actual);
          ++fit_.iterations;
          changed_model_ = false;
          return next_radius(radius, step.length, ratio);
        }
      }
      fair_ = 0;
      bool before = corrected_;
      choose_model(step.s, actual);
      bool again = corrected_ != before && !changed_model_;  // the other model may fit the region
      if (!again) radius = 0.25 * step.length;
      if (corrected_ == before) continue;
      changed_model_ = true;
      return radius;
    }
  }

  double next_radius(double radius, double length, double ratio) {
    if (ratio < poor_ratio) {
      fair_ = 0;
      return 0.25 * length;
    }
    if (length <= 0.8 * radius) return radius;
    if (ratio <= good_ratio && ++fair_ < fair_steps) return radius;
    fair_ = 0;
    return 2 * radius;
  }

  // Of the two models the one that would have foreseen the last change better serves next.
  void choose_model(const VectorXd& s, double actual) {
    if (options_.hessian != HessianKind::hybrid) return;
    double plain = -quadratic_value(fisher_, g_, s);
    double with = -quadratic_value(fisher_ + correction_, g_, s);
    double error = std::abs(plain - actual), corrected_error = std::abs(with - actual);
    if (corrected_ ? 1.5 * error < corrected_error : 1.5 * corrected_error < error)
      corrected_ = !corrected_;
  }

  void advance(const VectorXd& s, Evaluation next, double actual) {
    choose_model(s, actual);
    VectorXd old_g = g_;
    x_ += s;
    take(std::move(next));
    VectorXd y = g_ - old_g;
    if (options_.hessian == HessianKind::bfgs) update_bfgs(bfgs_, s, y);
    if (options_.hessian == HessianKind::hybrid)
      update_structured_secant(correction_, s, y, fisher_);
  }

  // Unknowns that crept towards a bound are put on it if that is no worse.
  void settle_on_bounds() {
    VectorXd trial = x_;
    for (Eigen::Index i = 0; i < x_.size(); ++i) {
      double width = upper_(i) - lower_(i);
      double margin = std::isfinite(width) ? 1e-4 * width : 1e-8 * (1 + std::abs(x_(i)));
      if (x_(i) - lower_(i) < margin && g_(i) > 0) trial(i) = lower_(i);
      if (upper_(i) - x_(i) < margin && g_(i) < 0) trial(i) = upper_(i);
    }
    if (trial == x_) return;
    Evaluation there = evaluate_(span_of(trial), Need::fisher);
    if (!there.ok() || there.value > at_.value) return;
    x_ = trial;
    take(std::move(there));
  }

  LocalFit end(FitOutcome outcome, std::string message) {
    ended_ = true;
    if (outcome == FitOutcome::converged) settle_on_bounds();
    fit_.x.assign(x_.begin(), x_.end());
    fit_.at = at_;
    end_descent(objective_, fit_, outcome, std::move(message));
    return fit_;
  }

  const Objective& objective_;
  const LocalOptions& options_;
  LocalFit fit_;
  CountedObjective evaluate_;
  VectorXd lower_, upper_, x_, g_;
  MatrixXd fisher_, correction_, bfgs_;
  Evaluation at_;
  double plain_value_ = 0;  // at x, by an evaluation of the value alone: comparable with the next
  double promised_ = 0;
  double watched_value_ = 0;
  int watched_ = 0, fair_ = 0;
  bool corrected_ = false, changed_model_ = false, ended_ = false;
};

}  // namespace

LocalFit fit_trust_region(const Objective& objective, std::span<const double> start,
                          const LocalOptions& options) {
  return Descent(objective, start, options).run();
}

}  // namespace stiffit::internal
