// Solves 0 = f for states that enter linearly, by elimination on expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "symbolic/graph.h"

namespace stiffit {

// Nodes with some leaves replaced.
class Substitution {
 public:
  explicit Substitution(Graph& graph) : graph_(graph) {}
  void replace(NodeId leaf, NodeId by) { known_[leaf] = by; }
  NodeId of(NodeId root);

 private:
  Graph& graph_;
  std::unordered_map<NodeId, NodeId> known_;
};

// Values of `states` that make all of `equations` zero; none if an equation is not linear in them,
// or the equations do not determine them.
std::optional<std::vector<NodeId>> solve_linear(Graph& graph, const std::vector<NodeId>& equations,
                                                const std::vector<int>& states);

}  // namespace stiffit
