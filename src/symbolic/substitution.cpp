// SPDX-License-Identifier: Apache-2.0
#include "symbolic/substitution.h"

#include "symbolic/operands_first.h"

namespace stiffit::internal {

NodeId Substitution::of(NodeId root) {
  for (NodeId node :
       operands_first(graph_, root, [this](NodeId id) { return known_.contains(id); })) {
    const GraphNode n = graph_[node];  // by value: the graph grows
    const int operands = arity(n.op);
    NodeId made = node;
    if (operands > 0)
      made = graph_.apply(n.op, known_.at(n.a), operands > 1 ? known_.at(n.b) : 0,
                          operands > 2 ? known_.at(n.c) : 0);
    known_.emplace(node, made);
  }
  return known_.at(root);
}

}  // namespace stiffit::internal
