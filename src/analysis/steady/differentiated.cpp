// SPDX-License-Identifier: Apache-2.0
#include "analysis/steady/differentiated.h"

#include "compile/lower.h"

namespace stiffit::internal {

Differentiated differentiate(System& system, const std::vector<NodeId>& expressions) {
  Differentiated d;
  d.size = expressions.size();
  const auto parameters = static_cast<int>(system.parameters.size());
  std::vector<NodeId> state_nodes, parameter_nodes;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    for (auto& [column, node] : system.graph.gradient(expressions[i], Leaf::state)) {
      d.by_state.push_back({static_cast<int>(i), column});
      state_nodes.push_back(node);
    }
    for (auto& [column, node] : system.graph.gradient(expressions[i], Leaf::parameter)) {
      if (column >= parameters) continue;  // a mode: held fixed
      d.by_parameter.push_back({static_cast<int>(i), column});
      parameter_nodes.push_back(node);
    }
  }
  const LeafArrays arrays{0, 1, 2, parameters + static_cast<int>(system.modes.size())};
  std::vector<Target> targets;
  auto add = [&](const std::vector<NodeId>& nodes) {
    for (NodeId node : nodes) targets.push_back({3, static_cast<int>(targets.size()), node});
  };
  add(expressions);
  d.values = make_kernel(lower(system.graph, targets, arrays, 4, nullptr), 1);
  add(state_nodes);
  add(parameter_nodes);
  d.all = make_kernel(lower(system.graph, targets, arrays, 4, nullptr), 1);
  return d;
}

}  // namespace stiffit::internal
