// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/valley.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "estimation/optimizers/held_objective.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/combinations/quantity_profile.h"

namespace stiffit::internal {
namespace {

constexpr double test_factor = 3;
constexpr double better_valley = 0.1;  // a ratio below minus this is another estimate

class ValleyWalk {
 public:
  ValleyWalk(const Objective& objective, const LocalFit& best, const ValleyOptions& options,
             long most)
      : objective_(objective), best_(best), options_(options), most_(most) {}

  ValleyWay from_best(std::size_t unknown, int direction) {
    ValleyWay way;
    way.unknown = unknown;
    way.direction = direction;
    const ValleyStops stops =
        valley_stops(objective_.unknowns()[unknown], best_.x[unknown], direction);
    std::vector<double> before = best_.x, last = best_.x;
    for (std::size_t k = 0; k < stops.thetas.size(); ++k) {
      if (spent(way)) break;
      std::optional<ValleyPoint> point =
          fitted(way, unknown, extrapolated(before, last, unknown, stops.thetas[k]));
      // Straight on may have been a wrong guess.
      if (k > 0 && (!point || point->ratio > options_.quantile) && !spent(way)) {
        std::vector<double> start = last;
        start[unknown] = stops.thetas[k];
        point = fitted(way, unknown, start);
      }
      if (!point || point->ratio > options_.quantile || way.better) break;
      before = last;
      last = point->x;
      point->near = static_cast<int>(k) <= stops.test;
      way.points.push_back(std::move(*point));
      if (static_cast<int>(k) == stops.test) way.test = static_cast<int>(k);
    }
    return way;
  }

  // Another unknown from there, one stop in each direction.
  std::vector<ValleyPoint> beyond(const ValleyPoint& end, std::size_t unknown, ValleyWay& counts) {
    std::vector<ValleyPoint> found;
    for (int direction : {-1, 1}) {
      const ValleyStops stops =
          valley_stops(objective_.unknowns()[unknown], end.x[unknown], direction);
      if (stops.test < 0 || spent(counts)) continue;
      std::vector<double> start = end.x;
      start[unknown] = stops.thetas[stops.test];
      std::optional<ValleyPoint> point = fitted(counts, unknown, start);
      if (point && point->ratio <= options_.quantile) found.push_back(std::move(*point));
    }
    return found;
  }

 private:
  bool spent(ValleyWay& way) const {
    const bool interrupted = options_.local.interrupt && options_.local.interrupt->load();
    const bool late = options_.deadline && std::chrono::steady_clock::now() > *options_.deadline;
    if (interrupted || late || way.evaluations >= most_) way.unfinished = true;
    return way.unfinished;
  }

  std::vector<double> extrapolated(const std::vector<double>& before,
                                   const std::vector<double>& last, std::size_t unknown,
                                   double theta) const {
    const double step = last[unknown] - before[unknown];
    const double t = step != 0 ? (theta - last[unknown]) / step : 0;
    std::vector<double> x = last;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const EstimatedParameter& u = objective_.unknowns()[i];
      x[i] = std::clamp(last[i] + t * (last[i] - before[i]), u.lower, u.upper);
    }
    x[unknown] = theta;
    return x;
  }

  // The others fitted with `unknown` held where it is in `start`.
  std::optional<ValleyPoint> fitted(ValleyWay& way, std::size_t unknown,
                                    std::vector<double> start) const {
    const HeldObjective held(objective_, unknown, start[unknown]);
    start.erase(start.begin() + static_cast<std::ptrdiff_t>(unknown));
    if (start.empty()) return {};
    const LocalFit fit = fit_trust_region(held, start, options_.local);
    way.evaluations += fit.values + fit.gradients;
    if (!fit.usable()) return {};
    ValleyPoint point;
    point.x = held.whole_point(fit.x);
    point.moved = unknown;
    point.ratio = 2 * (fit.at.value - best_.at.value) / options_.unit;
    if (point.ratio < -better_valley) way.better = true;
    const Eigen::MatrixXd rest = bounded_covariance(held.unknowns(), fit.at.fisher, options_.unit);
    const Eigen::Index n = point.x.size(), own = unknown;
    point.covariance = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        if (i != own && j != own) point.covariance(i, j) = rest(i - (i > own), j - (j > own));
    return point;
  }

  const Objective& objective_;
  const LocalFit& best_;
  const ValleyOptions& options_;
  long most_;
};

}  // namespace

ValleyStops valley_stops(const EstimatedParameter& u, double theta, int direction) {
  const double bound = direction < 0 ? u.lower : u.upper;
  const double value = from_theta(theta, u.scale);
  ValleyStops stops;
  // By factors where the sign cannot change, else by multiples of the size.
  const bool grows = u.scale != Scale::lin || (value > 0) == (direction > 0);
  const bool factors = u.scale != Scale::lin || (value > 0 && (u.lower >= 0 || direction > 0)) ||
                       (value < 0 && (u.upper <= 0 || direction < 0));
  const double range = std::isfinite(u.upper - u.lower) ? u.upper - u.lower : 1;
  const double size = value != 0 ? std::abs(value) : 0.01 * range;
  bool ended = false;
  for (double f : {std::sqrt(test_factor), test_factor, 10.0, 100.0, 1000.0}) {
    if (ended) break;
    double at;
    if (u.scale != Scale::lin)
      at = theta + direction * std::log(f) / (u.scale == Scale::log ? 1 : std::log(10.0));
    else if (factors && value != 0)
      at = grows ? value * f : value / f;
    else
      at = value + direction * size * (f - 1);
    // Not a sliver before the bound.
    if ((bound - at) * direction <= 0.1 * std::abs(at - theta)) {
      at = bound;
      ended = true;
    }
    if ((at - theta) * direction <= 1e-9 * range) break;
    stops.thetas.push_back(at);
    if (stops.test < 0 && (f >= test_factor || ended))
      stops.test = static_cast<int>(stops.thetas.size()) - 1;
  }
  // What falls to zero on a linear scale gets there too.
  if (!ended && factors && !grows && u.scale == Scale::lin && std::isfinite(bound))
    stops.thetas.push_back(bound);
  return stops;
}

const ValleyWay& Valley::way(std::size_t unknown, int direction) const {
  return *std::find_if(ways.begin(), ways.end(), [&](const ValleyWay& w) {
    return w.unknown == unknown && w.direction == direction;
  });
}

bool Valley::is_open(std::size_t unknown, const std::vector<EstimatedParameter>& unknowns,
                     const LocalFit& best) const {
  const EstimatedParameter& u = unknowns[unknown];
  double low = best.x[unknown], high = low;
  bool tested = false;
  for (int direction : {-1, 1}) {
    const ValleyWay& w = way(unknown, direction);
    tested = tested || w.test >= 0;
    for (const ValleyPoint& p : w.points) {
      low = std::min(low, p.x[unknown]);
      high = std::max(high, p.x[unknown]);
    }
  }
  if (!tested) return false;
  if (high - low >= 0.5 * (u.upper - u.lower)) return true;
  const double a = from_theta(low, u.scale), b = from_theta(high, u.scale);
  // Through zero no factor says anything.
  if (u.scale == Scale::lin && a * b <= 0) return b - a >= 100 * std::abs(best.x[unknown]);
  const double larger = std::max(std::abs(a), std::abs(b));
  return larger >= 0.999 * test_factor * std::min(std::abs(a), std::abs(b));
}

Valley follow_valley(const Objective& objective, const LocalFit& best,
                     const std::vector<std::size_t>& along, const ValleyOptions& options) {
  Valley valley;
  const std::size_t count = 2 * along.size();
  const long most = std::max(1L, options.max_evaluations / static_cast<long>(2 * count));
  valley.ways.resize(count);
  for_each_index(count, options.threads, [&](std::size_t k) {
    valley.ways[k] =
        ValleyWalk(objective, best, options, most).from_best(along[k / 2], k % 2 ? 1 : -1);
  });
  // With two degrees of freedom and more, single unknowns do not show the whole of it.
  std::vector<std::vector<ValleyPoint>> found(count);
  std::vector<ValleyWay> counts(count);
  if (along.size() > 2)
    for_each_index(count, options.threads, [&](std::size_t k) {
      const ValleyWay& way = valley.ways[k];
      if (way.points.empty() || way.better) return;
      const std::size_t other = along[(k / 2 + 1) % along.size()];
      found[k] = ValleyWalk(objective, best, options, most)
                     .beyond(way.points[static_cast<std::size_t>(std::max(0, way.test))], other,
                             counts[k]);
    });
  for (std::size_t k = 0; k < count; ++k) {
    for (ValleyPoint& p : found[k]) valley.beyond.push_back(std::move(p));
    for (const ValleyWay* w : {&valley.ways[k], &counts[k]}) {
      valley.evaluations += w->evaluations;
      valley.better = valley.better || w->better;
    }
    valley.unfinished = valley.unfinished || valley.ways[k].unfinished;
  }
  return valley;
}

}  // namespace stiffit::internal
