// Building and simplifying nodes. Simplifications keep the value for finite operands; 0*x is 0.
// SPDX-License-Identifier: Apache-2.0
#include "symbolic/graph.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <unordered_set>

#include "base/interrupt.h"

namespace stiffit::internal {
namespace {

constexpr NodeId empty_slot = ~NodeId{0};
constexpr int largest_expanded_power = 16;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

std::uint64_t hash_of(const GraphNode& n) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(n.op) * 0x9e3779b97f4a7c15ULL + n.a);
  h = mix(h ^ (static_cast<std::uint64_t>(n.b) << 32 | n.c));
  return mix(h ^ std::bit_cast<std::uint64_t>(n.value));
}

bool same(const GraphNode& x, const GraphNode& y) {
  return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
         std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

}  // namespace

NodeId Graph::intern(GraphNode node) {
  // All that derives and rewrites expressions comes through here.
  check_interrupt_at_times();
  if (nodes_.size() * 2 >= table_.size()) {
    std::vector<NodeId> bigger(table_.empty() ? 1024 : table_.size() * 2, empty_slot);
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      std::size_t slot = hash_of(nodes_[id]) & (bigger.size() - 1);
      while (bigger[slot] != empty_slot) slot = (slot + 1) & (bigger.size() - 1);
      bigger[slot] = id;
    }
    table_ = std::move(bigger);
  }
  std::size_t slot = hash_of(node) & (table_.size() - 1);
  for (; table_[slot] != empty_slot; slot = (slot + 1) & (table_.size() - 1))
    if (same(nodes_[table_[slot]], node)) return table_[slot];
  if (node.op == Op::symbol) {
    node.depends = static_cast<std::uint8_t>(1u << node.a);
  } else if (int n = arity(node.op); n > 0) {
    node.depends = nodes_[node.a].depends;
    if (n > 1) node.depends |= nodes_[node.b].depends;
    if (n > 2) node.depends |= nodes_[node.c].depends;
  }
  nodes_.push_back(node);
  table_[slot] = static_cast<NodeId>(nodes_.size() - 1);
  return table_[slot];
}

NodeId Graph::number(double value) {
  GraphNode node;
  node.value = value;
  return intern(node);
}

NodeId Graph::leaf(Leaf kind, int index) {
  GraphNode node;
  node.op = Op::symbol;
  node.a = static_cast<std::uint32_t>(kind);
  node.b = static_cast<std::uint32_t>(index);
  return intern(node);
}

NodeId Graph::commutative(Op op, NodeId a, NodeId b) {
  GraphNode node;
  node.op = op;
  node.a = std::min(a, b);
  node.b = std::max(a, b);
  return intern(node);
}

NodeId Graph::neg(NodeId a) {
  if (is_number(a)) return number(-nodes_[a].value);
  if (nodes_[a].op == Op::neg) return nodes_[a].a;
  if (nodes_[a].op == Op::sub) return sub(nodes_[a].b, nodes_[a].a);
  GraphNode node;
  node.op = Op::neg;
  node.a = a;
  return intern(node);
}

NodeId Graph::add(NodeId a, NodeId b) {
  if (is_number(a) && is_number(b)) return number(nodes_[a].value + nodes_[b].value);
  if (is_number(a, 0)) return b;
  if (is_number(b, 0)) return a;
  if (a == b) return mul(number(2), a);
  if (nodes_[b].op == Op::neg) return sub(a, nodes_[b].a);
  if (nodes_[a].op == Op::neg) return sub(b, nodes_[a].a);
  return commutative(Op::add, a, b);
}

NodeId Graph::sub(NodeId a, NodeId b) {
  if (is_number(a) && is_number(b)) return number(nodes_[a].value - nodes_[b].value);
  if (is_number(b, 0)) return a;
  if (is_number(a, 0)) return neg(b);
  if (a == b) return number(0);
  if (nodes_[b].op == Op::neg) return add(a, nodes_[b].a);
  GraphNode node;
  node.op = Op::sub;
  node.a = a;
  node.b = b;
  return intern(node);
}

// A product is kept as (what depends on parameters alone) * (what moves), so that the first part
// can be computed once per trajectory.
NodeId Graph::mul(NodeId a, NodeId b) {
  if (is_number(a) && is_number(b)) return number(nodes_[a].value * nodes_[b].value);
  if (is_number(b)) std::swap(a, b);
  if (is_number(a, 0)) return number(0);
  if (is_number(a, 1)) return b;
  if (is_number(a, -1)) return neg(b);
  if (nodes_[a].op == Op::neg) return neg(mul(nodes_[a].a, b));
  if (nodes_[b].op == Op::neg)
    return is_number(a) ? mul(number(-nodes_[a].value), nodes_[b].a) : neg(mul(a, nodes_[b].a));
  if (is_fixed(a) && is_fixed(b)) return fixed_product(a, b);
  auto [fixed_a, moving_a] = split_product(a);
  auto [fixed_b, moving_b] = split_product(b);
  NodeId one = number(1);
  NodeId fixed = mul(fixed_a, fixed_b);
  NodeId moving = moving_a == one   ? moving_b
                  : moving_b == one ? moving_a
                                    : commutative(Op::mul, moving_a, moving_b);
  if (is_number(fixed, 1)) return moving;
  if (is_number(fixed, -1)) return neg(moving);
  GraphNode node;  // the fixed part always stands first
  node.op = Op::mul;
  node.a = fixed;
  node.b = moving;
  return intern(node);
}

bool Graph::is_fixed(NodeId id) const {
  return (nodes_[id].depends & ~(1u << static_cast<int>(Leaf::parameter))) == 0;
}

std::vector<int> Graph::leaves(NodeId root, Leaf kind) const {
  std::vector<int> found;
  std::unordered_set<NodeId> seen{root};
  std::vector<NodeId> stack{root};
  for (InterruptCheck check; !stack.empty(); check()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (!depends_on(id, kind)) continue;
    const GraphNode& n = nodes_[id];
    if (n.op == Op::symbol) {
      found.push_back(static_cast<int>(n.b));
      continue;
    }
    const NodeId operands[3] = {n.a, n.b, n.c};
    for (int k = 0; k < arity(n.op); ++k)
      if (seen.insert(operands[k]).second) stack.push_back(operands[k]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::pair<NodeId, NodeId> Graph::split_product(NodeId id) {
  if (is_fixed(id)) return {id, number(1)};
  const GraphNode& n = nodes_[id];
  if (n.op == Op::mul && is_fixed(n.a)) return {n.a, n.b};
  return {number(1), id};
}

// Among parameters alone, numbers wander outward so that they meet.
NodeId Graph::fixed_product(NodeId a, NodeId b) {
  auto factor = [this](NodeId id) {
    const GraphNode n = nodes_[id];  // by value: number() may move the arena
    if (n.op == Op::number) return std::pair{n.value, number(1)};
    if (n.op == Op::mul && is_number(n.a)) return std::pair{nodes_[n.a].value, n.b};
    return std::pair{1.0, id};
  };
  auto [x, rest_a] = factor(a);
  auto [y, rest_b] = factor(b);
  NodeId rest = is_number(rest_a, 1)   ? rest_b
                : is_number(rest_b, 1) ? rest_a
                                       : commutative(Op::mul, rest_a, rest_b);
  if (x * y == 1) return rest;
  if (x * y == -1) return neg(rest);
  GraphNode node;
  node.op = Op::mul;
  node.a = number(x * y);
  node.b = rest;
  return intern(node);
}

NodeId Graph::div(NodeId a, NodeId b) {
  if (is_number(a) && is_number(b)) return number(nodes_[a].value / nodes_[b].value);
  if (is_number(a, 0)) return a;
  if (is_number(b, 1)) return a;
  if (is_number(b, -1)) return neg(a);
  if (nodes_[a].op == Op::neg) return neg(div(nodes_[a].a, b));
  if (nodes_[b].op == Op::neg) return neg(div(a, nodes_[b].a));
  // A divisor that stays the same is inverted once per trajectory.
  if (is_fixed(b) && !is_fixed(a)) return mul(div(number(1), b), a);
  GraphNode node;
  node.op = Op::div;
  node.a = a;
  node.b = b;
  return intern(node);
}

NodeId Graph::integer_power(NodeId base, int exponent) {
  if (exponent == 1) return base;
  NodeId half = integer_power(base, exponent / 2);
  NodeId square = mul(half, half);
  return exponent % 2 ? mul(square, base) : square;
}

NodeId Graph::pow(NodeId a, NodeId b) {
  if (is_number(a) && is_number(b)) return number(std::pow(nodes_[a].value, nodes_[b].value));
  if (is_number(a, 1)) return a;
  if (is_number(b)) {
    double exponent = nodes_[b].value;
    if (exponent == 0) return number(1);
    if (exponent == 0.5) return apply(Op::sqrt, a);
    if (exponent == std::trunc(exponent) && std::fabs(exponent) <= largest_expanded_power) {
      NodeId power = integer_power(a, std::abs(static_cast<int>(exponent)));
      return exponent > 0 ? power : div(number(1), power);
    }
  }
  GraphNode node;
  node.op = Op::pow;
  node.a = a;
  node.b = b;
  return intern(node);
}

NodeId Graph::apply(Op op, NodeId a, NodeId b, NodeId c) {
  switch (op) {
    case Op::add:
      return add(a, b);
    case Op::sub:
      return sub(a, b);
    case Op::mul:
      return mul(a, b);
    case Op::div:
      return div(a, b);
    case Op::neg:
      return neg(a);
    case Op::pow:
      return pow(a, b);
    case Op::sec:
      return div(number(1), apply(Op::cos, a));
    case Op::csc:
      return div(number(1), apply(Op::sin, a));
    case Op::cot:
      return div(number(1), apply(Op::tan, a));
    case Op::asec:
      return apply(Op::acos, div(number(1), a));
    case Op::acsc:
      return apply(Op::asin, div(number(1), a));
    case Op::acot:
      return apply(Op::atan, div(number(1), a));
    case Op::sech:
      return div(number(1), apply(Op::cosh, a));
    case Op::csch:
      return div(number(1), apply(Op::sinh, a));
    case Op::coth:
      return div(number(1), apply(Op::tanh, a));
    case Op::asech:
      return apply(Op::acosh, div(number(1), a));
    case Op::acsch:
      return apply(Op::asinh, div(number(1), a));
    case Op::acoth:
      return apply(Op::atanh, div(number(1), a));
    case Op::implies:
      return apply(Op::logical_or, apply(Op::logical_not, a), b);
    case Op::select:
      if (is_number(b)) return nodes_[b].value != 0 ? a : c;
      if (a == c) return a;
      break;
    case Op::number:
    case Op::symbol:
    case Op::call:
    case Op::delay:
    case Op::rate_of:
      throw std::logic_error("Graph::apply: not an operation on nodes");
    default:
      break;
  }
  int n = arity(op);
  if (is_number(a) && (n < 2 || is_number(b)) && (n < 3 || is_number(c)))
    return number(
        evaluate(op, nodes_[a].value, n > 1 ? nodes_[b].value : 0, n > 2 ? nodes_[c].value : 0));
  GraphNode node;
  node.op = op;
  node.a = a;
  node.b = n > 1 ? b : 0;
  node.c = n > 2 ? c : 0;
  return intern(node);
}

double Graph::value(NodeId root, const std::function<double(Leaf, int)>& leaf_value) const {
  // Operands come first, so one pass over the needed nodes suffices.
  check_interrupt();
  std::vector<char> needed(root + 1, 0);
  needed[root] = 1;
  for (NodeId id = root + 1; id-- > 0;) {
    if (!needed[id]) continue;
    int n = arity(nodes_[id].op);
    if (n > 0) needed[nodes_[id].a] = 1;
    if (n > 1) needed[nodes_[id].b] = 1;
    if (n > 2) needed[nodes_[id].c] = 1;
  }
  std::vector<double> values(root + 1, 0);
  for (NodeId id = 0; id <= root; ++id) {
    if (!needed[id]) continue;
    const GraphNode& n = nodes_[id];
    if (n.op == Op::number)
      values[id] = n.value;
    else if (n.op == Op::symbol)
      values[id] = leaf_value(static_cast<Leaf>(n.a), static_cast<int>(n.b));
    else
      values[id] = evaluate(n.op, values[n.a], values[n.b], values[n.c]);
  }
  return values[root];
}

}  // namespace stiffit::internal
