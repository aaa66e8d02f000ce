// Flux balance: the linear programme max or min c v with N v = 0 and bounds on v, through lp_solve.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

struct FluxBalanceSolution {
  std::vector<double> fluxes;      // per reaction of the model
  std::vector<double> objectives;  // per objective, at those fluxes
  std::string trouble;             // why there is no best flux; all values are NaN then
};

// Stoichiometries and bounds have their values of the start. Throws InputError if the model has no
// flux-balance problem.
FluxBalanceSolution solve_flux_balance(const std::shared_ptr<const Model>& model);

}  // namespace stiffit::internal
