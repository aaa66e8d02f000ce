// From graph nodes to a tape: each node once, just before its first use, products folded into
// fused multiply-adds. Expressions of parameters alone become derived parameters, computed once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "compile/tape.h"
#include "symbolic/graph.h"

namespace stiffit::internal {

// Which array holds the leaves of each kind in the kernel being made.
struct LeafArrays {
  int time = -1, states = -1, parameters = -1;
  int first_input = 0;  // inputs stand among the parameters, from here
};

struct Target {
  int array = 0, element = 0;
  NodeId node = 0;
};

// Expressions of parameters alone, in the order of their slots after the parameters.
class DerivedParameters {
 public:
  explicit DerivedParameters(int parameters) : first_(parameters) {}
  int slot(NodeId node);
  int slots() const { return first_ + static_cast<int>(nodes_.size()); }
  int first() const { return first_; }
  const std::vector<NodeId>& nodes() const { return nodes_; }

 private:
  int first_;
  std::vector<NodeId> nodes_;
  std::unordered_map<NodeId, int> slots_;
};

// `derived` null: nothing is hoisted (for the kernel that computes the derived parameters).
Tape lower(const Graph& graph, const std::vector<Target>& targets, const LeafArrays& arrays,
           int array_count, DerivedParameters* derived);

}  // namespace stiffit::internal
