// How long an implicit multistep method keeps J and the factored matrix. A new J at the first sign
// of slow convergence saves steps, but where a factorisation costs as much as many Newton
// iterations it pays to iterate instead, as long as the iterations since it was made have not cost
// as much as making it anew.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thresholds.h"

namespace stiffit::internal {

struct MatrixPolicy {
  int longest_use;        // steps with one J
  double smallest_drift;  // d over that of the factored matrix, which bears it down to here
  double largest_drift;   // and up to here
  bool keeps_jacobian;    // another d alone makes no new J
  double newton_share;    // of the tolerance, measured as local error, that Newton may leave
  int most_iterations;    // of Newton in a step
  double slowest;         // rate of convergence that is gone on with
  double most_extra;      // iterations beyond the first of each step that one J may cause
};

// What an LU costs in Newton iterations, from the operations of both.
double iterations_per_factorisation(double flops, long fill, int nonzeros);

MatrixPolicy matrix_policy(double iterations_per_factorisation,
                           double jacobian_reuse_threshold = Thresholds{}.jacobian_reuse_threshold);

}  // namespace stiffit::internal
