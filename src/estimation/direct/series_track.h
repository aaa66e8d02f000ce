// A measured series as a curve: value and slope at any time, each also as a sum over the data, so
// that errors of the data can be followed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "estimation/direct/smoothing_spline.h"

namespace stiffit::internal {

enum class Curve {
  linear,  // straight lines: integrals of it are trapezoidal sums
  cubic,   // through the data, by cubics of the four nearest points
  smooth,  // a smoothing spline, chosen by cross-validation
};

class SeriesTrack {
 public:
  struct Knot {
    double time = 0, value = 0;
    double variance = 1;  // relative
    bool exact = false;   // known, not measured
  };

  // Knots ascend; two at least.
  SeriesTrack(std::vector<Knot> knots, Curve curve);

  const std::vector<Knot>& knots() const { return knots_; }
  Curve curve() const { return curve_; }  // cubic and smooth need four knots, or it is linear
  bool has(double time) const { return knot_at(time) >= 0; }
  int knot_at(double time) const;
  double value(double time) const;
  double slope(double time) const;
  // (knot, coefficient); together they give value or slope.
  std::vector<std::pair<int, double>> row(double time, bool slope) const;
  // The same of the points next to it, whatever the curve.
  std::vector<std::pair<int, double>> nearby(double time, bool slope) const;
  const SmoothingSpline* spline() const { return spline_ ? &*spline_ : nullptr; }
  double freedom() const {
    return spline_ ? spline_->freedom() : static_cast<double>(knots_.size());
  }

 private:
  // At most four coefficients, without memory of their own.
  struct Few {
    int first = 0, count = 0;
    double weight[4] = {0, 0, 0, 0};
  };
  Few local(double time, bool slope) const;
  Few lines(double time, bool slope) const;
  std::size_t interval(double time) const;

  std::vector<Knot> knots_;
  std::vector<double> times_;
  Curve curve_;
  std::optional<SmoothingSpline> spline_;
};

// The standard deviation of a series' noise from differences between neighbours: what a smooth
// curve through four of them does not foresee of the fifth (fourth divided differences, or second
// ones if there are few points). Not a number if there are too few.
double noise_level(const std::vector<SeriesTrack::Knot>& knots);

}  // namespace stiffit::internal
