// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/fitted/fitting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <utility>

#include "ode/methods/rosenbrock/matrix_functions.h"

namespace stiffit::internal {
namespace {

TEST(Fitting, PhiFunctionsAgreeWithTheirSeriesAndRecursion) {
  for (double z : {-30.0, -2.0, -0.51, -0.49, -1e-3, 0.0}) {
    double factorial = 1;
    for (int k = 1; k <= 3; ++k) {
      EXPECT_NEAR(z * phi(k, z), phi(k - 1, z) - 1 / factorial, 1e-14) << k << " " << z;
      factorial *= k;
    }
  }
  EXPECT_DOUBLE_EQ(phi(3, 0), 1.0 / 6);
}

TEST(Fitting, FirstSchemeMeetsTheExponential) {
  for (double z : {-1e-4, -0.1, -1.0, -10.0, -50.0}) {
    const double mu = fitted_mu(z);
    EXPECT_NEAR((1 + mu * z) / (1 - (1 - mu) * z), std::exp(z), 1e-13) << z;
    EXPECT_GE(mu, 0);
    EXPECT_LE(mu, 0.5);
  }
  EXPECT_EQ(fitted_mu(0), 0.5);
}

double second_scheme(const FittedPair& p, double z) {
  return (1 + (1 - p.a) * z / 2 + (p.b - p.a) * z * z / 4) /
         (1 - (1 + p.a) * z / 2 + (p.b + p.a) * z * z / 4);
}

TEST(Fitting, SecondSchemeMeetsTheExponential) {
  for (double z : {-1.0, -5.0, -40.0}) {
    const FittedPair one = fitted_pair({z});
    EXPECT_NEAR(second_scheme(one, z), std::exp(z), 1e-13);
    EXPECT_EQ(one.b, 1.0 / 3);
    const FittedPair two = fitted_pair({2 * z, z});
    EXPECT_NEAR(second_scheme(two, z), std::exp(z), 1e-12);
    EXPECT_NEAR(second_scheme(two, 2 * z), std::exp(2 * z), 1e-12);
  }
}

TEST(Fitting, PowersTakeTheValuesAsked) {
  // Three numbers, and a number with a pair: three conditions each.
  const FittedPoints three{-3, -1, -0.2}, pair{-3, {-1, 2}};
  const FittedPoints values{0.3, -0.1, 0.01}, of_pair{0.3, {-0.1, 0.4}};
  for (const auto& [z, wanted] : {std::pair{three, values}, std::pair{pair, of_pair}}) {
    const std::vector<double> c = fitted_powers(z, wanted, 3);
    ASSERT_EQ(c.size(), 3u);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const auto value = z[i] * z[i] * z[i] * (c[0] + z[i] * (c[1] + z[i] * c[2]));
      EXPECT_NEAR(std::abs(value - wanted[i]), 0, 1e-13);
    }
  }
}

TEST(MatrixFunctions, ExponentialOfARotationAndOfAStiffMatrix) {
  const std::vector<double> turn = matrix_exponential({0, -2, 2, 0}, 2);
  EXPECT_NEAR(turn[0], std::cos(2.0), 1e-14);
  EXPECT_NEAR(turn[2], std::sin(2.0), 1e-14);
  // Eigenvalues -1 and -1000.
  const std::vector<double> stiff = matrix_exponential({-1000, 999, 0, -1}, 2);
  EXPECT_NEAR(stiff[1], std::exp(-1.0), 1e-11);
  EXPECT_NEAR(stiff[3], std::exp(-1.0), 1e-11);
}

TEST(MatrixFunctions, KrylovSpaceHoldsWhatItShould) {
  // A chain of 200: second differences.
  const std::size_t n = 200;
  auto chain = [&](const double* x, double* out) {
    for (std::size_t i = 0; i < n; ++i)
      out[i] = (i ? x[i - 1] : 0) - 2 * x[i] + (i + 1 < n ? x[i + 1] : 0);
  };
  // sin(k pi (i+1)/(n+1)) is an eigenvector.
  const double angle = 3 * M_PI / (n + 1), lambda = 2 * std::cos(angle) - 2;
  std::vector<double> b(n), out(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = std::sin(angle * double(i + 1));
  KrylovPhi krylov(n, 40);
  for (int k = 1; k <= 3; ++k) {
    ASSERT_TRUE(krylov.apply(k, chain, b.data(), 1e-10, out.data()));
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(out[i], phi(k, lambda) * b[i], 1e-11);
  }
  // A space of two vectors does not hold a unit vector's image, and it says so.
  std::vector<double> unit(n, 0.0);
  unit[50] = 1;
  EXPECT_FALSE(KrylovPhi(n, 2).apply(1, chain, unit.data(), 1e-10, out.data()));
  EXPECT_TRUE(krylov.apply(1, chain, unit.data(), 1e-10, out.data()));
}

}  // namespace
}  // namespace stiffit::internal
