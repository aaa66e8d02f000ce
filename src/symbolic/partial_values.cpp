// SPDX-License-Identifier: Apache-2.0
#include "symbolic/partial_values.h"

#include <cmath>

#include "symbolic/operands_first.h"
#include "symbolic/substitution.h"

namespace stiffit::internal {

NodeId defined_where(Graph& graph, NodeId condition, NodeId value) {
  return graph.apply(Op::select, value, condition, graph.number(std::nan("")));
}

bool is_partly_defined(const Graph& graph, NodeId node) {
  const GraphNode& n = graph[node];
  return n.op == Op::select && graph.is_number(n.c) && std::isnan(graph[n.c].value);
}

NodeId where_defined(Graph& graph, NodeId root) {
  Substitution values(graph);
  bool any = false;
  for (NodeId id : operands_first(graph, root, [](NodeId) { return false; })) {
    if (!is_partly_defined(graph, id)) continue;
    any = true;
    values.replace(id, values.of(graph[id].a));
  }
  return any ? values.of(root) : root;
}

NodeId law_after(Graph& graph, double time, double first, NodeId law) {
  const NodeId before = graph.apply(Op::le, graph.time(), graph.number(time));
  return graph.apply(Op::select, graph.number(first), before, law);
}

bool is_law_after(const Graph& graph, NodeId node) {
  const GraphNode& n = graph[node];
  if (n.op != Op::select || !graph.is_number(n.a)) return false;
  const GraphNode& condition = graph[n.b];
  return condition.op == Op::le && graph.is_number(condition.b) &&
         graph[condition.a].op == Op::symbol &&
         graph[condition.a].a == static_cast<std::uint32_t>(Leaf::time);
}

}  // namespace stiffit::internal
