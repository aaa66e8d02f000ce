// Expressions with some of their nodes replaced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "symbolic/graph.h"

namespace stiffit::internal {

class Substitution {
 public:
  explicit Substitution(Graph& graph) : graph_(graph) {}
  void replace(NodeId node, NodeId by) { known_[node] = by; }
  NodeId of(NodeId root);

 private:
  Graph& graph_;
  std::unordered_map<NodeId, NodeId> known_;
};

}  // namespace stiffit::internal
