// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/smoothing_spline.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

SmoothingSpline::SmoothingSpline(std::vector<double> knots, std::vector<double> variances)
    : knots_(std::move(knots)), variances_(std::move(variances)) {
  const std::size_t n = knots_.size(), m = n - 2;
  for (std::size_t i = 0; i + 1 < n; ++i) h_.push_back(knots_[i + 1] - knots_[i]);
  for (std::size_t j = 0; j < m; ++j) {
    r0_.push_back((h_[j] + h_[j + 1]) / 3);
    r1_.push_back(h_[j + 1] / 6);
    q0_.push_back(1 / h_[j]);
    q1_.push_back(-1 / h_[j] - 1 / h_[j + 1]);
    q2_.push_back(1 / h_[j + 1]);
  }
  s0_.resize(m);
  s1_.assign(m, 0);
  s2_.assign(m, 0);
  for (std::size_t j = 0; j < m; ++j) {
    s0_[j] = q0_[j] * q0_[j] * variances_[j] + q1_[j] * q1_[j] * variances_[j + 1] +
             q2_[j] * q2_[j] * variances_[j + 2];
    if (j + 1 < m)
      s1_[j] = q1_[j] * q0_[j + 1] * variances_[j + 1] + q2_[j] * q1_[j + 1] * variances_[j + 2];
    if (j + 2 < m) s2_[j] = q2_[j] * q0_[j + 2] * variances_[j + 2];
  }
}

SmoothingSpline::Band SmoothingSpline::factor(double lambda) const {
  const std::size_t m = s0_.size();
  Band b{std::vector<double>(m), std::vector<double>(m, 0), std::vector<double>(m, 0)};
  for (std::size_t j = 0; j < m; ++j) {
    double d = r0_[j] + lambda * s0_[j];
    double u = (j + 1 < m ? r1_[j] : 0) + lambda * s1_[j];
    if (j >= 1) {
      d -= b.d[j - 1] * b.l1[j - 1] * b.l1[j - 1];
      u -= b.d[j - 1] * b.l1[j - 1] * b.l2[j - 1];
    }
    if (j >= 2) d -= b.d[j - 2] * b.l2[j - 2] * b.l2[j - 2];
    b.d[j] = d;
    b.l1[j] = j + 1 < m ? u / d : 0;
    b.l2[j] = j + 2 < m ? lambda * s2_[j] / d : 0;
  }
  return b;
}

void SmoothingSpline::Band::solve(std::vector<double>& x) const {
  const std::size_t m = d.size();
  for (std::size_t j = 0; j < m; ++j) {
    if (j >= 1) x[j] -= l1[j - 1] * x[j - 1];
    if (j >= 2) x[j] -= l2[j - 2] * x[j - 2];
  }
  for (std::size_t j = m; j-- > 0;) {
    x[j] /= d[j];
    if (j + 1 < m) x[j] -= l1[j] * x[j + 1];
    if (j + 2 < m) x[j] -= l2[j] * x[j + 2];
  }
}

std::vector<double> SmoothingSpline::second_differences(std::span<const double> y) const {
  std::vector<double> result(s0_.size());
  for (std::size_t j = 0; j < result.size(); ++j)
    result[j] = q0_[j] * y[j] + q1_[j] * y[j + 1] + q2_[j] * y[j + 2];
  return result;
}

double SmoothingSpline::score(std::span<const double> values, double lambda) {
  const Band b = factor(lambda);
  const std::size_t m = b.d.size(), n = knots_.size();
  std::vector<double> c = second_differences(values);
  b.solve(c);
  // The inner band of the inverse, from the end.
  std::vector<double> i0(m + 2, 0), i1(m + 2, 0), i2(m + 2, 0);
  for (std::size_t j = m; j-- > 0;) {
    const double a = b.l1[j], e = b.l2[j];
    i1[j] = -a * i0[j + 1] - e * i1[j + 1];
    i2[j] = -a * i1[j + 1] - e * i0[j + 2];
    i0[j] = 1 / b.d[j] - a * i1[j] - e * i2[j];
  }
  double trace = 0;  // of (Q' V Q) (R + lambda Q' V Q)^-1
  for (std::size_t j = 0; j < m; ++j)
    trace += s0_[j] * i0[j] + 2 * s1_[j] * i1[j] + 2 * s2_[j] * i2[j];
  double squares = 0;
  int noisy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (variances_[i] <= 0) continue;
    ++noisy;
    double q = 0;  // (Q c)_i
    if (i < m) q += q0_[i] * c[i];
    if (i >= 1 && i - 1 < m) q += q1_[i - 1] * c[i - 1];
    if (i >= 2) q += q2_[i - 2] * c[i - 2];
    squares += lambda * lambda * variances_[i] * q * q;
  }
  const double lost = lambda * trace;  // degrees of freedom left to the residuals
  freedom_ = static_cast<double>(n) - lost;
  return noisy * squares / (lost * lost);
}

void SmoothingSpline::choose(std::span<const double> values) {
  double r = 0, s = 0;
  for (std::size_t j = 0; j < s0_.size(); ++j) {
    r += r0_[j];
    s += s0_[j];
  }
  const double unit = std::log(r / s);  // where both parts weigh the same
  auto at = [&](double x) { return score(values, std::exp(unit + x)); };
  double best = 0, least = INFINITY;
  for (double x = -16; x <= 24; x += 2)
    if (double v = at(x); v < least) {
      least = v;
      best = x;
    }
  double low = best - 2, high = best + 2;
  constexpr double golden = 0.6180339887498949;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double fa = at(a), fb = at(b);
  for (int k = 0; k < 12; ++k) {
    if (fa < fb) {
      high = b;
      b = a;
      fb = fa;
      a = high - golden * (high - low);
      fa = at(a);
    } else {
      low = a;
      a = b;
      fa = fb;
      b = low + golden * (high - low);
      fb = at(b);
    }
  }
  const double x = fa < fb ? a : b;
  lambda_ = std::exp(unit + (std::min(fa, fb) < least ? x : best));
  score(values, lambda_);
}

void SmoothingSpline::fit(std::span<const double> y) {
  const std::size_t n = knots_.size(), m = n - 2;
  band_ = factor(lambda_);
  std::vector<double> c = second_differences(y);
  band_.solve(c);
  g_.assign(y.begin(), y.end());
  c_.assign(n, 0);
  for (std::size_t j = 0; j < m; ++j) {
    c_[j + 1] = c[j];
    g_[j] -= lambda_ * variances_[j] * q0_[j] * c[j];
    g_[j + 1] -= lambda_ * variances_[j + 1] * q1_[j] * c[j];
    g_[j + 2] -= lambda_ * variances_[j + 2] * q2_[j] * c[j];
  }
}

std::size_t SmoothingSpline::interval(double time) const {
  const auto above = std::upper_bound(knots_.begin(), knots_.end(), time) - knots_.begin();
  return std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(knots_.size()) - 2);
}

namespace {

// Weights of (g_i, g_i+1, c_i, c_i+1) in the cubic of one interval; outside of it the line goes on.
struct Weights {
  double g0, g1, c0, c1;
};
Weights piece(double time, double left, double h, bool slope) {
  const double b = (time - left) / h, a = 1 - b;
  if (b < 0 || b > 1) {
    // Beyond the ends the second derivative is zero: c of the end is 0, the other's share is that
    // of the end's slope.
    const bool before = b < 0;
    const double s0 = before ? -h / 3 : h / 6, s1 = before ? -h / 6 : h / 3;
    const double x = before ? time - left : time - left - h;
    if (slope) return {-1 / h, 1 / h, s0, s1};
    return {(before ? 1 : 0) - x / h, (before ? 0 : 1) + x / h, x * s0, x * s1};
  }
  if (slope) return {-1 / h, 1 / h, -(3 * a * a - 1) * h / 6, (3 * b * b - 1) * h / 6};
  return {a, b, (a * a * a - a) * h * h / 6, (b * b * b - b) * h * h / 6};
}

}  // namespace

double SmoothingSpline::value(double time) const {
  const std::size_t i = interval(time);
  const Weights w = piece(time, knots_[i], h_[i], false);
  return w.g0 * g_[i] + w.g1 * g_[i + 1] + w.c0 * c_[i] + w.c1 * c_[i + 1];
}

double SmoothingSpline::slope(double time) const {
  const std::size_t i = interval(time);
  const Weights w = piece(time, knots_[i], h_[i], true);
  return w.g0 * g_[i] + w.g1 * g_[i + 1] + w.c0 * c_[i] + w.c1 * c_[i + 1];
}

SmoothingSpline::RowSum SmoothingSpline::row_sum(int width) const {
  return {width, std::vector<double>(knots_.size() * width, 0),
          std::vector<double>((knots_.size() - 2) * width, 0)};
}

void SmoothingSpline::add_row(double time, bool slope, const double* weights, RowSum& sum) const {
  const std::size_t m = knots_.size() - 2, i = interval(time), width = sum.width;
  const Weights w = piece(time, knots_[i], h_[i], slope);
  for (std::size_t k = 0; k < width; ++k) {
    sum.by_g[i * width + k] += w.g0 * weights[k];
    sum.by_g[(i + 1) * width + k] += w.g1 * weights[k];
    if (i >= 1) sum.by_c[(i - 1) * width + k] += w.c0 * weights[k];
    if (i < m) sum.by_c[i * width + k] += w.c1 * weights[k];
  }
}

// g = y - lambda V Q c, c = B^-1 Q' y.
std::vector<double> SmoothingSpline::spread(const RowSum& sum) const {
  const std::size_t n = knots_.size(), m = n - 2, width = sum.width;
  std::vector<double> result = sum.by_g, by_c(m);
  for (std::size_t k = 0; k < width; ++k) {
    auto g = [&](std::size_t knot) {
      return lambda_ * variances_[knot] * sum.by_g[knot * width + k];
    };
    for (std::size_t j = 0; j < m; ++j)
      by_c[j] = sum.by_c[j * width + k] - (q0_[j] * g(j) + q1_[j] * g(j + 1) + q2_[j] * g(j + 2));
    band_.solve(by_c);
    for (std::size_t j = 0; j < m; ++j) {
      result[j * width + k] += q0_[j] * by_c[j];
      result[(j + 1) * width + k] += q1_[j] * by_c[j];
      result[(j + 2) * width + k] += q2_[j] * by_c[j];
    }
  }
  return result;
}

std::vector<std::pair<int, double>> SmoothingSpline::row(double time, bool slope) const {
  const std::size_t n = knots_.size();
  RowSum sum = row_sum(1);
  const double one = 1;
  add_row(time, slope, &one, sum);
  const std::vector<double> by_y = spread(sum);
  double largest = 0;
  for (double v : by_y) largest = std::max(largest, std::abs(v));
  std::vector<std::pair<int, double>> result;
  for (std::size_t k = 0; k < n; ++k)
    if (std::abs(by_y[k]) > 1e-10 * largest) result.emplace_back(static_cast<int>(k), by_y[k]);
  return result;
}

}  // namespace stiffit::internal
