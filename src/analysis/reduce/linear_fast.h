// Solves 0 = f for states that enter linearly, by elimination on expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "symbolic/graph.h"

namespace stiffit::internal {

// Values of `states` that make all of `equations` zero; none if an equation is not linear in them,
// or the equations do not determine them.
std::optional<std::vector<NodeId>> solve_linear(Graph& graph, const std::vector<NodeId>& equations,
                                                const std::vector<int>& states);

}  // namespace stiffit::internal
