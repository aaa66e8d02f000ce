// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/multistep/bdf_coefficients.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffit::internal::bdf {
namespace {

double polynomial(const double* c, int degree, double s) {
  double value = 0;
  for (int j = degree; j >= 0; --j) value = value * s + c[j];
  return value;
}

// Even steps: the classical formulas, error h^(q+1) y^(q+1) / ((q+1) (1 + 1/2 + ... + 1/q)).
TEST(BdfCoefficients, EvenSteps) {
  PastSteps past;
  for (int i = 0; i < 6; ++i) past.push(0.25);
  double lead = 0, factorial = 1;
  for (int q = 1; q <= largest_order; ++q) {
    lead += 1.0 / q;
    factorial *= q;
    StepCoefficients c = step_coefficients(q, 0.25, past);
    EXPECT_NEAR(c.lambda[1], lead, 1e-14);
    for (int i = 1; i <= q; ++i) EXPECT_NEAR(polynomial(c.lambda, q, -i), 0, 1e-13);
    EXPECT_NEAR(c.error, 1 / ((q + 1) * lead), 1e-14);
    EXPECT_NEAR(c.growth, factorial * (q + 1), 1e-10);
    EXPECT_NEAR(c.higher, 1 / ((q + 2) * (lead + 1.0 / (q + 1))), 1e-14);
    if (q > 1) {
      EXPECT_NEAR(c.lower, factorial / q / (lead - 1.0 / q), 1e-13);
    }
  }
}

TEST(BdfCoefficients, UnevenStepsKeepTheLeadAndThePast) {
  PastSteps past;
  for (double h : {0.5, 0.2, 0.7, 0.1, 0.4}) past.push(h);
  const double h = 0.3;
  for (int q = 2; q <= largest_order; ++q) {
    StepCoefficients c = step_coefficients(q, h, past);
    double lead = 0, distance = h;
    EXPECT_NEAR(polynomial(c.lambda, q, 0), 1, 1e-14);
    for (int i = 1; i < q; ++i) {
      EXPECT_NEAR(polynomial(c.lambda, q, -distance / h), 0, 1e-12);
      distance += past.size[i - 1];
    }
    for (int i = 1; i <= q; ++i) lead += 1.0 / i;
    EXPECT_NEAR(c.lambda[1], lead, 1e-13);
  }
}

TEST(BdfCoefficients, ChangeOfOrderLeavesValuesAlone) {
  PastSteps past;
  for (double h : {0.5, 0.2, 0.7}) past.push(h);
  double shape[largest_order + 2];
  change_shape(2, 0.7, past, shape);
  EXPECT_EQ(shape[0], 0);
  EXPECT_EQ(shape[1], 0);
  EXPECT_EQ(shape[4], 1);
  EXPECT_NEAR(polynomial(shape, 4, -1), 0, 1e-14);
  EXPECT_NEAR(polynomial(shape, 4, -0.9 / 0.7), 0, 1e-14);
}

}  // namespace
}  // namespace stiffit::internal::bdf
