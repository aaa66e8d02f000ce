// The best values of unknowns that enter measurements linearly: scales and offsets by weighted
// least squares (of logarithms where those are compared), noise levels in closed form, all within
// their bounds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

// What an unknown is to the measurements it enters.
enum class InnerRole {
  none,    // not one that can be solved for
  affine,  // predictions are affine in it and in the others of this role, noise normal
  factor,  // predictions compared as logarithms are proportional to it, noise normal
  noise,   // noise levels are proportional to it
};

// Roles of the candidates, found at two different points: what holds at both is taken for a law.
std::vector<InnerRole> inner_roles(const std::vector<int>& candidates,
                                   std::span<const double> values_a,
                                   const std::vector<OutputTerm>& a,
                                   std::span<const double> values_b,
                                   const std::vector<OutputTerm>& b);

// `values` of all unknowns, those with a role replaced by the best within [low, high]; `terms` are
// of the given values, and get the predictions and noise levels of the best ones.
void solve_inner(const std::vector<InnerRole>& roles, const std::vector<int>& candidates,
                 std::vector<OutputTerm>& terms, std::span<const double> low,
                 std::span<const double> high, bool unknown_noise, std::span<double> values);

}  // namespace stiffit::internal
