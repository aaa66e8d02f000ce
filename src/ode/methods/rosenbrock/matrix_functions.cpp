// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/rosenbrock/matrix_functions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiffit::internal {
namespace {

using Dense = std::vector<double>;

Dense product(const Dense& a, const Dense& b, std::size_t n) {
  Dense c(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      const double factor = a[i * n + k];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
    }
  return c;
}

// b <- a^-1 b.
void solve(Dense a, Dense& b, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[best * n + k])) best = i;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(a[k * n + j], a[best * n + j]);
      std::swap(b[k * n + j], b[best * n + j]);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      if (factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      for (std::size_t j = 0; j < n; ++j) b[i * n + j] -= factor * b[k * n + j];
    }
  }
  for (std::size_t k = n; k-- > 0;)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = b[k * n + j];
      for (std::size_t i = k + 1; i < n; ++i) sum -= a[k * n + i] * b[i * n + j];
      b[k * n + j] = sum / a[k * n + k];
    }
}

double length(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return std::sqrt(sum);
}

}  // namespace

std::vector<double> matrix_exponential(std::vector<double> a, std::size_t n) {
  double norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < n; ++j) row += std::fabs(a[i * n + j]);
    norm = std::max(norm, row);
  }
  if (!std::isfinite(norm)) return Dense(n * n, NAN);
  int squarings = 0;
  for (; norm > 0.5; norm /= 2) ++squarings;
  const double scale = std::ldexp(1.0, -squarings);
  for (double& x : a) x *= scale;
  // N(A) = sum of c_k A^k, D(A) = N(-A).
  Dense power(n * n, 0.0), numerator(n * n, 0.0), denominator(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) power[i * n + i] = 1;
  double c = 1;
  constexpr int degree = 6;
  for (int k = 0;; ++k) {
    for (std::size_t i = 0; i < n * n; ++i) {
      numerator[i] += c * power[i];
      denominator[i] += (k % 2 ? -c : c) * power[i];
    }
    if (k == degree) break;
    c *= static_cast<double>(degree - k) / ((k + 1.0) * (2.0 * degree - k));
    power = product(power, a, n);
  }
  solve(std::move(denominator), numerator, n);
  for (int i = 0; i < squarings; ++i) numerator = product(numerator, numerator, n);
  return numerator;
}

// phi_k(H) e_1 stands in the last column of the exponential of (H e_1 0; 0 0 I; 0 0 0).
bool KrylovPhi::apply(int k, const Multiply& multiply, const double* b, double tolerance,
                      double* out) {
  std::vector<double> v(b, b + n_);
  const double size = length(v);
  std::fill_n(out, n_, 0.0);
  if (size == 0) return true;
  if (!std::isfinite(size)) return false;
  for (double& x : v) x /= size;
  basis_.assign(1, v);
  const std::size_t most = std::min(most_, n_);
  std::vector<std::vector<double>> h;  // columns
  std::size_t m = 0;
  double rest = 0;
  for (; m < most;) {
    std::vector<double> w(n_);
    multiply(basis_[m].data(), w.data());
    const double before = length(w);
    std::vector<double> column(most + 1, 0.0);
    for (int round = 0; round < 2; ++round)
      for (std::size_t i = 0; i <= m; ++i) {
        double dot = 0;
        for (std::size_t j = 0; j < n_; ++j) dot += w[j] * basis_[i][j];
        column[i] += dot;
        for (std::size_t j = 0; j < n_; ++j) w[j] -= dot * basis_[i][j];
      }
    rest = length(w);
    column[m + 1] = rest;
    h.push_back(column);
    ++m;
    if (!(rest > 1e-14 * before)) {
      rest = 0;
      break;
    }
    for (double& x : w) x /= rest;
    basis_.push_back(std::move(w));
  }
  if (m == n_) rest = 0;
  const auto extra = static_cast<std::size_t>(k) + 1;  // one more phi, for the error
  const std::size_t all = m + extra;
  Dense big(all * all, 0.0);
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t i = 0; i < std::min(m, j + 2); ++i) big[i * all + j] = h[j][i];
  big[m] = 1;
  for (std::size_t i = 0; i + 1 < extra; ++i) big[(m + i) * all + m + i + 1] = 1;
  const Dense e = matrix_exponential(std::move(big), all);
  const std::size_t wanted = m + extra - 2;  // column of phi_k; the next is phi_{k+1}
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n_; ++j) out[j] += size * e[i * all + wanted] * basis_[i][j];
  if (!std::isfinite(e[wanted])) return false;
  // What leaves the space first: h_{m+1,m} e_m phi_{k+1}(H) e_1.
  return rest * std::fabs(e[(m - 1) * all + wanted + 1]) * size <= tolerance;
}

}  // namespace stiffit::internal
