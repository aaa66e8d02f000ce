// A descent over the unknowns that a projection leaves outside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/projected_objective.h"
#include "estimation/optimizers/local_fit.h"

namespace stiffit::internal {

// The part of a point of the whole problem that is left outside.
std::vector<double> reduced_point(std::span<const double> whole, const std::vector<int>& inner);

// From a point of the whole problem; its x has all unknowns again, its derivatives have not.
LocalFit fit_reduced(const ProjectedObjective& projected, std::span<const double> start,
                     const LocalOptions& options);

// Adds what a descent has cost to what follows it.
void add_counts(LocalFit& to, const LocalFit& from);

}  // namespace stiffit::internal
