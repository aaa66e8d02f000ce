// Bounds of what an expression can be while its arguments run through intervals. Every result holds
// all values that exact arithmetic would give; it may hold more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "model/operation.h"

namespace stiffit::internal {

struct Interval {
  double low = 0, high = 0;
  // Somewhere in the arguments there is no value, or a jump: slopes say nothing of what lies
  // between two points.
  bool broken = false;

  static Interval at(double x) { return {x, x, x != x}; }
  static Interval all(bool is_broken = true) {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
            is_broken};
  }
  static Interval none() {
    return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
            true};
  }
  bool empty() const { return !(low <= high); }
  bool is_point() const { return low == high; }
  bool contains(double x) const { return low <= x && x <= high; }
};

Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
Interval operator/(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
// What is in both.
Interval common(const Interval& a, const Interval& b);
// The operation `op`; arguments beyond its arity are ignored.
Interval bounds_of(Op op, const Interval& a, const Interval& b, const Interval& c);

}  // namespace stiffit::internal
