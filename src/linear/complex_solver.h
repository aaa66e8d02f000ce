// Solves (d M - J) x = b on one lane for a complex d: what the stages of an implicit Runge-Kutta
// method come to. Dense with row pivoting when small, else SuiteSparse KLU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "symbolic/sparsity.h"

namespace stiffit::internal {

class ComplexSolver {
 public:
  virtual ~ComplexSolver() = default;
  // False if the matrix is singular or not finite.
  virtual bool factor(std::complex<double> d, const double* jacobian) = 0;
  virtual void solve(std::complex<double>* b) = 0;
};

// `mass` is the diagonal of M; empty means all ones. Up to `largest_dense` states it is dense.
std::unique_ptr<ComplexSolver> make_complex_solver(const Sparsity& jacobian,
                                                   const std::vector<double>& mass,
                                                   int largest_dense = 24);

}  // namespace stiffit::internal
