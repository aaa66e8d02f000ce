// SPDX-License-Identifier: Apache-2.0
#include "analysis/reduce/linear_fast.h"

#include <algorithm>

#include "symbolic/substitution.h"

namespace stiffit::internal {

std::optional<std::vector<NodeId>> solve_linear(Graph& graph, const std::vector<NodeId>& equations,
                                                const std::vector<int>& states) {
  const std::size_t n = states.size();
  const NodeId zero = graph.number(0);
  Substitution at_zero(graph);
  for (int state : states) at_zero.replace(graph.state(state), zero);
  // a x = b
  std::vector<std::vector<NodeId>> a(n, std::vector<NodeId>(n, zero));
  std::vector<NodeId> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto [state, slope] : graph.gradient(equations[i], Leaf::state)) {
      const auto at = std::find(states.begin(), states.end(), state);
      if (at == states.end()) continue;
      for (auto [other, bend] : graph.gradient(slope, Leaf::state))
        if (std::find(states.begin(), states.end(), other) != states.end()) return std::nullopt;
      a[i][at - states.begin()] = slope;
    }
    b[i] = graph.neg(at_zero.of(equations[i]));
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    while (pivot < n && graph.is_number(a[pivot][k], 0)) ++pivot;
    if (pivot == n) return std::nullopt;
    std::swap(a[pivot], a[k]);
    std::swap(b[pivot], b[k]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k || graph.is_number(a[i][k], 0)) continue;
      const NodeId factor = graph.div(a[i][k], a[k][k]);
      for (std::size_t j = k + 1; j < n; ++j)
        a[i][j] = graph.sub(a[i][j], graph.mul(factor, a[k][j]));
      b[i] = graph.sub(b[i], graph.mul(factor, b[k]));
      a[i][k] = zero;
    }
  }
  std::vector<NodeId> x(n);
  for (std::size_t k = 0; k < n; ++k) {
    // Quotients of negatives read better without their signs.
    NodeId top = b[k], below = a[k][k];
    if (graph[below].op == Op::neg || (graph[below].op == Op::sub && graph[top].op == Op::neg)) {
      top = graph.neg(top);
      below = graph.neg(below);
    }
    x[k] = graph.div(top, below);
  }
  return x;
}

}  // namespace stiffit::internal
