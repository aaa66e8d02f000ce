// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/matrix_policy.h"

namespace stiffit::internal {
namespace {

// Chosen as bdf_step.h says.
constexpr MatrixPolicy eager{.longest_use = 20,
                             .smallest_drift = 0.75,
                             .largest_drift = 1.25,
                             .keeps_jacobian = true,
                             .newton_share = 0.1,
                             .most_iterations = 4,
                             .slowest = 2,
                             .most_extra = 0};

// Chosen on bcr and fceri_gamma2, rtol 1e-6 and atol 1e-8. What a matrix of another step leaves is
// not random: it adds up to an error estimate that shortens steps (fceri_gamma2 with a share of
// 0.1, 0.02, 0.005, 0.001: 664, 448, 213, 201 steps, 15, 13, 12, 11 LU; the eager policy: 286 steps
// and 66 LU). A drift of 3 leaves Newton a rate of 1/2; with 2 and 6 there were 16 and 19 LU.
constexpr MatrixPolicy thrifty{.longest_use = 1000,
                               .smallest_drift = 1.0 / 3,
                               .largest_drift = 3,
                               .keeps_jacobian = false,
                               .newton_share = 0.002,
                               .most_iterations = 10,
                               .slowest = 0.9,
                               .most_extra = 0};

}  // namespace

double iterations_per_factorisation(double flops, long fill, int nonzeros) {
  // Triangular solves wait for memory, f for its indices; a factorisation does not.
  return flops /
         (thresholds::solve_flops * static_cast<double>(fill) + thresholds::rhs_flops * nonzeros);
}

MatrixPolicy matrix_policy(double worth, double jacobian_reuse_threshold) {
  if (worth < jacobian_reuse_threshold) return eager;
  MatrixPolicy policy = thrifty;
  policy.most_extra = worth;
  return policy;
}

}  // namespace stiffit::internal
