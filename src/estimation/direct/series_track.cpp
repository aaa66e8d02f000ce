// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/series_track.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiffit::internal {

SeriesTrack::SeriesTrack(std::vector<Knot> knots, Curve curve)
    : knots_(std::move(knots)), curve_(curve) {
  std::vector<double> values, variances;
  for (const Knot& k : knots_) {
    times_.push_back(k.time);
    values.push_back(k.value);
    variances.push_back(k.exact ? 0 : k.variance);
  }
  if (knots_.size() < 4) curve_ = Curve::linear;
  if (curve_ != Curve::smooth) return;
  if (knots_.size() < 6) {
    curve_ = Curve::cubic;  // too few to tell noise from shape
    return;
  }
  spline_.emplace(times_, std::move(variances));
  spline_->choose(values);
  spline_->fit(values);
}

int SeriesTrack::knot_at(double time) const {
  const auto at = std::lower_bound(times_.begin(), times_.end(), time);
  return at != times_.end() && *at == time ? static_cast<int>(at - times_.begin()) : -1;
}

std::size_t SeriesTrack::interval(double time) const {
  const auto above = std::upper_bound(times_.begin(), times_.end(), time) - times_.begin();
  return std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(times_.size()) - 2);
}

// Straight lines; the slope at a knot is the mean of both sides (K 5.3), at an end that of its
// side.
SeriesTrack::Few SeriesTrack::lines(double time, bool slope) const {
  Few f;
  const std::size_t i = interval(time), last = times_.size() - 1;
  if (slope) {
    const int k = knot_at(time);
    if (k > 0 && static_cast<std::size_t>(k) < last) {
      const std::size_t at = k;
      const double before = times_[at] - times_[at - 1], after = times_[at + 1] - times_[at];
      f = {k - 1, 3, {-0.5 / before, 0.5 / before - 0.5 / after, 0.5 / after, 0}};
      return f;
    }
    const double h = times_[i + 1] - times_[i];
    f = {static_cast<int>(i), 2, {-1 / h, 1 / h, 0, 0}};
    return f;
  }
  const double b = (time - times_[i]) / (times_[i + 1] - times_[i]);
  f = {static_cast<int>(i), 2, {1 - b, b, 0, 0}};
  return f;
}

// Lagrange's cubic of the four nearest knots.
SeriesTrack::Few SeriesTrack::local(double time, bool slope) const {
  if (curve_ == Curve::linear) return lines(time, slope);
  const std::size_t i = interval(time);
  const std::size_t first = std::min(i > 0 ? i - 1 : 0, times_.size() - 4);
  Few f;
  f.first = static_cast<int>(first);
  f.count = 4;
  for (std::size_t a = 0; a < 4; ++a) {
    double below = 1;
    for (std::size_t b = 0; b < 4; ++b)
      if (b != a) below *= times_[first + a] - times_[first + b];
    double above = slope ? 0 : 1;
    if (!slope) {
      for (std::size_t b = 0; b < 4; ++b)
        if (b != a) above *= time - times_[first + b];
    } else {
      for (std::size_t d = 0; d < 4; ++d) {
        if (d == a) continue;
        double part = 1;
        for (std::size_t b = 0; b < 4; ++b)
          if (b != a && b != d) part *= time - times_[first + b];
        above += part;
      }
    }
    f.weight[a] = above / below;
  }
  return f;
}

double SeriesTrack::value(double time) const {
  if (spline_) return spline_->value(time);
  if (const int k = knot_at(time); k >= 0) return knots_[k].value;
  const Few f = local(time, false);
  double sum = 0;
  for (int k = 0; k < f.count; ++k) sum += f.weight[k] * knots_[f.first + k].value;
  return sum;
}

double SeriesTrack::slope(double time) const {
  if (spline_) return spline_->slope(time);
  const Few f = local(time, true);
  double sum = 0;
  for (int k = 0; k < f.count; ++k) sum += f.weight[k] * knots_[f.first + k].value;
  return sum;
}

std::vector<std::pair<int, double>> SeriesTrack::row(double time, bool slope) const {
  if (spline_) return spline_->row(time, slope);
  return nearby(time, slope);
}

std::vector<std::pair<int, double>> SeriesTrack::nearby(double time, bool slope) const {
  if (!slope)
    if (const int k = knot_at(time); k >= 0) return {{k, 1.0}};
  const Few f = local(time, slope);
  std::vector<std::pair<int, double>> result;
  for (int k = 0; k < f.count; ++k)
    if (f.weight[k] != 0) result.emplace_back(f.first + k, f.weight[k]);
  return result;
}

double noise_level(const std::vector<SeriesTrack::Knot>& knots) {
  std::vector<SeriesTrack::Knot> own;  // exact points say nothing of noise
  for (const SeriesTrack::Knot& k : knots)
    if (!k.exact) own.push_back(k);
  const std::size_t order = own.size() >= 10 ? 4 : 2;
  if (own.size() < order + 2) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> found;
  for (std::size_t i = 0; i + order < own.size(); ++i) {
    double difference = 0, size = 0;
    for (std::size_t a = 0; a <= order; ++a) {
      double below = 1;
      for (std::size_t b = 0; b <= order; ++b)
        if (b != a) below *= own[i + a].time - own[i + b].time;
      difference += own[i + a].value / below;
      size += own[i + a].variance / (below * below);
    }
    found.push_back(difference * difference / size);
  }
  double sum = 0;
  for (double square : found) sum += square;
  const double mean = std::sqrt(sum / static_cast<double>(found.size()));
  // Where the curve bends too fast for its sampling the differences are shape, not noise; the
  // median overlooks those places if they are few.
  std::nth_element(found.begin(), found.begin() + (found.size() / 2), found.end());
  const double middle = std::sqrt(found[found.size() / 2]) / 0.6745;
  return mean > 1.5 * middle && middle > 0 ? middle : mean;
}

}  // namespace stiffit::internal
