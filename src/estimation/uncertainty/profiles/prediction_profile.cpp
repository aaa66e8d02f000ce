// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/profiles/prediction_profile.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/diagnostic.h"
#include "base/number.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/statistics.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// The objective and a spring between the prediction and a target.
class PulledObjective : public Objective {
 public:
  // `stiffness`: the term is stiffness/2 (prediction - target)^2.
  PulledObjective(const Objective& data, const Objective& prediction, double target,
                  double stiffness)
      : data_(data), prediction_(prediction), target_(target), stiffness_(stiffness) {}

  const std::vector<EstimatedParameter>& unknowns() const override { return data_.unknowns(); }
  int data_count() const override { return data_.data_count(); }
  bool least_squares() const override { return data_.least_squares(); }
  bool unknown_noise() const override { return data_.unknown_noise(); }

  Evaluation evaluate(std::span<const double> theta, Need need) const override {
    Evaluation e = data_.evaluate(theta, need);
    if (!e.ok()) return e;
    // The gradient of an objective with one residual is its derivative times it; the Fisher run
    // has the derivative itself.
    const Evaluation p =
        prediction_.evaluate(theta, need == Need::value ? Need::value : Need::fisher);
    if (!p.ok()) {
      e.failure = p.failure;
      e.value = no_number;
      return e;
    }
    const double off = p.residuals[0] - target_;
    e.value += 0.5 * stiffness_ * off * off;
    const std::size_t n = theta.size();
    if (need != Need::value)
      for (std::size_t i = 0; i < n; ++i) e.gradient[i] += stiffness_ * off * p.jacobian[i];
    if (need == Need::fisher)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          e.fisher[i * n + j] += stiffness_ * p.jacobian[i] * p.jacobian[j];
    if (least_squares()) {
      const double root = std::sqrt(stiffness_);
      e.residuals.push_back(root * off);
      if (need == Need::fisher)
        for (std::size_t i = 0; i < n; ++i) e.jacobian.push_back(root * p.jacobian[i]);
    }
    return e;
  }

 private:
  const Objective& data_;
  const Objective& prediction_;
  double target_, stiffness_;
};

class PredictionWalk {
 public:
  PredictionWalk(const Objective& objective, const LocalFit& best, const Objective& prediction,
                 const ProfileOptions& options, double estimate, double deviation,
                 PredictionSide& side)
      : objective_(objective),
        best_(best),
        prediction_(prediction),
        options_(options),
        side_(side),
        estimate_(estimate),
        unit_(value_unit(objective, best.at)),
        quantile_(single_quantile(objective, options.level)),
        size_(deviation > 0 ? deviation : std::max(0.1 * std::fabs(estimate), 1e-6)) {}

  void run() {
    if (!std::isfinite(quantile_))
      return stop(ProfileStop::limit,
                  "no more data than estimated parameters: no quantile to compare with");
    constexpr double rises = 0.35, hardly = 0.08;  // of the quantile, as of profiles of parameters
    const double reach = std::sqrt(quantile_) * size_;
    double target = estimate_, h = 0.3 * reach;
    double pull = 25 * unit_ / (size_ * size_);  // the target is missed by a few percent
    int idle = 0;                                // steps in which the prediction did not move
    while (true) {
      if (side_.points.size() >= static_cast<std::size_t>(options_.max_points))
        return stop(ProfileStop::limit,
                    "stopped after " + std::to_string(options_.max_points) + " points");
      if (side_.evaluations >= options_.max_evaluations)
        return stop(ProfileStop::limit,
                    "stopped after " + std::to_string(side_.evaluations) + " evaluations");
      PredictionPoint next;
      const bool done = fit(target + side_.direction * h, pull, next);
      if (halted()) return stop(ProfileStop::interrupted, "interrupted");
      if (!done) {
        h /= 4;
        if (h < 1e-4 * reach)
          return stop(ProfileStop::unintegrable, "the model cannot be evaluated beyond " +
                                                     format_short(last().prediction, 5) + ": " +
                                                     failure_);
        continue;
      }
      if (next.value < best_.at.value - 0.01 * unit_) {
        side_.points.push_back(std::move(next));
        return stop(ProfileStop::better, "a better fit was found");
      }
      if (next.ratio > quantile_) return close(target, target + side_.direction * h, pull, next);
      const double rise = next.ratio - last().ratio;
      if (rise > rises * quantile_ && h > 1e-3 * reach) {
        h /= 2;
        continue;
      }
      // It no longer follows: pulled harder, and if that does not help there is no more.
      const double moved = std::fabs(next.prediction - last().prediction);
      target += side_.direction * h;
      idle = moved < 1e-4 * h ? idle + 1 : 0;
      if (idle > 0) pull *= 10;
      side_.points.push_back(std::move(next));
      if (idle >= 4) {
        side_.stop = ProfileStop::bound;
        side_.limit = last().prediction;
        side_.message = "no parameters within their bounds that fit predict " +
                        std::string(side_.direction > 0 ? "more" : "less") + " than " +
                        format_short(side_.limit, 5);
        return;
      }
      if (std::fabs(target - estimate_) > 1e6 * reach)
        return stop(ProfileStop::flat, "it can be as " +
                                           std::string(side_.direction > 0 ? "large" : "small") +
                                           " as one likes");
      if (std::fabs(rise) < hardly * quantile_) h *= 2;
    }
  }

 private:
  PredictionPoint last() const {
    if (!side_.points.empty()) return side_.points.back();
    return {estimate_, best_.at.value, 0, best_.x};
  }
  bool halted() const { return options_.local.interrupt && options_.local.interrupt->load(); }

  bool fit(double target, double pull, PredictionPoint& point) {
    const PulledObjective pulled(objective_, prediction_, target, pull);
    const LocalFit found = fit_trust_region(pulled, last().x, options_.local);
    side_.evaluations += found.values + found.gradients;
    if (!found.usable()) {
      failure_ = found.message;
      return false;
    }
    const Evaluation there = prediction_.evaluate(found.x, Need::value);
    if (!there.ok()) {
      failure_ = there.failure;
      return false;
    }
    point.prediction = there.residuals[0];
    const double off = point.prediction - target;
    point.value = found.at.value - 0.5 * pull * off * off;
    point.ratio = 2 * (point.value - best_.at.value) / unit_;
    point.x = found.x;
    return true;
  }

  // Between a target whose fit is inside and one whose fit, `outside`, is not.
  void close(double low, double high, double pull, PredictionPoint outside) {
    constexpr double near = 0.005;  // of the quantile
    const double wanted = std::sqrt(quantile_);
    auto root = [&](const PredictionPoint& p) {
      return std::sqrt(std::max(0.0, p.ratio)) - wanted;
    };
    PredictionPoint inside = last();
    double low_weight = root(inside), high_weight = root(outside);
    int side = 0;
    for (int k = 0; k < 60 && std::fabs(high - low) > 1e-9 * (std::fabs(high) + size_); ++k) {
      if (outside.ratio - quantile_ < near * quantile_) break;
      if (quantile_ - inside.ratio < near * quantile_) break;
      if (side_.evaluations >= options_.max_evaluations) {
        side_.points.push_back(std::move(outside));
        return stop(ProfileStop::limit, "stopped after " + std::to_string(side_.evaluations) +
                                            " evaluations, before the limit was closed in on");
      }
      const double share = std::clamp(low_weight / (low_weight - high_weight), 0.02, 0.98);
      const double target = low + share * (high - low);
      PredictionPoint middle;
      const bool done = fit(target, pull, middle);
      if (halted()) return stop(ProfileStop::interrupted, "interrupted");
      if (!done)
        return stop(ProfileStop::unintegrable, "the model cannot be evaluated: " + failure_);
      if (middle.value < best_.at.value - 0.01 * unit_) {
        side_.points.push_back(std::move(middle));
        return stop(ProfileStop::better, "a better fit was found");
      }
      const double r = root(middle);
      if (r < 0) {
        low = target, low_weight = r;
        side_.points.push_back(middle);
        inside = std::move(middle);
        if (side < 0) high_weight /= 2;
        side = -1;
      } else {
        high = target, high_weight = r;
        outside = std::move(middle);
        if (side > 0) low_weight /= 2;
        side = 1;
      }
    }
    const double below = root(inside), above = root(outside);
    side_.limit =
        inside.prediction + -below / (above - below) * (outside.prediction - inside.prediction);
    side_.points.push_back(std::move(outside));
    fill_up(pull);
    side_.stop = ProfileStop::threshold;
    side_.message = "the limit is " + format_short(side_.limit, 5);
  }

  // Points where a picture would have gaps.
  void fill_up(double pull) {
    while (side_.points.size() < static_cast<std::size_t>(options_.min_points) && !halted() &&
           side_.evaluations < options_.max_evaluations) {
      double before = estimate_, widest = 0, at = 0;
      for (const PredictionPoint& p : side_.points) {
        if (std::fabs(p.prediction - before) > widest) {
          widest = std::fabs(p.prediction - before);
          at = 0.5 * (p.prediction + before);
        }
        before = p.prediction;
      }
      PredictionPoint point;
      if (!(widest > 0) || !fit(at, pull, point)) return;
      side_.points.push_back(std::move(point));
      std::stable_sort(side_.points.begin(), side_.points.end(),
                       [&](const PredictionPoint& a, const PredictionPoint& b) {
                         return a.prediction * side_.direction < b.prediction * side_.direction;
                       });
    }
  }

  void stop(ProfileStop reason, std::string message) {
    side_.stop = reason;
    side_.message = std::move(message);
    side_.limit = no_number;
  }

  const Objective& objective_;
  const LocalFit& best_;
  const Objective& prediction_;
  const ProfileOptions& options_;
  PredictionSide& side_;
  double estimate_, unit_, quantile_, size_;
  std::string failure_;
};

// Of the linear theory, with what the data leave open as wide as the bounds.
double linear_deviation(const Objective& objective, const LocalFit& best,
                        const std::vector<double>& slope) {
  const Eigen::Index n = best.x.size();
  Eigen::MatrixXd information = Eigen::Map<const Eigen::MatrixXd>(best.at.fisher.data(), n, n) /
                                value_unit(objective, best.at);
  for (Eigen::Index i = 0; i < n; ++i) {
    const EstimatedParameter& u = objective.unknowns()[i];
    const double width =
        std::isfinite(u.upper - u.lower) ? u.upper - u.lower : 100 * (1 + std::fabs(best.x[i]));
    information(i, i) += 12 / (width * width);
  }
  const Eigen::VectorXd g = Eigen::Map<const Eigen::VectorXd>(slope.data(), n);
  return std::sqrt(std::max(0.0, g.dot(SymmetricFactors(information).solve(g))));
}

std::string prediction_verdict(const PredictionProfile& p) {
  const bool low = !std::isnan(p.lower.limit), high = !std::isnan(p.upper.limit);
  if (low && high)
    return "between " + format_short(p.lower.limit, 4) + " and " + format_short(p.upper.limit, 4);
  if (low) return "at least " + format_short(p.lower.limit, 4);
  if (high) return "at most " + format_short(p.upper.limit, 4);
  return "not determined by these data";
}

}  // namespace

PredictionProfile profile_prediction(const Objective& objective, const LocalFit& best,
                                     const Objective& prediction, const std::string& words,
                                     const ProfileOptions& options) {
  const Evaluation at = prediction.evaluate(best.x, Need::fisher);
  if (!at.ok())
    throw InputError("error: " + words + " cannot be predicted by the best fit: " + at.failure);
  PredictionProfile p;
  p.words = words;
  p.estimate = at.residuals[0];
  p.lower.direction = -1;
  p.deviation = linear_deviation(objective, best, at.jacobian);
  for (PredictionSide* side : {&p.lower, &p.upper})
    PredictionWalk(objective, best, prediction, options, p.estimate, p.deviation, *side).run();
  p.verdict = prediction_verdict(p);
  return p;
}

}  // namespace stiffit::internal
