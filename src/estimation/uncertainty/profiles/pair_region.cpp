// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/profiles/pair_region.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/number.h"
#include "estimation/optimizers/held_objective.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/statistics.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

constexpr double on_contour = 0.002;  // of the root of the threshold
// Of the radius that the region of a linear model has: steps along the contour.
constexpr double first_stride = 0.2, longest_stride = 0.25, shortest_stride = 1e-4;
constexpr std::size_t most_contour_points = 2000;

// A place in the plane of the two, in coordinates in which the region of a linear model is a circle
// around the best fit.
struct Placed {
  Vector2d u = Vector2d::Zero();
  double root = 0;                    // of the ratio
  Vector2d slope = Vector2d::Zero();  // of the root
  // Curvature of the ratio: in its lengths a bent valley is as round as a circle, place by place.
  Matrix2d metric = Matrix2d::Identity();
  std::vector<double> x;

  // Where the root grows most for its length.
  Vector2d steepest() const {
    const double determinant = metric(0, 0) * metric(1, 1) - metric(0, 1) * metric(1, 0);
    return Vector2d(metric(1, 1) * slope(0) - metric(0, 1) * slope(1),
                    metric(0, 0) * slope(1) - metric(1, 0) * slope(0)) /
           determinant;
  }
  double length(const Vector2d& v) const { return std::sqrt(std::max(0.0, v.dot(metric * v))); }
};

class Contour {
 public:
  Contour(const Objective& objective, const LocalFit& best, const ProfileOptions& options,
          PairRegion& region)
      : objective_(objective),
        best_(best),
        options_(options),
        region_(region),
        unit_(value_unit(objective, best.at)),
        wanted_(std::sqrt(region.threshold)),
        plane_(coordinates()) {}

  void run() {
    if (!std::isfinite(region_.threshold)) {
      stop(ProfileStop::limit,
           "no more data than estimated parameters: no quantile to compare with");
      return;
    }
    Placed start;
    if (!first_point(start)) return;
    region_.stop = ProfileStop::threshold;
    std::vector<PairPoint> forward = follow(start, 1);
    if (ended_ || region_.closed) {
      region_.points = std::move(forward);
      return;
    }
    // At a bound: the rest is on the other side of where it began.
    std::vector<PairPoint> backward = follow(start, -1);
    region_.points.assign(backward.rbegin(), backward.rend());
    region_.points.insert(region_.points.end(), forward.begin() + 1, forward.end());
  }

 private:
  enum class Place { good, outside, failed, better };

  const EstimatedParameter& unknown(int k) const {
    return objective_.unknowns()[k == 0 ? region_.first : region_.second];
  }
  Vector2d theta(const Vector2d& u) const {
    return Vector2d(best_.x[region_.first], best_.x[region_.second]) + plane_ * u;
  }
  bool halted() const { return options_.local.interrupt && options_.local.interrupt->load(); }

  Matrix2d coordinates() const {
    const FitStatistics s = fit_statistics(objective_, best_, options_.level);
    const std::size_t m = s.free.size();
    std::array<std::size_t, 2> at{m, m};
    for (std::size_t a = 0; a < m; ++a)
      for (int k = 0; k < 2; ++k)
        if (static_cast<std::size_t>(s.free[a]) == (k == 0 ? region_.first : region_.second))
          at[k] = a;
    Matrix2d covariance = Matrix2d::Zero();
    if (at[0] < m && at[1] < m)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) covariance(i, j) = s.covariance[at[i] * m + at[j]];
    for (int k = 0; k < 2; ++k) {
      const double width = unknown(k).upper - unknown(k).lower;
      const double range = std::isfinite(width) ? width : 100 * (1 + std::fabs(theta_best(k)));
      // What is open is looked at over its range.
      if (!(covariance(k, k) > 0) || !(covariance(k, k) < range * range / 16)) {
        covariance(k, 1 - k) = covariance(1 - k, k) = 0;
        covariance(k, k) = range * range / 400;
      }
    }
    if (!covariance.allFinite()) covariance(0, 1) = covariance(1, 0) = 0;
    const Cholesky factors(covariance);
    if (factors.positive_definite()) return factors.lower();
    return Vector2d(std::sqrt(covariance(0, 0)), std::sqrt(covariance(1, 1))).asDiagonal();
  }
  double theta_best(int k) const { return best_.x[k == 0 ? region_.first : region_.second]; }

  // Which bound is passed there; -1: none.
  int passed(const Vector2d& u) const {
    const Vector2d t = theta(u);
    for (int k = 0; k < 2; ++k)
      if (!(t(k) >= unknown(k).lower && t(k) <= unknown(k).upper)) return k;
    return -1;
  }

  // Fits the others; `near` has where they were last.
  Place place(const Vector2d& u, const std::vector<double>& near, Placed& out) {
    if (passed(u) >= 0) return Place::outside;
    const Vector2d t = theta(u);
    const bool swapped = region_.first > region_.second;
    const std::size_t low = std::min(region_.first, region_.second),
                      high = std::max(region_.first, region_.second);
    const HeldObjective one(objective_, high, swapped ? t(0) : t(1));
    const HeldObjective two(one, low, swapped ? t(1) : t(0));
    std::vector<double> rest = near;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(high));
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(low));
    out.u = u;
    if (!rest.empty()) {
      const LocalFit fit = fit_trust_region(two, rest, options_.local);
      region_.evaluations += fit.values + fit.gradients;
      if (!fit.usable()) return failure_ = fit.message, Place::failed;
      rest = fit.x;
    }
    out.x = one.whole_point(two.whole_point(rest));
    const Evaluation e = objective_.evaluate(out.x, Need::fisher);
    ++region_.evaluations;
    if (!e.ok()) return failure_ = e.failure, Place::failed;
    const double ratio = 2 * (e.value - best_.at.value) / unit_;
    if (e.value < best_.at.value - 0.01 * unit_) return better_ = out, Place::better;
    out.root = std::sqrt(std::max(ratio, 1e-12));
    const Vector2d slope(e.gradient[region_.first], e.gradient[region_.second]);
    out.slope = plane_.transpose() * slope / (unit_ * out.root);
    out.metric = metric_of(e);
    return Place::good;
  }

  // The information of the two that the others leave.
  Matrix2d metric_of(const Evaluation& e) const {
    const std::size_t n = best_.x.size();
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < n; ++i)
      if (i != region_.first && i != region_.second) rest.push_back(i);
    const std::array<std::size_t, 2> two{region_.first, region_.second};
    const Eigen::Index m = rest.size();
    Eigen::MatrixXd f(m, m), cross(m, 2);
    Matrix2d own;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) own(i, j) = e.fisher[two[i] * n + two[j]];
    for (Eigen::Index a = 0; a < m; ++a) {
      for (Eigen::Index b = 0; b < m; ++b) f(a, b) = e.fisher[rest[a] * n + rest[b]];
      for (int j = 0; j < 2; ++j) cross(a, j) = e.fisher[rest[a] * n + two[j]];
    }
    Matrix2d left = own;
    if (m > 0) left -= cross.transpose() * SymmetricFactors(f).solve_columns(cross);
    left = plane_.transpose() * left * plane_ / unit_;
    if (!left.allFinite()) left = plane_.transpose() * own * plane_ / unit_;
    // What is not felt at all is measured by what the best fit knows.
    constexpr double least = 1e-4;
    const double half = 0.5 * (left(0, 0) + left(1, 1)),
                 apart = std::hypot(0.5 * (left(0, 0) - left(1, 1)), left(0, 1));
    if (const double smallest = half - apart; !(smallest > least))
      left += (least - std::min(smallest, least)) * Matrix2d::Identity();
    return left;
  }

  bool stop(ProfileStop reason, std::string message) {
    region_.stop = reason;
    region_.message = std::move(message);
    ended_ = true;
    return false;
  }
  bool stop_for(Place what) {
    if (halted()) return stop(ProfileStop::interrupted, "interrupted");
    if (what == Place::better) {
      region_.points = {point_of(better_)};
      return stop(ProfileStop::better, "a better fit was found");
    }
    return stop(ProfileStop::unintegrable, "the model cannot be evaluated: " + failure_);
  }

  PairPoint point_of(const Placed& p) const {
    const Vector2d t = theta(p.u);
    return {t(0), t(1), p.root * p.root, p.x};
  }

  // Along a ray from the best fit, in one of eight directions, to where it leaves the region.
  bool first_point(Placed& found) {
    for (int k = 0; k < 8; ++k) {
      // Axes first.
      const double angle = std::numbers::pi / 4 * (k < 4 ? 2 * k : 2 * k - 7);
      const Vector2d ray(std::cos(angle), std::sin(angle));
      Placed inside, outside;
      inside.x = best_.x;
      double r = 0.5 * wanted_;
      Place what = Place::good;
      while (true) {
        what = place(r * ray, inside.x, outside);
        if (halted() || what == Place::better) return stop_for(what);
        if (what != Place::good || outside.root > wanted_) break;
        if (region_.evaluations >= options_.max_evaluations)
          return stop(ProfileStop::limit, "too many evaluations");
        inside = outside;
        r *= 1.5;
      }
      if (what != Place::good) continue;  // a bound, or not to be evaluated
      if (close(inside, outside, found)) return true;
      if (ended_) return false;
    }
    return stop(ProfileStop::bound, "the region reaches the bounds in every direction");
  }

  // Bisection and secant between two points of a ray.
  bool close(Placed inside, Placed outside, Placed& found) {
    double low = inside.root - wanted_, high = outside.root - wanted_;
    int last = 0;
    for (int k = 0; k < 60; ++k) {
      const double share = std::clamp(low / (low - high), 0.05, 0.95);
      Placed middle;
      const Place what = place(inside.u + share * (outside.u - inside.u), inside.x, middle);
      if (what != Place::good) return stop_for(what);
      const double off = middle.root - wanted_;
      if (std::fabs(off) < on_contour * wanted_ || (outside.u - inside.u).norm() < 1e-7 * wanted_) {
        found = middle;
        return true;
      }
      if (off < 0) {
        inside = middle, low = off;
        if (last < 0) high /= 2;
        last = -1;
      } else {
        outside = middle, high = off;
        if (last > 0) low /= 2;
        last = 1;
      }
    }
    return false;
  }

  // Of length one there.
  static Vector2d tangent(const Placed& p, int way) {
    const Vector2d along = Vector2d(-p.slope(1), p.slope(0)) * way;
    const double size = p.length(along);
    return size > 0 ? Vector2d(along / size) : Vector2d(0, 0);
  }

  // From a point near the contour onto it. False: it did not come there in a few steps.
  bool correct(Placed& p, double stride, int& steps, Place& what) {
    constexpr int most = 6;
    for (steps = 0; steps < most; ++steps) {
      const double off = p.root - wanted_;
      if (std::fabs(off) < on_contour * wanted_) return true;
      const Vector2d steepest = p.steepest();
      const double size = p.slope.dot(steepest);
      if (!(size > 0)) return false;
      const Vector2d move = -off / size * steepest;
      // Short strides too have to mend what the last point was off by.
      if (p.length(move) > 2 * stride + 4 * on_contour * wanted_) return false;
      Placed next;
      what = place(p.u + move, p.x, next);
      if (what != Place::good) return false;
      p = std::move(next);
    }
    return std::fabs(p.root - wanted_) < 2 * on_contour * wanted_;
  }

  // Whether the way from `before` to `next` goes past the start, or ends near it.
  static bool passes(const Placed& start, const Vector2d& before, const Placed& next, bool near) {
    const Vector2d way = next.u - before, there = start.u - before;
    const double size = way.dot(next.metric * way);
    const double share = size > 0 ? way.dot(next.metric * there) / size : -1;
    if (!(share > 0 && share < 1)) return near;
    return next.length(there - share * way) < 0.5 * std::sqrt(size);
  }

  std::vector<PairPoint> follow(const Placed& start, int way) {
    std::vector<PairPoint> points{point_of(start)};
    Placed at = start;
    double stride = first_stride * wanted_;
    bool away = false;  // from where it began
    while (points.size() < most_contour_points) {
      if (region_.evaluations >= options_.max_evaluations) {
        stop(ProfileStop::limit,
             "stopped after " + std::to_string(region_.evaluations) + " evaluations");
        return points;
      }
      const Vector2d along = tangent(at, way);
      Placed next;
      Place what = place(at.u + stride * along, at.x, next);
      int steps = 0;
      const bool found = what == Place::good && correct(next, stride, steps, what);
      if (halted() || what == Place::better) return stop_for(what), points;
      const double turn =
          found ? along.dot(next.metric * tangent(next, way)) / std::max(next.length(along), 1e-300)
                : -1;
      // Where the contour bends away, coming back to it undoes the step.
      const double gone = found ? at.length(next.u - at.u) / stride : 0;
      if (!found || turn < 0.8 || gone < 0.6 || gone > 1.7) {
        if (stride > shortest_stride * wanted_) {
          stride /= 2;
          continue;
        }
        if (what == Place::outside) {
          note_bound(at.u + 2 * stride * along);
          return points;
        }
        // A corner: round it, as long as there is a way on.
        if (!found) return stop_for(what == Place::good ? Place::failed : what), points;
      }
      const double left = start.length(next.u - start.u);
      const bool back = away && passes(start, at.u, next, left < 0.5 * stride) &&
                        tangent(next, way).dot(start.metric * tangent(start, way)) > 0;
      at = std::move(next);
      if (back) {
        region_.closed = true;
        return points;
      }
      away = away || left > 1.5 * first_stride * wanted_;
      points.push_back(point_of(at));
      if (turn > 0.97 && steps <= 2) stride = std::min(1.5 * stride, longest_stride * wanted_);
    }
    stop(ProfileStop::limit, "stopped after " + std::to_string(points.size()) + " points");
    return points;
  }

  void note_bound(const Vector2d& u) {
    Vector2d t = theta(u);
    int k = passed(u);
    if (k < 0) return;
    const EstimatedParameter& p = unknown(k);
    const double bound = t(k) > p.upper ? p.upper : p.lower;
    const std::string words = p.id + " = " + format_short(from_theta(bound, p.scale), 5);
    if (std::find(region_.at_bounds.begin(), region_.at_bounds.end(), words) ==
        region_.at_bounds.end())
      region_.at_bounds.push_back(words);
  }

  const Objective& objective_;
  const LocalFit& best_;
  const ProfileOptions& options_;
  PairRegion& region_;
  double unit_, wanted_;
  Matrix2d plane_;
  bool ended_ = false;
  Placed better_;
  std::string failure_;
};

}  // namespace

double pair_quantile(const Objective& objective, double level) {
  return joint_quantile(objective, 2, level);
}

PairRegion follow_pair(const Objective& objective, const LocalFit& best, std::size_t first,
                       std::size_t second, const ProfileOptions& options) {
  PairRegion region;
  region.first = first;
  region.second = second;
  region.threshold = pair_quantile(objective, options.level);
  Contour(objective, best, options, region).run();
  if (region.message.empty() && !region.at_bounds.empty()) {
    region.message = "open: it reaches the bound ";
    for (std::size_t k = 0; k < region.at_bounds.size(); ++k)
      region.message += (k ? " and the bound " : "") + region.at_bounds[k];
  }
  return region;
}

}  // namespace stiffit::internal
