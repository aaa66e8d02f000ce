// The Radau IIA methods of any number of stages, computed from their definition, with what their
// linear algebra and error estimate need. E. Hairer, G. Wanner, Solving ODEs II, IV.5 and IV.8; J.
// Comp. Appl. Math. 111 (1999) 93.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <vector>

namespace stiffit::internal {

struct RadauCoefficients {
  int stages = 0;
  std::vector<double> node;     // c_i; the last is 1
  std::vector<double> matrix;   // A, row by row
  std::vector<double> inverse;  // of A, row by row
  // A^-1 = T diag(eigenvalues) T^-1: the real one first, then one of each complex pair.
  double real_eigenvalue = 0;
  std::vector<std::complex<double>> eigenvalues;  // of the pairs
  std::vector<double> real_in, real_out;          // row of T^-1, column of T
  std::vector<std::complex<double>> in, out;      // [pair][stage]: rows of T^-1, columns of T
  // The estimate of order `stages` is (I - h J/eigenvalue)^-1 (h f0/eigenvalue + sum e_i z_i).
  std::vector<double> error;
};

// An odd number of stages, up to 7; made once and kept.
const RadauCoefficients& radau_coefficients(int stages);

}  // namespace stiffit::internal
