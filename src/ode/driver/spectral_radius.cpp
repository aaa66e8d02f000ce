// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/spectral_radius.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

constexpr int window = 4;
constexpr double close_enough = 0.01, safety = 1.1;

double length(const AlignedArray& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

}  // namespace

SpectralRadius::SpectralRadius(std::size_t size) : x_(size), image_(size) { begin(); }

void SpectralRadius::begin() {
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = 1 + 0.5 * std::sin(1.0 + 7.0 * double(i));
}

double SpectralRadius::of(const Multiply& multiply) { return iterate(multiply, 60); }
double SpectralRadius::quick(const Multiply& multiply) { return iterate(multiply, window); }

// A pair of complex eigenvalues makes the growth swing: the mean over a few steps does not.
double SpectralRadius::iterate(const Multiply& multiply, int most_iterations) {
  double size = length(x_), mean_before = 0, logs[window] = {};
  if (!(size > 0) || !std::isfinite(size)) {
    begin();
    size = length(x_);
  }
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] /= size;
  double most = 0;
  for (int m = 0; m < most_iterations; ++m) {
    multiply(x_.data(), image_.data());
    const double growth = length(image_);
    if (!(growth > 0) || !std::isfinite(growth)) return safety * most;
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = image_[i] / growth;
    logs[m % window] = std::log(growth);
    if (m + 1 < window) continue;
    double mean = 0;
    for (double l : logs) mean += l / window;
    most = std::exp(mean);
    if (m >= window && std::fabs(mean - mean_before) < close_enough / window) break;
    mean_before = mean;
  }
  return safety * most;
}

double SpectralRadius::signed_of(const Multiply& multiply) {
  if (!(of(multiply) > 0)) return 0;
  multiply(x_.data(), image_.data());
  double sum = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) sum += x_[i] * image_[i];
  return sum;
}

}  // namespace stiffit::internal
