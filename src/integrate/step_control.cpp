// SPDX-License-Identifier: Apache-2.0
#include "integrate/step_control.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace stiffit {

double rough_root(double x, int order) {
  if (!(x >= 1e-290)) return x > 0 ? rough_root(1e-290, order) : 0;
  if (!(x <= 1e290)) return rough_root(1e290, order);
  auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  // log2 m by the series of the inverse hyperbolic tangent.
  double z = (m - 1) / (m + 1), z2 = z * z;
  double log2 = exponent + 2.8853900817779268 * z * (1 + z2 * (1.0 / 3 + z2 * 0.2));
  double power = log2 / order;
  double whole = std::floor(power + 0.5);
  double u = (power - whole) * 0.69314718055994531;
  double fraction = 1 + u * (1 + u * (0.5 + u * (1.0 / 6 + u / 24)));
  auto shifted = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole) + 1023) << 52;
  return fraction * std::bit_cast<double>(shifted);
}

double StepControl::after_accept(double h, double error, int order) {
  double divisor = std::clamp(rough_root(error, order) / safety, 1 / largest, 1 / smallest);
  if (accepted_step > 0) {
    double predicted =
        accepted_step / h * rough_root(error * error / accepted_error, order) / safety;
    divisor = std::max(divisor, std::clamp(predicted, 1 / largest, 1 / smallest));
  }
  accepted_step = h;
  accepted_error = std::max(1e-2, error);
  if (after_rejection) divisor = std::max(divisor, 1.0);
  after_rejection = false;
  return h / divisor;
}

double StepControl::after_reject(double h, double error, int order) {
  after_rejection = true;
  if (!std::isfinite(error)) return 0.25 * h;
  return h / std::clamp(rough_root(error, order) / safety, 1.1, 1 / smallest);
}

}  // namespace stiffit
