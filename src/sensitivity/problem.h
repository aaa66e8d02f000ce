// What simulate_sensitivities and the adjoint share: made once for a system, never changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "linear/linear_solver.h"
#include "sensitivity/derivative_kernels.h"
#include "sensitivity/sensitivity.h"
#include "sensitivity/sparse_product.h"

namespace stiffit::internal {

class SensitivityProblem {
 public:
  SensitivityProblem(System& system, const Problem& problem, WantedParameters wanted);

  Problem problem;
  WantedParameters wanted;
  std::vector<std::string> parameter_names;
  int lanes;  // directions, or stages, side by side
  DerivativeKernels kernels;
  // J by columns, as the solvers want it, and where each entry stands in the rows of `kernels`.
  Sparsity pattern, transposed;
  std::vector<int> place;
  std::vector<std::vector<std::pair<int, int>>>
      parameter_entries;                     // of df/dp by columns: row, entry
  std::shared_ptr<const LinearPlan> linear;  // `lanes` lanes
  Kernel product, bent_product;              // J x, and J x + A s of a step; see sparse_product.h
  std::shared_ptr<const LinearPlan> adjoint_linear() const;  // J transposed, one lane

 private:
  mutable std::once_flag once_;
  mutable std::shared_ptr<const LinearPlan> adjoint_linear_;
};

}  // namespace stiffit::internal
