// Laws of fractional order, k*S^(2/3) or k*sqrt(S): they have no value below zero and no derivative
// at zero, and what they consume is used up in finite time. Here such powers are given the value
// zero where their base is not positive, which makes the solution that rests at zero the only one,
// and what vanishes with them is told, so that the moment of exhaustion can be found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "symbolic/system.h"

namespace stiffit::internal {

// Replaces powers with a fractional exponent in the rates and equations: one between 0 and 1, or,
// of a base that has such a one too, any that is not whole. Exponents that are not known yet are
// looked at when they are. What stands in a branch of a condition is left as it is. Doing so twice
// changes nothing.
void guard_powers(System& system);

// The same expressions where only values are asked for, no derivatives: a guarded power need not
// wait for a base that is safe, since its value is not taken where it has none.
std::vector<NodeId> for_values(Graph& graph, const std::vector<NodeId>& roots);

// A factor of the base of a power with an exponent between 0 and 1.
struct VanishingBase {
  NodeId node = 0;
  int state = -1;    // the factor is that state; -1: another expression
  std::string name;  // for people
};
std::vector<VanishingBase> vanishing_bases(System& system);

}  // namespace stiffit::internal
