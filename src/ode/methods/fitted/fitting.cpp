// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/fitted/fitting.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "linear/small_solve.h"

namespace stiffit::internal {

namespace {

template <class Number>
Number phi_of(int k, Number z) {
  double factorial = 1;
  for (int i = 2; i <= k; ++i) factorial *= i;
  if (std::abs(z) < 0.5) {
    Number term = 1 / factorial, sum = term;
    for (int j = k + 1; j < k + 20; ++j) sum += term *= z / static_cast<double>(j);
    return sum;
  }
  Number value = std::exp(z);
  double below = 1;
  for (int i = 1; i <= k; ++i) {
    value = (value - 1 / below) / z;
    below *= i;
  }
  return value;
}

// A condition at a pair is two: its real and its imaginary part.
std::size_t conditions(std::complex<double> z) { return z.imag() == 0 ? 1 : 2; }
double part(std::complex<double> x, std::size_t k) { return k == 0 ? x.real() : x.imag(); }

}  // namespace

double phi(int k, double z) { return phi_of(k, z); }
std::complex<double> phi(int k, std::complex<double> z) { return phi_of(k, z); }

double fitted_mu(double z) {
  const double x = -z;
  if (x < 1e-2) return std::min(0.5, 0.5 - x / 12);
  return 1 / x - 1 / std::expm1(x);
}

std::vector<double> fitted_powers(const FittedPoints& z, const FittedPoints& wanted, int first) {
  // Scaled by the largest z, or the powers would differ by many orders of magnitude.
  double scale = 1e-300;
  std::size_t count = 0;
  for (auto x : z) {
    scale = std::max(scale, std::abs(x));
    count += conditions(x);
  }
  std::vector<std::vector<double>> m;
  std::vector<double> right;
  for (std::size_t i = 0; i < z.size(); ++i) {
    std::complex<double> lowest = 1;
    for (int k = 0; k < first; ++k) lowest *= z[i] / scale;
    for (std::size_t which = 0; which < conditions(z[i]); ++which) {
      std::complex<double> power = lowest;
      m.emplace_back();
      for (std::size_t k = 0; k < count; ++k, power *= z[i] / scale)
        m.back().push_back(part(power, which));
      right.push_back(part(wanted[i], which));
    }
  }
  std::vector<double> c = small_solve(m, right);
  for (std::size_t k = 0; k < c.size(); ++k) c[k] /= std::pow(scale, first + static_cast<int>(k));
  return c;
}

// N(z) - e^z D(z) = 0 is linear in a and b: N, D = 1 +- z/2 + b z^2/4 - a (z/2 +- z^2/4).
FittedPair fitted_pair(const FittedPoints& z) {
  FittedPair pair;
  std::vector<std::vector<double>> m;
  std::vector<double> right;
  for (auto x : z) {
    if (x.real() > -0.1 && x.imag() == 0) break;  // so slow that nothing need be fitted
    if (x.imag() != 0 && std::abs(x) < 0.1) break;
    const std::complex<double> e = std::exp(x);
    for (std::size_t which = 0; which < conditions(x); ++which) {
      m.push_back({part(-(x / 2.0 + x * x / 4.0) + e * (x / 2.0 - x * x / 4.0), which),
                   part(x * x / 4.0 * (1.0 - e), which)});
      right.push_back(part(-(1.0 + x / 2.0) + e * (1.0 - x / 2.0), which));
    }
  }
  if (m.empty()) return pair;
  if (m.size() > 1) {
    m.resize(2);
    right.resize(2);
    const std::vector<double> ab = small_solve(m, right);
    pair = {ab[0], ab[1]};
    // Of a pair that was asked for the fit is as it is, as long as Newton's matrix has a pair of
    // factors; it need not be where the method is A-stable.
    const double half = (1 + pair.a) / 2, top = (pair.a + pair.b) / 2;
    if (z[0].imag() != 0 && top > 0 && 2 * top > half * half) return pair;
  } else {
    pair.a = (right[0] - m[0][1] * pair.b) / m[0][0];
  }
  // Where it is A-stable.
  pair.b = std::clamp(pair.b, 1.0 / 3, 1.0);
  pair.a = std::clamp(pair.a, std::max(0.0, pair.b - 1.0 / 3), pair.b);
  return pair;
}

FittedPoints separate(FittedPoints z, std::size_t most) {
  std::sort(z.begin(), z.end(), [](auto x, auto y) {
    return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
  });
  FittedPoints kept;
  std::size_t taken = 0;
  for (auto x : z) {
    if (taken + conditions(x) > most) continue;
    bool near = false;
    for (auto other : kept) near |= !(std::abs(x - other) > 0.2 * std::abs(other));
    if (near) continue;
    kept.push_back(x);
    taken += conditions(x);
  }
  return kept;
}

void FittedEigenvalues::estimate(const SpectralRadius::Multiply& multiply) {
  modulus_ = radius_.of(multiply);
  const double rayleigh = radius_.signed_of(multiply);
  dominant_ = rayleigh < -0.8 * modulus_ ? rayleigh : 0;
  age_ = 0;
}

FittedPoints FittedEigenvalues::times(double h, std::size_t most) const {
  FittedPoints z;
  for (auto lambda : given_) z.push_back(h * lambda);
  if (given_.empty()) z.emplace_back(h * dominant_);
  return separate(std::move(z), most);
}

}  // namespace stiffit::internal
