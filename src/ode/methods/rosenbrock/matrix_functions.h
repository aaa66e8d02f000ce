// phi functions of a matrix times vectors: what exponential integrators are made of. Small matrices
// as a whole, large ones through a Krylov space.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace stiffit::internal {

// e^A of a dense n x n matrix, row by row: Pade (6, 6) with scaling and squaring.
std::vector<double> matrix_exponential(std::vector<double> a, std::size_t n);

// phi_k(A) b for a matrix known by its products; phi_1 = (e^z - 1)/z, phi_{k+1} = (phi_k - 1/k!)/z.
class KrylovPhi {
 public:
  using Multiply = std::function<void(const double* x, double* out)>;
  KrylovPhi(std::size_t size, std::size_t most_vectors) : n_(size), most_(most_vectors) {}
  // False if the space of `most_vectors` does not hold it to `tolerance` (in the norm of b's
  // units). A space as large as the matrix is exact.
  bool apply(int k, const Multiply& multiply, const double* b, double tolerance, double* out);

 private:
  std::size_t n_, most_;
  std::vector<std::vector<double>> basis_;
};

}  // namespace stiffit::internal
