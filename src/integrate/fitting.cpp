// SPDX-License-Identifier: Apache-2.0
#include "integrate/fitting.h"

#include <algorithm>
#include <cmath>

#include "linear/small_solve.h"

namespace stiffit {

double phi(int k, double z) {
  double factorial = 1;
  for (int i = 2; i <= k; ++i) factorial *= i;
  if (std::fabs(z) < 0.5) {
    double term = 1 / factorial, sum = term;
    for (int j = k + 1; j < k + 20; ++j) sum += term *= z / j;
    return sum;
  }
  double value = std::exp(z), below = 1;
  for (int i = 1; i <= k; ++i) {
    value = (value - 1 / below) / z;
    below *= i;
  }
  return value;
}

double fitted_mu(double z) {
  const double x = -z;
  if (x < 1e-2) return std::min(0.5, 0.5 - x / 12);
  return 1 / x - 1 / std::expm1(x);
}

std::vector<double> fitted_powers(const std::vector<double>& z, const std::vector<double>& wanted,
                                  int first) {
  // Scaled by the largest z, or the powers would differ by many orders of magnitude.
  double scale = 1e-300;
  for (double x : z) scale = std::max(scale, std::fabs(x));
  std::vector<std::vector<double>> m;
  for (double x : z) {
    m.emplace_back();
    for (std::size_t k = 0; k < z.size(); ++k)
      m.back().push_back(std::pow(x / scale, first + static_cast<int>(k)));
  }
  std::vector<double> c = small_solve(m, wanted);
  for (std::size_t k = 0; k < c.size(); ++k) c[k] /= std::pow(scale, first + static_cast<int>(k));
  return c;
}

// N(z) - e^z D(z) = 0 is linear in a and b: N, D = 1 +- z/2 + b z^2/4 - a (z/2 +- z^2/4).
FittedPair fitted_pair(const std::vector<double>& z) {
  FittedPair pair;
  auto parts = [](double x) {
    const double e = std::exp(x);
    return std::vector<double>{-(x / 2 + x * x / 4) + e * (x / 2 - x * x / 4), x * x / 4 * (1 - e),
                               -(1 + x / 2) + e * (1 - x / 2)};
  };
  if (z.empty() || z[0] > -0.1) return pair;  // so slow that nothing need be fitted
  const std::vector<double> first = parts(z[0]);
  if (z.size() > 1 && z[1] < -0.1) {
    const std::vector<double> second = parts(z[1]);
    const std::vector<double> ab =
        small_solve<double>({{first[0], first[1]}, {second[0], second[1]}}, {first[2], second[2]});
    pair = {ab[0], ab[1]};
  } else {
    pair.a = (first[2] - first[1] * pair.b) / first[0];
  }
  // Where it is A-stable.
  pair.b = std::clamp(pair.b, 1.0 / 3, 1.0);
  pair.a = std::clamp(pair.a, std::max(0.0, pair.b - 1.0 / 3), pair.b);
  return pair;
}

std::vector<double> separate(std::vector<double> z, std::size_t most) {
  std::sort(z.begin(), z.end());
  std::vector<double> kept;
  for (double x : z)
    if (kept.size() < most && (kept.empty() || x > 0.8 * kept.back())) kept.push_back(x);
  return kept;
}

void FittedEigenvalues::estimate(const SpectralRadius::Multiply& multiply) {
  modulus_ = radius_.of(multiply);
  const double rayleigh = radius_.signed_of(multiply);
  dominant_ = rayleigh < -0.8 * modulus_ ? rayleigh : 0;
  age_ = 0;
}

std::vector<double> FittedEigenvalues::times(double h, std::size_t most) const {
  std::vector<double> z;
  for (double lambda : given_) z.push_back(h * lambda);
  if (given_.empty()) z.push_back(h * dominant_);
  return separate(std::move(z), most);
}

}  // namespace stiffit
