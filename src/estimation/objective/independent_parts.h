// Problems that fall apart: groups of unknowns, each with measurements of its own that no other
// unknown has to do with (places or stages, each with its own rates). Their distributions are
// independent, so that each can be sampled alone, with the few experiments it needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

struct IndependentPart {
  std::vector<std::size_t> unknowns;  // of the whole, in order
  FitProblem problem;                 // with its measurements alone, the other unknowns held
};

// Found by trial, because conditions often switch off what formulas mention: the Fisher information
// of `fitted`, at `at`, has nothing between the parts, and there and at places around no
// measurement of one part changes if an unknown of another does. Empty if all hangs together, if
// noise of a common unknown size joins everything, or if it cannot be told.
std::vector<IndependentPart> independent_parts(const ProblemObjective& objective,
                                               const Evaluation& fitted, std::span<const double> at,
                                               std::uint64_t seed, int threads);

}  // namespace stiffit::internal
