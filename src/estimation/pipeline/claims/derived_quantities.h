// What the option derive asks for: read, and added to what a fit, a profile or an ensemble found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/pipeline/claims/combinations.h"
#include "estimation/pipeline/posterior_chains.h"
#include "estimation/uncertainty/combinations/derived_quantity.h"

namespace stiffit::internal {

// Each text is "NAME = formula" in the names of the unknowns and of the model's constants. Throws
// OptionError where one is not, or has a name that there is already. `kind`: what the unknowns are.
std::vector<Quantity> read_derived(const std::vector<std::string>& texts, const FitProblem& problem,
                                   const std::vector<EstimatedParameter>& unknowns,
                                   const std::string& kind = "estimated");

// Around the best fit, by profiles. False: interrupted; what is missing is left out.
bool add_derived(std::vector<DerivedQuantity>& derived, const std::vector<Quantity>& wanted,
                 const ProblemObjective& objective, const LocalFit& best,
                 const FitStatistics& statistics, const LocalOptions& local);

std::vector<DerivedQuantity> derived_over_draws(const std::vector<Quantity>& wanted,
                                                const std::vector<EstimatedParameter>& unknowns,
                                                const std::vector<double>& best,
                                                const PosteriorChains& chains, double level);

}  // namespace stiffit::internal
