// SPDX-License-Identifier: Apache-2.0
#include "compile/interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiffit::internal {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;
// Of a function of the C library and of its arguments' reduction: ulps that it may be off.
constexpr double library_error = 8 * std::numeric_limits<double>::epsilon();

double below(double x) { return std::nextafter(x, -infinite); }
double above(double x) { return std::nextafter(x, infinite); }
// Where rounding left nothing over the bound is exact, which keeps zeros zero.
double sum_below(double a, double b) {
  const double s = a + b, part = s - a;
  return (a - (s - part)) + (b - part) == 0 || std::isinf(a) || std::isinf(b) ? s : below(s);
}
double sum_above(double a, double b) { return -sum_below(-a, -b); }
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
bool exact_product(double a, double b, double p) {
  return a == 0 || b == 0 || std::isinf(a) || std::isinf(b) ||
         (std::fabs(p) > 1e-290 && std::fma(a, b, -p) == 0);
}
double product_below(double a, double b) {
  const double p = product(a, b);
  return exact_product(a, b, p) ? p : below(p);
}
double product_above(double a, double b) { return -product_below(-a, b); }

Interval widened(double low, double high, bool broken) {
  low -= library_error * std::fabs(low);
  high += library_error * std::fabs(high);
  if (std::isnan(low) || std::isnan(high)) return Interval::all();
  return {low == 0 ? low : below(low), high == 0 ? high : above(high), broken};
}

template <class Function>
Interval rising(Function f, const Interval& x) {
  return widened(f(x.low), f(x.high), x.broken);
}
template <class Function>
Interval falling(Function f, const Interval& x) {
  return widened(f(x.high), f(x.low), x.broken);
}

// The part of x from low to high, where a function is defined.
Interval within(const Interval& x, double low, double high) {
  if (x.low >= low && x.high <= high) return x;
  Interval part{std::max(x.low, low), std::min(x.high, high), true};
  return part.empty() ? Interval::none() : part;
}

// True if x may hold first + 2 pi k for some whole k.
bool holds_phase(const Interval& x, double first) {
  const double margin = library_error * std::max(std::fabs(x.low), std::fabs(x.high)) + 1e-15;
  return std::ceil((x.low - margin - first) / (2 * pi)) <=
         std::floor((x.high + margin - first) / (2 * pi));
}

Interval sine(const Interval& x, double top, double (*f)(double)) {
  if (!(std::fabs(x.low) < 1e14 && std::fabs(x.high) < 1e14)) return {-1, 1, x.broken};
  if (x.high - x.low >= 2 * pi) return {-1, 1, x.broken};
  const double a = f(x.low), b = f(x.high);
  Interval y = widened(std::min(a, b), std::max(a, b), x.broken);
  y.low = holds_phase(x, top + pi) ? -1 : std::max(y.low, -1.0);
  y.high = holds_phase(x, top) ? 1 : std::min(y.high, 1.0);
  return y;
}
Interval sine(const Interval& x) {
  return sine(x, pi / 2, [](double v) { return std::sin(v); });
}
Interval cosine(const Interval& x) {
  return sine(x, 0, [](double v) { return std::cos(v); });
}
Interval tangent(const Interval& x) {
  const bool pole = x.high - x.low >= pi || holds_phase(x, pi / 2) || holds_phase(x, -pi / 2);
  if (pole || !(std::fabs(x.low) < 1e14 && std::fabs(x.high) < 1e14)) return Interval::all();
  return rising([](double v) { return std::tan(v); }, x);
}

Interval hyperbolic_cosine(const Interval& x) {
  const double a = std::cosh(x.low), b = std::cosh(x.high);
  Interval y = widened(std::min(a, b), std::max(a, b), x.broken);
  if (x.contains(0)) y.low = 1;
  return y;
}

Interval exponential(const Interval& x) {
  Interval y = rising([](double v) { return std::exp(v); }, x);
  y.low = std::max(y.low, 0.0);
  return y;
}
Interval logarithm(const Interval& x) {
  const Interval part = within(x, 0, infinite);
  return part.empty() ? part : rising([](double v) { return std::log(v); }, part);
}

Interval whole_power(const Interval& x, double n) {
  auto f = [n](double v) { return std::pow(v, n); };
  if (n < 0) return Interval::at(1) / whole_power(x, -n);
  if (std::fmod(n, 2) != 0 || x.low >= 0) return rising(f, x);
  if (x.high <= 0) return falling(f, x);
  return widened(0, std::max(f(x.low), f(x.high)), x.broken);
}

Interval power(const Interval& x, const Interval& n) {
  if (n.is_point() && n.low == std::trunc(n.low)) return whole_power(x, n.low);
  // Among moving exponents there are whole ones.
  if (x.low < 0 && !n.is_point()) return Interval::all();
  const Interval base = within(x, 0, infinite);
  if (base.empty()) return base;
  if (n.is_point()) {
    auto f = [&](double v) { return std::pow(v, n.low); };
    Interval y = n.low > 0 ? rising(f, base) : falling(f, base);
    y.low = std::max(y.low, 0.0);
    return y;
  }
  if (base.low == 0) return {0, infinite, true};
  return exponential(n * logarithm(base));
}

Interval truth(bool can_be_false, bool can_be_true, const Interval& a, const Interval& b) {
  return {can_be_false ? 0.0 : 1.0, can_be_true ? 1.0 : 0.0,
          a.broken || b.broken || (can_be_false && can_be_true)};
}

Interval reciprocal(const Interval& x) { return Interval::at(1) / x; }

Interval function_of(Op op, const Interval& x) {
  if (x.empty()) return Interval::none();
  switch (op) {
    case Op::abs:
      if (x.low >= 0) return x;
      if (x.high <= 0) return -x;
      return {0, std::max(-x.low, x.high), true};
    case Op::floor:
      return {std::floor(x.low), std::floor(x.high),
              x.broken || std::floor(x.low) != std::floor(x.high)};
    case Op::ceil:
      return {std::ceil(x.low), std::ceil(x.high),
              x.broken || std::ceil(x.low) != std::ceil(x.high)};
    case Op::sqrt: {
      const Interval part = within(x, 0, infinite);
      return part.empty() ? part : rising([](double v) { return std::sqrt(v); }, part);
    }
    case Op::exp:
      return exponential(x);
    case Op::ln:
      return logarithm(x);
    case Op::log10: {
      const Interval part = within(x, 0, infinite);
      return part.empty() ? part : rising([](double v) { return std::log10(v); }, part);
    }
    case Op::sin:
      return sine(x);
    case Op::cos:
      return cosine(x);
    case Op::tan:
      return tangent(x);
    case Op::sec:
      return reciprocal(cosine(x));
    case Op::csc:
      return reciprocal(sine(x));
    case Op::cot:
      return cosine(x) / sine(x);
    case Op::asin: {
      const Interval part = within(x, -1, 1);
      return part.empty() ? part : rising([](double v) { return std::asin(v); }, part);
    }
    case Op::acos: {
      const Interval part = within(x, -1, 1);
      return part.empty() ? part : falling([](double v) { return std::acos(v); }, part);
    }
    case Op::atan:
      return rising([](double v) { return std::atan(v); }, x);
    case Op::sinh:
      return rising([](double v) { return std::sinh(v); }, x);
    case Op::cosh:
      return hyperbolic_cosine(x);
    case Op::tanh:
      return rising([](double v) { return std::tanh(v); }, x);
    case Op::asinh:
      return rising([](double v) { return std::asinh(v); }, x);
    case Op::acosh: {
      const Interval part = within(x, 1, infinite);
      return part.empty() ? part : rising([](double v) { return std::acosh(v); }, part);
    }
    case Op::atanh: {
      const Interval part = within(x, -1, 1);
      return part.empty() ? part : rising([](double v) { return std::atanh(v); }, part);
    }
    case Op::acot:
      if (x.contains(0)) return widened(-pi / 2, pi / 2, true);
      return function_of(Op::atan, reciprocal(x));
    case Op::asec:
    case Op::acsc:
    case Op::asech:
    case Op::acsch:
    case Op::acoth: {
      const Op other = op == Op::asec    ? Op::acos
                       : op == Op::acsc  ? Op::asin
                       : op == Op::asech ? Op::acosh
                       : op == Op::acsch ? Op::asinh
                                         : Op::atanh;
      return function_of(other, reciprocal(x));
    }
    case Op::sech:
      return reciprocal(hyperbolic_cosine(x));
    case Op::csch:
      return reciprocal(function_of(Op::sinh, x));
    case Op::coth:
      return reciprocal(function_of(Op::tanh, x));
    case Op::factorial:  // rises from its minimum at 0.4616 on
      if (x.low >= 0.47) return rising([](double v) { return std::tgamma(v + 1); }, x);
      return Interval::all();
    case Op::sign:
      return {static_cast<double>((x.low > 0) - (x.low < 0)),
              static_cast<double>((x.high > 0) - (x.high < 0)), x.broken || x.contains(0)};
    case Op::logical_not:
      return truth(!(x.is_point() && x.low == 0), x.contains(0), x, x);
    default:
      return Interval::all();
  }
}

}  // namespace

Interval operator-(const Interval& a) { return {-a.high, -a.low, a.broken}; }

Interval operator+(const Interval& a, const Interval& b) {
  if (a.empty() || b.empty()) return Interval::none();
  const Interval sum{sum_below(a.low, b.low), sum_above(a.high, b.high), a.broken || b.broken};
  return std::isnan(sum.low) || std::isnan(sum.high) ? Interval::all() : sum;
}

Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) {
  if (a.empty() || b.empty()) return Interval::none();
  const double ends[4][2] = {{a.low, b.low}, {a.low, b.high}, {a.high, b.low}, {a.high, b.high}};
  Interval result{infinite, -infinite, a.broken || b.broken};
  for (const auto& [x, y] : ends) {
    result.low = std::min(result.low, product_below(x, y));
    result.high = std::max(result.high, product_above(x, y));
  }
  return result;
}

Interval operator/(const Interval& a, const Interval& b) {
  if (a.empty() || b.empty() || (b.low == 0 && b.high == 0)) return Interval::none();
  if (b.low < 0 && b.high > 0) return Interval::all();
  const bool broken = a.broken || b.broken || b.low == 0 || b.high == 0;
  if (a.is_point() && a.low == 0) return {0, 0, broken};
  // 1/b, where a bound of zero leads to infinity.
  const Interval inverse{b.high == 0 ? -infinite : below(1 / b.high),
                         b.low == 0 ? infinite : above(1 / b.low), broken};
  if (a.is_point() && b.is_point()) {
    const double q = a.low / b.low;
    return std::fma(q, b.low, -a.low) == 0 && std::fabs(q) > 1e-290
               ? Interval{q, q, broken}
               : Interval{below(q), above(q), broken};
  }
  return a * inverse;
}

Interval common(const Interval& a, const Interval& b) {
  const Interval both{std::max(a.low, b.low), std::min(a.high, b.high), a.broken || b.broken};
  return both.empty() ? a : both;  // apart by rounding only
}

Interval bounds_of(Op op, const Interval& a, const Interval& b, const Interval& c) {
  const int operands = arity(op);
  if (operands >= 1 && a.empty() && op != Op::select) return Interval::none();
  if (operands >= 2 && b.empty()) return Interval::none();
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
    case Op::min:
      return {std::min(a.low, b.low), std::min(a.high, b.high), true};
    case Op::max:
      return {std::max(a.low, b.low), std::max(a.high, b.high), true};
    case Op::lt:
      return truth(a.high >= b.low, a.low < b.high, a, b);
    case Op::le:
      return truth(a.high > b.low, a.low <= b.high, a, b);
    case Op::gt:
      return truth(a.low <= b.high, a.high > b.low, a, b);
    case Op::ge:
      return truth(a.low < b.high, a.high >= b.low, a, b);
    case Op::select: {
      if (!b.contains(0)) return a;
      if (b.is_point()) return c;
      if (a.empty() || c.empty()) return a.empty() ? c : a;
      return {std::min(a.low, c.low), std::max(a.high, c.high), true};
    }
    default:
      break;
  }
  if (operands >= 2) {
    if (a.is_point() && b.is_point()) return Interval::at(evaluate(op, a.low, b.low, c.low));
    return is_boolean(op) ? Interval{0, 1, true} : Interval::all();
  }
  return function_of(op, a);
}

}  // namespace stiffit::internal
