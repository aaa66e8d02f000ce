// An axis of a picture: from numbers to places between 0 and 1, and where its ticks are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

// Symmetric: like the numbers themselves around zero, like logarithms of both signs far away.
enum class AxisScale { linear, logarithmic, symmetric };

struct Tick {
  double value = 0;
  std::string label;  // empty: a small one
};

class Axis {
 public:
  // Values outside of what the scale can show (and `low` == `high`) are mended.
  Axis(AxisScale scale, double low, double high);

  AxisScale scale() const { return scale_; }
  double low() const { return low_; }
  double high() const { return high_; }
  bool shows(double value) const;    // a finite number that the scale has
  double place(double value) const;  // 0 at low, 1 at high; beyond for values outside
  double value_at(double place) const;
  // About `wanted` labelled ones at round numbers.
  std::vector<Tick> ticks(int wanted) const;

 private:
  double bend(double value) const;
  double unbend(double bent) const;
  AxisScale scale_;
  double low_, high_;
};

// The smallest round range that holds all values which the scale can show.
Axis axis_around(AxisScale scale, const std::vector<double>& values);

}  // namespace stiffit::internal
