// SPDX-License-Identifier: Apache-2.0
#include "analysis/reduce/escep.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

EscepSolution escep_outer(double p, double q, double time) {
  // With s = exp(x): exp(x) + p x = a, increasing and convex, so that Newton's method falls from
  // above to the root. In logarithms nothing overflows, however small p is.
  const double a = 1 - (p - q) * time;
  double x = std::min(0.0, a / p);
  if (std::exp(x) + p * x < a) x = std::log1p(std::max(a, 0.0));  // only for p < q, where s grows
  for (int i = 0; i < 200; ++i) {
    const double step = (std::exp(x) + p * x - a) / (std::exp(x) + p);
    x -= step;
    if (std::fabs(step) <= 1e-16 * (1 + std::fabs(x))) break;
  }
  const double s = std::exp(x);
  return {s, s / (s + p)};
}

EscepSolution escep_composite(double eps, double p, double q, double time) {
  EscepSolution solution = escep_outer(p, q, time);
  solution.c -= std::exp(-(1 + p) * time / eps) / (1 + p);
  return solution;
}

}  // namespace stiffit::internal
