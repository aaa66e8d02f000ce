// Hash-consed expressions: equal expressions are one node, so common subexpressions are found by
// construction. Operands always have smaller numbers than what uses them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "model/operation.h"

namespace stiffit::internal {

using NodeId = std::uint32_t;

// The inputs of a system of equations.
enum class Leaf : std::uint8_t {
  time,
  state,
  parameter,
  input,  // changes with time in a way the equations do not say: the value of a delay
};

struct GraphNode {
  Op op = Op::number;
  std::uint8_t depends = 0;           // bit per Leaf
  std::uint32_t a = 0, b = 0, c = 0;  // operands; of a symbol: a is the Leaf, b its index
  double value = 0;                   // of a number
};

class Graph {
 public:
  NodeId number(double value);
  NodeId time() { return leaf(Leaf::time, 0); }
  NodeId state(int index) { return leaf(Leaf::state, index); }
  NodeId parameter(int index) { return leaf(Leaf::parameter, index); }
  NodeId leaf(Leaf kind, int index);
  // Any operation but number, symbol, call, delay and rate_of; simplifies as it builds.
  NodeId apply(Op op, NodeId a, NodeId b = 0, NodeId c = 0);

  NodeId add(NodeId a, NodeId b);
  NodeId sub(NodeId a, NodeId b);
  NodeId mul(NodeId a, NodeId b);
  NodeId div(NodeId a, NodeId b);
  NodeId neg(NodeId a);
  NodeId pow(NodeId a, NodeId b);

  const GraphNode& operator[](NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_number(NodeId id) const { return nodes_[id].op == Op::number; }
  bool is_number(NodeId id, double value) const {
    return is_number(id) && nodes_[id].value == value;
  }
  bool depends_on(NodeId id, Leaf kind) const {
    return (nodes_[id].depends >> static_cast<int>(kind)) & 1;
  }

  // Depends on parameters at most.
  bool is_fixed(NodeId id) const;
  // The indices of all leaves of that kind in it, ascending.
  std::vector<int> leaves(NodeId root, Leaf kind) const;

  // All non-zero partial derivatives of `root` by leaves of that kind, exact, as (index, node),
  // ascending. One backward sweep, whatever the number of leaves.
  std::vector<std::pair<int, NodeId>> gradient(NodeId root, Leaf kind);
  NodeId time_derivative(NodeId root);  // the partial derivative by time

  // The value with the given leaves (by Leaf and index).
  double value(NodeId root, const std::function<double(Leaf, int)>& leaf_value) const;

 private:
  NodeId intern(GraphNode node);
  NodeId integer_power(NodeId base, int exponent);
  std::pair<NodeId, NodeId> split_product(NodeId id);
  NodeId fixed_product(NodeId a, NodeId b);
  NodeId commutative(Op op, NodeId a, NodeId b);
  void spread(NodeId id, NodeId adjoint, Leaf kind,
              const std::function<void(NodeId, NodeId)>& add_to);
  std::vector<NodeId> reachable(NodeId root, Leaf kind);

  std::vector<GraphNode> nodes_;
  std::vector<NodeId> table_;  // open addressing, size a power of two
  std::vector<std::uint32_t> mark_;
  std::vector<NodeId> adjoint_;
  std::uint32_t epoch_ = 0;
};

}  // namespace stiffit::internal
