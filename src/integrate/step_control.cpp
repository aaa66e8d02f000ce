// SPDX-License-Identifier: Apache-2.0
#include "integrate/step_control.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace stiffit {
namespace {

// Logarithm and power of two to about 1e-4. The next step waits for these: no call, no branch, and
// powers where a user of roots would divide.
double rough_log2(double x) {
  x = std::clamp(x, 1e-290, 1e290);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52) - 1023;
  const double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  // The series of the inverse hyperbolic tangent.
  const double z = (m - 1) / (m + 1), z2 = z * z;
  return exponent + 2.8853900817779268 * z * (1 + z2 * (1.0 / 3 + z2 * 0.2));
}

double rough_exp2(double x) {
  constexpr double to_whole = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds
  x = std::clamp(x, -1000.0, 1000.0);
  const double shifted = x + to_whole;
  const double u = (x - (shifted - to_whole)) * 0.69314718055994531;
  const double fraction = 1 + u * (1 + u * (0.5 + u * (1.0 / 6 + u * (1.0 / 24))));
  return fraction * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
}

}  // namespace

double rough_root(double x, int order) { return x > 0 ? rough_exp2(rough_log2(x) / order) : 0; }

double StepControl::after_accept(double h, double error, int order) {
  const double share = 1.0 / order, size = rough_log2(error);
  double factor = std::clamp(safety * rough_exp2(-share * size), smallest, largest);
  if (accepted_inverse > 0) {
    const double predicted =
        h * accepted_inverse * safety * rough_exp2(share * (accepted_size - 2 * size));
    factor = std::min(factor, std::clamp(predicted, smallest, largest));
  }
  accepted_inverse = 1 / h;
  accepted_size = std::max(-6.6438561897747247, size);  // 1e-2
  if (after_rejection) factor = std::min(factor, 1.0);
  after_rejection = false;
  return h * factor;
}

double StepControl::after_reject(double h, double error, int order) {
  after_rejection = true;
  if (!std::isfinite(error)) return 0.25 * h;
  return h / std::clamp(rough_root(error, order) / safety, 1.1, 1 / smallest);
}

}  // namespace stiffit
