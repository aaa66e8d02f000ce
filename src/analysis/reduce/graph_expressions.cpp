// SPDX-License-Identifier: Apache-2.0
#include "analysis/reduce/graph_expressions.h"

#include "symbolic/operands_first.h"

namespace stiffit::internal {

ExprId GraphExpressions::of(NodeId root) {
  for (NodeId node :
       operands_first(graph_, root, [this](NodeId id) { return known_.contains(id); })) {
    const GraphNode& n = graph_[node];
    ExprId id = no_expr;
    if (n.op == Op::number) {
      id = model_.expressions.number(n.value);
    } else if (n.op == Op::symbol) {
      id = symbol_(static_cast<Leaf>(n.a), static_cast<int>(n.b));
    } else {
      const int operands = arity(n.op);
      id = model_.expressions.apply(n.op, known_.at(n.a), operands > 1 ? known_.at(n.b) : no_expr,
                                    operands > 2 ? known_.at(n.c) : no_expr);
    }
    known_.emplace(node, id);
  }
  return known_.at(root);
}

}  // namespace stiffit::internal
