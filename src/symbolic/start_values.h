// Numbers of a system without compiling it: every node at a time and state. For looking at the
// start, which is done once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "symbolic/system.h"

namespace stiffit::internal {

// The value of every node of the graph; delayed values stand at what they are now. States beyond
// those given are 0.
std::vector<double> node_values(const System& system, double time,
                                const std::vector<double>& states);

// The states at the start.
std::vector<double> start_states(const System& system);

// The rates at the start. For one that is undefined there, like 0/0, it is the limit along the
// solution, and NaN if there is none.
std::vector<double> start_rates(const System& system);

}  // namespace stiffit::internal
