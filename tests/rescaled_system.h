// The same equations with other units for their states: x_i becomes c_i x_i. Whatever the units,
// the system is the same, and so must be its solution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "symbolic/system.h"

namespace stiffit::internal {

// `columns` show what they showed. Not for systems with fast reactions.
void rescale(ResolvedSystem& resolved, const std::vector<double>& factors);

// A subset of the states in units 2^-100 to 2^100 (1e-30 to 1e30) of their own, the others as they
// are. Powers of two, so that the equations are the same to the last bit.
std::vector<double> random_units(int states, unsigned long seed);

}  // namespace stiffit::internal
