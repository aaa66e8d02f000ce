// A guaranteed bound of what a Taylor polynomial leaves out, for polynomial right-hand sides.
//
// For x' = Q(x) of degree L >= 2 and sizes d_i >= |x_i(t0)|, d_i > 0: with s the largest of
// Q_i(|a|, d)/d_i (all coefficients positive) and rho = 1/((L - 1) s),
//   |x_i(t0 + h) - T_M x_i| <= d_i (1 - tau)^(-1/(L - 1)) tau^(M + 1),  tau = |h|/rho < 1,
// because the series of x_i/d_i is dominated by that of u' = s u^L, u = 1. It bounds the truncation
// of one step, not rounding, and not what earlier steps left behind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compile/program.h"
#include "linear/aligned_array.h"

namespace stiffit::internal {

struct TaylorBound {
  double radius = 0;         // rho: the solution is analytic within
  int degree = 2;            // L
  std::vector<double> size;  // d
  // (1 - tau)^(-1/(L - 1)) tau^(order + 1): times size, the bound. Infinite beyond the radius.
  double share(double h, int order) const;
};

// Why there is no bound for this program; empty: there is.
std::string taylor_bound_refusal(const Program& program);

// The bounds of one trajectory.
class TaylorMajorant {
 public:
  explicit TaylorMajorant(const Program& program);
  // All parameters with the derived ones, `stride` apart.
  void set_parameters(const double* values, int stride);
  // The bound from state y (`stride` apart) whose sizes let the longest step leave out no more than
  // `allowed`; and that step.
  double find(const double* y, int stride, const double* allowed, int order, TaylorBound& bound);

 private:
  int n_, degree_, slots_;
  Kernel kernel_;
  AlignedArray parameters_, size_, rate_;
};

}  // namespace stiffit::internal
