// SPDX-License-Identifier: Apache-2.0
#include "integrate/step_control.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace stiffit {
namespace {

// Logarithm and power of two by polynomials through the Chebyshev points, errors 2e-5 and 3e-6. The
// next step waits for these, so no division, no call, no branch.
double rough_log2(double x) {
  x = std::clamp(x, 1e-290, 1e290);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const double exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023);
  const double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL) - 1;
  const double m2 = m * m;
  return exponent + ((1.6514670883351556e-05 + 1.4414924117615537 * m) +
                     m2 * ((-0.7064864491338083 + 0.40947029869795765 * m) +
                           m2 * (-0.18748860458973862 + 0.043004957791890897 * m)));
}

double rough_exp2(double x) {
  constexpr double to_whole = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds
  const double shifted = std::clamp(x, -1000.0, 1000.0) + to_whole;
  const double u = x - (shifted - to_whole), u2 = u * u;
  const double fraction =
      (1 + 0.6931210452034272 * u) +
      u2 * ((0.24022349038020283 + 0.05592197584225573 * u) + u2 * 0.009666368515388638);
  return fraction * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
}

}  // namespace

double rough_root(double x, int order) {
  return x > 0 ? rough_exp2(rough_log2(x) * (1.0 / order)) : 0;
}

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
