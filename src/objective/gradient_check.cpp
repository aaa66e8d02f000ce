// SPDX-License-Identifier: Apache-2.0
#include "objective/gradient_check.h"

#include <cmath>

namespace stiffit {

std::vector<GradientCheck> check_gradient(const Objective& objective, std::span<const double> theta,
                                          std::span<const double> gradient, double tolerance) {
  double size = 0;
  for (double g : gradient) size += g * g;
  size = std::sqrt(size);
  std::vector<GradientCheck> result;
  for (std::size_t u = 0; u < theta.size(); ++u) {
    GradientCheck best;
    best.unknown = u;
    best.gradient = gradient[u];
    best.difference = best.error = NAN;
    for (double relative : {1e-4, 1e-3, 1e-2, 1e-5, 3e-2}) {
      if (!std::isfinite(theta[u])) {  // the logarithm of zero: nothing to step from
        best.difference = best.error = 0;
        break;
      }
      const double h = relative * std::max(std::fabs(theta[u]), 1e-2);
      // Fourth order: bends no more than the steps allow.
      auto at = [&](double steps) {
        std::vector<double> point(theta.begin(), theta.end());
        point[u] += steps * h;
        return objective.evaluate(point, Need::value).value;
      };
      const double difference = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
      const double error =
          std::fabs(difference - gradient[u]) / std::max(std::fabs(gradient[u]), 1e-3 * size);
      if (std::isnan(best.error) || error < best.error) {
        best.difference = difference;
        best.error = error;
      }
      if (best.error <= 0.1 * tolerance) break;
    }
    if (size == 0 && best.difference == 0) best.error = 0;
    best.passed = best.error <= tolerance;
    result.push_back(best);
  }
  return result;
}

}  // namespace stiffit
