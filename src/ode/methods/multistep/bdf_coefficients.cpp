// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/multistep/bdf_coefficients.h"

#include <cmath>

namespace stiffit::internal::bdf {
namespace {

// 1 + 1/2 + ... + 1/q: the leading coefficient, whatever the steps behind.
constexpr double harmonic[largest_order + 2] = {0,         1,          3.0 / 2,   11.0 / 6,
                                                25.0 / 12, 137.0 / 60, 49.0 / 20, 363.0 / 140};

}  // namespace

void PastSteps::push(double h) {
  for (int i = largest_order; i > 0; --i) size[i] = size[i - 1];
  size[0] = h;
}

// Over a smooth solution, with values behind that lie on it, the polynomial misses the solution at
// s by K (s + 1) (s + xi_1) ... (s + xi_q), K = h^(q+1) y^(q+1) / (q+1)!, plus what the slope at
// t_{n-1}, itself from the formula, misses. `defect` is h y' minus the formula in units of
// K xi_1 ... xi_q; the slope's part makes e grow by q * defect (exactly so for even steps).
StepCoefficients step_coefficients(int q, double h, const PastSteps& past) {
  StepCoefficients c{};
  double* lambda = c.lambda;
  lambda[0] = 1;
  const double lead = harmonic[q];
  double sum = 0, product = 1;  // of 1/xi_i and of xi_i, i < q
  double distance = h;          // t_n - t_{n-i}
  for (int i = 1; i < q; ++i) {
    double inverse = h / distance;
    for (int j = i; j > 0; --j) lambda[j] += lambda[j - 1] * inverse;
    sum += inverse;
    product *= distance / h;
    distance += past.size[i - 1];
  }
  if (q > 1) c.lower = std::fabs(product * (1 + sum - harmonic[q - 1]) / harmonic[q - 1]);
  // The last root is where it makes the slope at s = 0 the leading coefficient.
  double last = lead - sum;
  for (int j = q; j > 0; --j) lambda[j] += lambda[j - 1] * last;
  sum += h / distance;
  product *= distance / h;
  const double defect = 1 + sum - lead;
  const double swell = 1 + q * defect;
  c.error = std::fabs(defect / (lead * swell));
  c.growth = product * swell;
  distance += past.size[q - 1];
  const double next = 1 + sum + h / distance - harmonic[q + 1];
  c.higher = std::fabs(next * (distance / h) / (swell * (q + 2) * harmonic[q + 1]));
  return c;
}

void change_shape(int m, double h, const PastSteps& past, double* shape) {
  for (int j = 0; j <= m + 2; ++j) shape[j] = 0;
  shape[2] = 1;
  double distance = 0;
  for (int i = 1; i <= m; ++i) {
    distance += past.size[i - 1];
    for (int j = i + 2; j >= 2; --j) shape[j] = shape[j] * (distance / h) + shape[j - 1];
  }
}

}  // namespace stiffit::internal::bdf
