// Ranges of values, for bounds on what an expression does between two times. Ends are not rounded
// outwards: who asks compares sizes, not signs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/operation.h"

namespace stiffit::internal {

struct ValueRange {
  double lo = 0, hi = 0;
  double width() const { return hi - lo; }
  bool contains(double x) const { return lo <= x && x <= hi; }
  bool point() const { return lo == hi; }
  // Nothing is known: an operation without bounds, a pole.
  static ValueRange anything() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool unknown() const { return !(lo > -INFINITY || hi < INFINITY); }
};

inline ValueRange hull(ValueRange a, ValueRange b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}
inline ValueRange operator-(ValueRange a) { return {-a.hi, -a.lo}; }
inline ValueRange operator+(ValueRange a, ValueRange b) { return {a.lo + b.lo, a.hi + b.hi}; }
inline ValueRange operator-(ValueRange a, ValueRange b) { return {a.lo - b.hi, a.hi - b.lo}; }

inline ValueRange operator*(ValueRange a, ValueRange b) {
  auto product = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };  // also 0*inf
  const double p = product(a.lo, b.lo), q = product(a.lo, b.hi), r = product(a.hi, b.lo),
               s = product(a.hi, b.hi);
  return {std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s))};
}

inline ValueRange inverse(ValueRange a) {
  if (a.contains(0)) {
    if (a.lo == 0 && a.hi > 0) return {1 / a.hi, INFINITY};
    if (a.hi == 0 && a.lo < 0) return {-INFINITY, 1 / a.lo};
    return ValueRange::anything();
  }
  return {1 / a.hi, 1 / a.lo};
}
inline ValueRange operator/(ValueRange a, ValueRange b) { return a * inverse(b); }

inline ValueRange square(ValueRange a) {
  const double x = std::fabs(a.lo), y = std::fabs(a.hi), most = std::max(x, y);
  const double least = a.contains(0) ? 0 : std::min(x, y);
  return {least * least, most * most};
}

// cos, with all its turns in between.
inline ValueRange cosine(ValueRange a) {
  constexpr double turn = 2 * M_PI;
  if (!(a.width() < turn)) return {-1, 1};
  ValueRange r{std::min(std::cos(a.lo), std::cos(a.hi)), std::max(std::cos(a.lo), std::cos(a.hi))};
  if (std::ceil(a.lo / turn) * turn <= a.hi) r.hi = 1;
  if (std::ceil((a.lo - M_PI) / turn) * turn + M_PI <= a.hi) r.lo = -1;
  return r;
}
inline ValueRange sine(ValueRange a) { return cosine({a.lo - M_PI / 2, a.hi - M_PI / 2}); }

inline ValueRange power(ValueRange a, ValueRange b) {
  if (!b.point()) {
    if (!(a.lo > 0)) return ValueRange::anything();
    const double p = std::pow(a.lo, b.lo), q = std::pow(a.lo, b.hi), r = std::pow(a.hi, b.lo),
                 s = std::pow(a.hi, b.hi);
    return {std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s))};
  }
  const double n = b.lo;
  if (n < 0) return inverse(power(a, {-n, -n}));
  if (n == std::floor(n) && std::fmod(n, 2) == 0) {
    const double x = std::fabs(a.lo), y = std::fabs(a.hi);
    return {a.contains(0) ? 0 : std::pow(std::min(x, y), n), std::pow(std::max(x, y), n)};
  }
  if (n != std::floor(n) && a.lo < 0) return ValueRange::anything();
  return {std::pow(a.lo, n), std::pow(a.hi, n)};
}

// The range of an operation; unknown where there is no rule.
inline ValueRange range_of(Op op, ValueRange a, ValueRange b, ValueRange c) {
  auto rising = [&] { return ValueRange{evaluate(op, a.lo), evaluate(op, a.hi)}; };
  switch (op) {
    case Op::neg:
      return -a;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::pow:
      return power(a, b);
    case Op::exp:
    case Op::tanh:
    case Op::sinh:
    case Op::atan:
    case Op::asinh:
      return rising();
    case Op::ln:
    case Op::log10:
    case Op::sqrt:
      return a.lo >= 0 ? rising() : ValueRange::anything();
    case Op::asin:
    case Op::atanh:
      return a.lo >= -1 && a.hi <= 1 ? rising() : ValueRange::anything();
    case Op::acosh:
      return a.lo >= 1 ? rising() : ValueRange::anything();
    case Op::sin:
      return sine(a);
    case Op::cos:
      return cosine(a);
    case Op::tan:
      return sine(a) / cosine(a);
    case Op::sec:
      return inverse(cosine(a));
    case Op::csc:
      return inverse(sine(a));
    case Op::cot:
      return cosine(a) / sine(a);
    case Op::cosh:
    case Op::sech: {
      const double x = std::fabs(a.lo), y = std::fabs(a.hi);
      const ValueRange r{a.contains(0) ? 1 : std::cosh(std::min(x, y)), std::cosh(std::max(x, y))};
      return op == Op::cosh ? r : inverse(r);
    }
    case Op::csch:
      return inverse({std::sinh(a.lo), std::sinh(a.hi)});
    case Op::coth:
      return inverse({std::tanh(a.lo), std::tanh(a.hi)});
    case Op::abs:
      return {a.contains(0) ? 0 : std::min(std::fabs(a.lo), std::fabs(a.hi)),
              std::max(std::fabs(a.lo), std::fabs(a.hi))};
    case Op::min:
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case Op::max:
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Op::select:
      return b.point() ? (b.lo != 0 ? a : c) : hull(a, c);
    default:
      return ValueRange::anything();
  }
}

// The range of its derivative, where `r` is that of its value and da, db those of the operands'.
inline ValueRange slope_of(Op op, ValueRange a, ValueRange b, ValueRange r, ValueRange da,
                           ValueRange db) {
  const ValueRange one{1, 1};
  switch (op) {
    case Op::neg:
      return -da;
    case Op::add:
      return da + db;
    case Op::sub:
      return da - db;
    case Op::mul:
      return da * b + a * db;
    case Op::div:
      return (da - r * db) / b;
    case Op::exp:
      return r * da;
    case Op::ln:
      return da / a;
    case Op::sqrt:
      return da / (r + r);
    case Op::sin:
      return cosine(a) * da;
    case Op::cos:
      return -sine(a) * da;
    case Op::tanh:
      return (one - square(r)) * da;
    case Op::atan:
      return da / (one + square(a));
    case Op::pow:
      if (b.point()) return b * power(a, {b.lo - 1, b.lo - 1}) * da;
      return ValueRange::anything();
    default:
      return ValueRange::anything();
  }
}

}  // namespace stiffit::internal
