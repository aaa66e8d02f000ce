// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/nelder_mead.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "estimation/optimizers/bounded_step.h"
#include "estimation/optimizers/counted_objective.h"

namespace stiffit::internal {
namespace {

using Eigen::VectorXd;

// Edges of the first simplex: this share of the way between the bounds, but not more than that of
// the unknown itself. Later ones are smaller.
constexpr double share_of_bounds = 0.1, share_of_unknown = 0.5;
constexpr double later_size = 0.1;
// A simplex that brings less than this many value tolerances has found nothing.
constexpr double nothing_found = 100;
// What derivatives at the end may promise, in units of the objective, to pass as the noise of the
// integrations.
constexpr double promise_allowed = 1e-2;

// What a corner that cannot be evaluated is worth.
constexpr double unusable = std::numeric_limits<double>::infinity();

class SimplexSearch {
 public:
  SimplexSearch(const Objective& objective, std::span<const double> start,
                const LocalOptions& options)
      : objective_(objective),
        options_(options),
        evaluate_(objective, fit_),
        n_(static_cast<Eigen::Index>(start.size())),
        lower_(n_),
        upper_(n_),
        edge_(n_) {
    const auto n = static_cast<double>(std::max<Eigen::Index>(2, n_));
    expansion_ = 1 + 2 / n;
    contraction_ = 0.75 - 1 / (2 * n);
    shrinkage_ = 1 - 1 / n;
    fit_.start.assign(start.begin(), start.end());
    VectorXd x = Eigen::Map<const VectorXd>(start.data(), n_);
    for (Eigen::Index i = 0; i < n_; ++i) {
      const EstimatedParameter& u = objective.unknowns()[static_cast<std::size_t>(i)];
      lower_(i) = u.lower;
      upper_(i) = u.upper;
      const double edge =
          std::min(share_of_bounds * (u.upper - u.lower), share_of_unknown * (1 + std::abs(x(i))));
      edge_(i) = std::max(edge, std::numeric_limits<double>::min());  // bounds may leave no room
    }
    corners_ = {{within(std::move(x))}};
  }

  LocalFit run() {
    if (!begin()) return std::move(fit_);
    for (double size = 1;; size = later_size) {
      const double before = best().value;
      set_up(size);
      while (!at_rest()) {
        if (interrupted()) return end(FitOutcome::interrupted, "interrupted");
        if (moves_ % corners_.size() == 0) {
          if (options_.on_step) options_.on_step(span(best().x), best().value);
          if (fit_.iterations >= options_.max_iterations)
            return end(FitOutcome::iterations,
                       "stopped after " + std::to_string(fit_.iterations) + " iterations");
          ++fit_.iterations;
        }
        move();
        ++moves_;
      }
      if (size < 1 && before - best().value <= nothing_found * tolerance()) return settle();
    }
  }

 private:
  struct Corner {
    VectorXd x;
    double value = unusable;
  };

  static std::span<const double> span(const VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }
  bool interrupted() const { return options_.interrupt && options_.interrupt->load(); }
  VectorXd within(const VectorXd& x) const { return x.cwiseMax(lower_).cwiseMin(upper_); }
  const Corner& best() const { return corners_.front(); }

  // A difference of values that does not count.
  double tolerance() const {
    return options_.value_tolerance * unit_ + 1e-13 * std::abs(best().value);
  }

  bool begin() {
    Evaluation first = evaluate_(span(best().x), Need::value);
    fit_.start_value = first.ok() ? first.value : std::nan("");
    corners_.front().value = first.value;
    if (first.ok()) {
      unit_ = value_unit(objective_, first);
      return true;
    }
    fit_.x.assign(best().x.begin(), best().x.end());
    fit_.outcome = FitOutcome::failed;
    fit_.message = first.failure;
    fit_.at = std::move(first);
    return false;
  }

  Corner corner_at(const VectorXd& x) {
    Corner corner{within(x)};
    const Evaluation e = evaluate_(span(corner.x), Need::value);
    if (!e.ok()) return corner;
    corner.value = e.value;
    if (e.value < best().value) unit_ = value_unit(objective_, e);
    return corner;
  }

  // Equal values keep their order.
  void insert(Corner corner) {
    const auto place =
        std::upper_bound(corners_.begin(), corners_.end(), corner,
                         [](const Corner& a, const Corner& b) { return a.value < b.value; });
    corners_.insert(place, std::move(corner));
  }

  // Edges from the best point along the axes, each to the side with more room, and every second
  // time to the other one if there is enough.
  void set_up(double size) {
    const VectorXd x = best().x;
    corners_.resize(1);
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double length = size * edge_(i);
      const bool fits_up = x(i) + length <= upper_(i), fits_down = x(i) - length >= lower_(i);
      bool up = upper_(i) - x(i) >= x(i) - lower_(i);
      if (fits_up && fits_down) up = simplices_ % 2 == 0;
      VectorXd corner = x;
      corner(i) += up ? length : -length;
      insert(corner_at(corner));
    }
    ++simplices_;
  }

  bool at_rest() const {
    if (corners_.back().value - best().value <= tolerance()) return true;
    double size = 0;
    for (const Corner& corner : corners_)
      size = std::max(size, ((corner.x - best().x).cwiseQuotient(edge_)).cwiseAbs().maxCoeff());
    return size <= options_.step_tolerance;
  }

  void move() {
    const Corner worst = corners_.back();
    corners_.pop_back();
    VectorXd centre = VectorXd::Zero(n_);
    for (const Corner& corner : corners_) centre += corner.x;
    centre /= static_cast<double>(n_);
    auto trial = [&](double factor) { return corner_at(centre + factor * (centre - worst.x)); };

    Corner reflected = trial(1);
    if (reflected.value < best().value) {
      Corner expanded = trial(expansion_);
      return insert(expanded.value < reflected.value ? std::move(expanded) : std::move(reflected));
    }
    if (reflected.value < corners_.back().value) return insert(std::move(reflected));
    const bool outside = reflected.value < worst.value;
    Corner contracted = trial(outside ? contraction_ : -contraction_);
    if (contracted.value < (outside ? reflected : worst).value)
      return insert(std::move(contracted));
    shrink(worst);
  }

  void shrink(const Corner& worst) {
    std::vector<Corner> old = std::move(corners_);
    old.push_back(worst);
    corners_ = {old.front()};
    const VectorXd x = best().x;
    for (std::size_t k = 1; k < old.size(); ++k) insert(corner_at(x + shrinkage_ * (old[k].x - x)));
  }

  // The derivatives have the last word: values alone cannot tell a minimum from a simplex that has
  // lost its way.
  LocalFit settle() {
    LocalFit fit = end(FitOutcome::converged, "a new simplex around the best point finds nothing");
    if (fit.outcome != FitOutcome::converged) return fit;
    const VectorXd g = Eigen::Map<const VectorXd>(fit.at.gradient.data(), n_);
    const Eigen::MatrixXd fisher = Eigen::Map<const Eigen::MatrixXd>(fit.at.fisher.data(), n_, n_);
    // The quadratic model is one of points inside the bounds.
    const VectorXd margin = 1e-9 * edge_, low = lower_ + margin, high = upper_ - margin;
    const VectorXd x = Eigen::Map<const VectorXd>(fit.x.data(), n_).cwiseMax(low).cwiseMin(high);
    const double promised = BoundedModel(x, lower_, upper_, g, fisher).step(1).predicted /
                            value_unit(objective_, fit.at);
    if (promised < promise_allowed) return fit;
    fit.outcome = FitOutcome::stalled;
    fit.promised = promised;
    fit.message += ", though the derivatives promise " + std::to_string(promised) + " units";
    return fit;
  }

  LocalFit end(FitOutcome outcome, std::string message) {
    fit_.x.assign(best().x.begin(), best().x.end());
    fit_.at = evaluate_(fit_.x, Need::fisher);
    if (!fit_.at.ok() && outcome != FitOutcome::interrupted) {
      outcome = FitOutcome::failed;
      message = "no derivatives where it ended: " + fit_.at.failure;
    }
    end_descent(objective_, fit_, outcome, std::move(message));
    return std::move(fit_);
  }

  const Objective& objective_;
  const LocalOptions& options_;
  LocalFit fit_;
  CountedObjective evaluate_;
  Eigen::Index n_;
  VectorXd lower_, upper_, edge_;  // of the first simplex
  double expansion_ = 0, contraction_ = 0, shrinkage_ = 0;
  double unit_ = 1;              // of the objective, at the best point
  std::vector<Corner> corners_;  // the best first
  std::size_t moves_ = 0, simplices_ = 0;
};

}  // namespace

LocalFit fit_nelder_mead(const Objective& objective, std::span<const double> start,
                         const LocalOptions& options) {
  return SimplexSearch(objective, start, options).run();
}

}  // namespace stiffit::internal
