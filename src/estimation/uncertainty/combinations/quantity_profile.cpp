// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/quantity_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/number.h"
#include "estimation/optimizers/trust_region.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

constexpr double agrees = 0.02;       // of the quantile, at the interval's end
constexpr double better_ratio = 0.1;  // a fit lower by more is another estimate
constexpr double longest_pull = 2;    // in stretched units: a factor of 7
constexpr double endless_pull = 23;   // ten decades
constexpr double at_a_bound = 1e-3;   // of the bounds' distance
constexpr int most_pulls = 60;
constexpr double first_weight = 10, most_weight = 1e4;  // beside the quantity's own certainty

class QuantityWalk {
 public:
  QuantityWalk(const Objective& objective, const LocalFit& best, const QuantityScale& scale,
               const QuantityProfileOptions& options, double spread, int direction,
               QuantitySide& side)
      : objective_(objective),
        best_(best),
        scale_(scale),
        options_(options),
        spread_(std::clamp(spread, 1e-9, 1.0)),
        direction_(direction),
        side_(side),
        start_(scale.at(best.x).stretched) {}

  void run() {
    side_.limit = std::numeric_limits<double>::quiet_NaN();
    const double wanted = std::sqrt(options_.quantile);
    Place inside{start_, 0, best_.x};
    double step = std::min(0.6 * wanted * spread_, longest_pull), weight = first_weight;
    for (int k = 0; k < most_pulls; ++k) {
      if (side_.evaluations >= options_.max_evaluations) break;
      std::optional<Place> next = pulled(inside, inside.at + direction_ * step, weight);
      if (interrupted()) return end(ProfileStop::interrupted, "interrupted");
      if (!next) {
        step /= 4;
        if (step < 1e-3 * spread_)
          return end(ProfileStop::unintegrable, "the model cannot be evaluated further out");
        continue;
      }
      if (next->ratio < -better_ratio) return end(ProfileStop::better, "a better fit was found");
      if (next->ratio > options_.quantile) return close_in(inside, std::move(*next), weight);
      const double way = direction_ * (next->at - inside.at);
      if (way < 0.3 * step) {
        if (weight < most_weight) {
          weight *= 10;
          continue;
        }
        if (way < 1e-3 * step) return end_of_bounds();
      }
      note(*next);
      const double rise = root(*next) - root(inside);
      const double to_limit = rise > 0 ? 1.1 * (wanted - root(*next)) * way / rise : 3 * step;
      step = std::min(std::clamp(to_limit, 0.3 * step, 3 * step), longest_pull);
      inside = std::move(*next);
      if (std::abs(inside.at - start_) > endless_pull) return end_of_bounds();
    }
    end(ProfileStop::limit, "stopped after " + std::to_string(side_.evaluations) + " evaluations");
  }

 private:
  struct Place {
    double at = 0, ratio = 0;
    std::vector<double> x;
  };

  bool interrupted() const { return options_.local.interrupt && options_.local.interrupt->load(); }
  static double root(const Place& p) { return std::sqrt(std::max(0.0, p.ratio)); }

  std::optional<Place> pulled(const Place& from, double target, double weight) {
    const PulledObjective objective(objective_, scale_, target, weight / spread_, options_.unit);
    const LocalFit fit = fit_trust_region(objective, from.x, options_.local);
    side_.evaluations += fit.values + fit.gradients;
    if (!fit.usable()) return {};
    const double value = fit.at.value - objective.pull(fit.x);
    return Place{scale_.at(fit.x).stretched, 2 * (value - best_.at.value) / options_.unit, fit.x};
  }

  void note(const Place& p) { side_.points.push_back({scale_.value(p.at), p.ratio, p.x}); }

  // The Illinois rule on the square root of the ratio, which is nearly linear.
  void close_in(Place inside, Place outside, double weight) {
    const double wanted = std::sqrt(options_.quantile);
    double low_weight = root(inside) - wanted, high_weight = root(outside) - wanted;
    int last = 0;
    bool closed = std::abs(outside.ratio - options_.quantile) < agrees * options_.quantile;
    for (int k = 0; k < 40 && !closed; ++k) {
      if (std::abs(outside.at - inside.at) < 1e-4 * spread_) break;
      if (side_.evaluations >= options_.max_evaluations)
        return end(ProfileStop::limit,
                   "stopped after " + std::to_string(side_.evaluations) + " evaluations");
      const double share = std::clamp(low_weight / (low_weight - high_weight), 0.02, 0.98);
      std::optional<Place> middle =
          pulled(inside, inside.at + share * (outside.at - inside.at), weight);
      if (interrupted()) return end(ProfileStop::interrupted, "interrupted");
      if (!middle)
        return end(ProfileStop::unintegrable, "the model cannot be evaluated further out");
      if (middle->ratio < -better_ratio) return end(ProfileStop::better, "a better fit was found");
      const double off = root(*middle) - wanted;
      closed = std::abs(middle->ratio - options_.quantile) < agrees * options_.quantile;
      if (off < 0) {
        // Before a cliff the pull is weaker than what resists.
        if (direction_ * (middle->at - inside.at) < 1e-3 * direction_ * (outside.at - inside.at)) {
          if (weight >= most_weight) break;
          weight *= 10;
          continue;
        }
        note(*middle);
        inside = std::move(*middle);
        low_weight = off;
        if (last < 0) high_weight /= 2;
        last = -1;
      } else {
        outside = std::move(*middle);
        high_weight = off;
        if (last > 0) low_weight /= 2;
        last = 1;
      }
    }
    const double below = root(inside) - wanted, above = root(outside) - wanted;
    const double at = inside.at + below / (below - above) * (outside.at - inside.at);
    note(outside);
    if (made_by_bounds(at, inside, outside)) return end_of_bounds();
    side_.limit = scale_.value(at);
    side_.stop = ProfileStop::threshold;
    side_.message = "the limit is " + format_short(side_.limit, 5);
  }

  // The data let it go on and on until an unknown came to its bound, where it ends at once, and
  // would let it go further if the bound were: that is no limit by the data.
  bool made_by_bounds(double limit, const Place& inside, const Place& outside) const {
    constexpr double steeper = 5, wider = 0.1, further = 0.1;
    const double there = (root(outside) - root(inside)) / std::abs(outside.at - inside.at);
    const double way = std::abs(limit - start_);
    if (there < steeper * std::sqrt(options_.quantile) / way) return false;
    const Evaluation e = objective_.evaluate(outside.x, Need::fisher);
    if (!e.ok()) return false;
    std::vector<std::size_t> pressed, rest;
    for (std::size_t i = 0; i < outside.x.size(); ++i) {
      const EstimatedParameter& u = objective_.unknowns()[i];
      const double margin = at_a_bound * (u.upper - u.lower), x = outside.x[i];
      const bool at = std::isfinite(margin) && std::min(x - u.lower, u.upper - x) <= margin;
      (at ? pressed : rest).push_back(i);
    }
    // In factors where there are any.
    const double first = scale_.value(start_), last = scale_.value(limit);
    const bool factors = first * last > 0;
    const double whole = factors ? std::abs(std::log(last / first)) : way;
    const double factor = factors ? scale_.by_factors(scale_.value(outside.at)) : 1;
    for (std::size_t i : pressed) {
      const double width = objective_.unknowns()[i].upper - objective_.unknowns()[i].lower;
      if (std::abs(slope_with(i, rest, outside.x, e.fisher)) * factor * wider * width >
          further * whole)
        return true;
    }
    return false;
  }

  // How the quantity goes with one unknown if `rest` follow it as the data want.
  double slope_with(std::size_t i, const std::vector<std::size_t>& rest,
                    const std::vector<double>& x, const std::vector<double>& fisher) const {
    const std::size_t n = x.size(), m = rest.size();
    std::vector<EstimatedParameter> unknowns;
    std::vector<double> own(m * m);
    Eigen::VectorXd cross(m), slopes(m);
    const StretchedQuantity q = scale_.at(x);
    for (std::size_t a = 0; a < m; ++a) {
      unknowns.push_back(objective_.unknowns()[rest[a]]);
      cross(a) = fisher[rest[a] * n + i] / options_.unit;
      slopes(a) = q.slopes[rest[a]];
      for (std::size_t b = 0; b < m; ++b) own[a * m + b] = fisher[rest[a] * n + rest[b]];
    }
    if (m == 0) return q.slopes[i];
    return q.slopes[i] - slopes.dot(bounded_covariance(unknowns, own, options_.unit) * cross);
  }

  void end_of_bounds() {
    double most = 0;
    for (const QuantityPoint& p : side_.points) most = std::max(most, p.ratio);
    if (most < 0.01 * options_.quantile)
      return end(ProfileStop::flat, "flat: nothing changes as far as the bounds allow");
    end(ProfileStop::bound, "the bounds of the parameters were reached below the threshold");
  }

  void end(ProfileStop stop, std::string message) {
    side_.stop = stop;
    side_.message = std::move(message);
  }

  const Objective& objective_;
  const LocalFit& best_;
  const QuantityScale& scale_;
  const QuantityProfileOptions& options_;
  double spread_;
  int direction_;
  QuantitySide& side_;
  double start_;
};

bool has_ended(const QuantitySide& side) {
  return side.stop == ProfileStop::threshold || side.stop == ProfileStop::bound ||
         side.stop == ProfileStop::flat;
}

}  // namespace

bool QuantityProfile::complete() const { return has_ended(lower) && has_ended(upper); }

Eigen::MatrixXd bounded_covariance(const std::vector<EstimatedParameter>& unknowns,
                                   const std::vector<double>& fisher, double unit) {
  const Eigen::Index n = unknowns.size();
  Eigen::MatrixXd information(n, n);
  Eigen::VectorXd size(n);  // of the unknowns' information, so that all count alike
  for (Eigen::Index i = 0; i < n; ++i) {
    const EstimatedParameter& u = unknowns[i];
    const double width = std::isfinite(u.upper - u.lower) ? u.upper - u.lower : 1e3;
    for (Eigen::Index j = 0; j < n; ++j) information(i, j) = fisher[i * n + j] / unit;
    information(i, i) += 12 / (width * width);
    size(i) = 1 / std::sqrt(information(i, i));
  }
  const Eigen::MatrixXd scaled = size.asDiagonal() * information * size.asDiagonal();
  const SymmetricEigen eigen(scaled);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index k = 0; k < n; ++k)
    sum += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() /
           std::max(eigen.eigenvalues()(k), 1e-14);
  return size.asDiagonal() * sum * size.asDiagonal();
}

QuantityProfile profile_quantity(const Objective& objective, const LocalFit& best,
                                 const Quantity& quantity, const QuantityProfileOptions& options) {
  QuantityProfile p;
  const QuantityScale scale(objective, quantity, best.x);
  const StretchedQuantity own = scale.at(best.x);
  p.value = own.value;
  const Eigen::Map<const Eigen::VectorXd> slopes(own.slopes.data(),
                                                 static_cast<Eigen::Index>(own.slopes.size()));
  const Eigen::MatrixXd covariance =
      bounded_covariance(objective.unknowns(), best.at.fisher, options.unit);
  const double spread = std::sqrt(std::max(0.0, slopes.dot(covariance * slopes)));
  std::vector<double> by_value;
  quantity.value(values_of(objective.unknowns(), best.x), &by_value);
  Eigen::VectorXd g(slopes.size());
  for (Eigen::Index i = 0; i < g.size(); ++i) {
    const EstimatedParameter& u = objective.unknowns()[i];
    g(i) = by_value[i] * theta_slope(from_theta(best.x[i], u.scale), u.scale);
  }
  p.error = std::sqrt(std::max(0.0, g.dot(covariance * g)));
  QuantityWalk(objective, best, scale, options, spread, -1, p.lower).run();
  QuantityWalk(objective, best, scale, options, spread, 1, p.upper).run();
  return p;
}

}  // namespace stiffit::internal
