// The pattern of d M - J, and where each of its entries comes from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "symbolic/sparsity.h"

namespace stiffit::internal {

// Entry p of the matrix is mass[p] * d - (source[p] < 0 ? 0 : jacobian[source[p]]).
struct SystemMatrix {
  Sparsity pattern;
  std::vector<int> source;   // non-zero of the Jacobian, -1 where it has none
  std::vector<double> mass;  // factor of d; zero off the diagonal
};

// `mass` is the diagonal of M; empty means all ones.
SystemMatrix system_matrix(const Sparsity& jacobian, const std::vector<double>& mass);

// The entries of one lane, in the order of the matrix' pattern. `jacobian` is [nonzero][lane].
void gather_lane(const SystemMatrix& matrix, double d, const double* jacobian, int lanes, int lane,
                 double* values);

}  // namespace stiffit::internal
