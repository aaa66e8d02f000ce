// The nodes that an expression is made of, in an order to build from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "base/interrupt.h"
#include "symbolic/graph.h"

namespace stiffit::internal {

// Each once, operands before what uses them. Nodes that are `known` are left out, with what only
// they are made of; those that are a `leaf` are there, but not what they are made of.
template <class Known, class IsLeaf>
std::vector<NodeId> operands_first(const Graph& graph, NodeId root, Known known, IsLeaf leaf) {
  std::vector<NodeId> open{root}, found;
  std::vector<bool> seen(root + 1);
  for (InterruptCheck check; !open.empty(); check()) {
    const NodeId node = open.back();
    open.pop_back();
    if (seen[node] || known(node)) continue;
    seen[node] = true;
    found.push_back(node);
    if (leaf(node)) continue;
    const GraphNode& n = graph[node];
    const NodeId operands[3] = {n.a, n.b, n.c};
    open.insert(open.end(), operands, operands + arity(n.op));
  }
  std::sort(found.begin(), found.end());  // operands have smaller numbers
  return found;
}

template <class Known>
std::vector<NodeId> operands_first(const Graph& graph, NodeId root, Known known) {
  return operands_first(graph, root, known, [](NodeId) { return false; });
}

}  // namespace stiffit::internal
