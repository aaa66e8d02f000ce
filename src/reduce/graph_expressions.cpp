// SPDX-License-Identifier: Apache-2.0
#include "reduce/graph_expressions.h"

#include <algorithm>

namespace stiffit {

ExprId GraphExpressions::of(NodeId root) {
  std::vector<NodeId> open{root}, found;
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    if (known_.contains(node)) continue;
    found.push_back(node);
    const GraphNode& n = graph_[node];
    const int operands = arity(n.op);
    if (operands > 0) open.push_back(n.a);
    if (operands > 1) open.push_back(n.b);
    if (operands > 2) open.push_back(n.c);
  }
  std::sort(found.begin(), found.end());  // operands have smaller numbers
  for (NodeId node : found) {
    if (known_.contains(node)) continue;
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

}  // namespace stiffit
