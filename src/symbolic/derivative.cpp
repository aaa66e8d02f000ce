// Exact derivatives by one backward sweep over an expression.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "base/interrupt.h"
#include "symbolic/graph.h"
#include "symbolic/partial_values.h"

namespace stiffit::internal {
namespace {
constexpr NodeId nothing = ~NodeId{0};
}

// Adds `adjoint` times the partial derivatives of node `id` to its operands.
void Graph::spread(NodeId id, NodeId w, Leaf kind,
                   const std::function<void(NodeId, NodeId)>& add_to) {
  const GraphNode n = nodes_[id];  // by value: the arena grows below
  const NodeId a = n.a, b = n.b;
  auto one = [this] { return number(1); };
  auto square = [this](NodeId x) { return mul(x, x); };
  auto by_a = [&](NodeId partial) { add_to(a, mul(w, partial)); };
  switch (n.op) {
    case Op::neg:
      add_to(a, neg(w));
      break;
    case Op::add:
      add_to(a, w);
      add_to(b, w);
      break;
    case Op::sub:
      add_to(a, w);
      add_to(b, neg(w));
      break;
    case Op::mul:
      if (depends_on(a, kind)) add_to(a, mul(w, b));
      if (depends_on(b, kind)) add_to(b, mul(w, a));
      break;
    case Op::div:
      if (depends_on(a, kind)) add_to(a, div(w, b));
      if (depends_on(b, kind)) add_to(b, neg(mul(w, div(id, b))));
      break;
    case Op::pow:
      if (depends_on(a, kind)) {
        // (b-1)+... keeps integer exponents integer: d(x^n) = n x^(n-1).
        add_to(a, mul(w, mul(b, pow(a, sub(b, one())))));
      }
      if (depends_on(b, kind)) {
        // x^b ln x tends to 0 with x for b > 0; ln 0 must not make a NaN of it.
        NodeId positive = apply(Op::gt, a, number(0));
        NodeId safe = apply(Op::select, a, positive, one());
        add_to(b, mul(w, mul(id, apply(Op::ln, safe))));
      }
      break;
    case Op::abs:
      by_a(apply(Op::sign, a));
      break;
    case Op::sqrt:
      add_to(a, div(mul(number(0.5), w), id));
      break;
    case Op::exp:
      by_a(id);
      break;
    case Op::ln:
      add_to(a, div(w, a));
      break;
    case Op::log10:
      add_to(a, div(w, mul(number(2.302585092994045684), a)));
      break;
    case Op::sin:
      by_a(apply(Op::cos, a));
      break;
    case Op::cos:
      by_a(neg(apply(Op::sin, a)));
      break;
    case Op::tan:
      by_a(add(one(), square(id)));
      break;
    case Op::asin:
      add_to(a, div(w, apply(Op::sqrt, sub(one(), square(a)))));
      break;
    case Op::acos:
      add_to(a, neg(div(w, apply(Op::sqrt, sub(one(), square(a))))));
      break;
    case Op::atan:
      add_to(a, div(w, add(one(), square(a))));
      break;
    case Op::sinh:
      by_a(apply(Op::cosh, a));
      break;
    case Op::cosh:
      by_a(apply(Op::sinh, a));
      break;
    case Op::tanh:
      by_a(sub(one(), square(id)));
      break;
    case Op::asinh:
      add_to(a, div(w, apply(Op::sqrt, add(square(a), one()))));
      break;
    case Op::acosh:
      add_to(a, div(w, mul(apply(Op::sqrt, sub(a, one())), apply(Op::sqrt, add(a, one())))));
      break;
    case Op::atanh:
      add_to(a, div(w, sub(one(), square(a))));
      break;
    case Op::factorial: {
      // No closed form among our operations: a central difference, good to about 1e-10.
      NodeId step = mul(number(6e-6), apply(Op::max, apply(Op::abs, a), one()));
      NodeId up = apply(Op::factorial, add(a, step));
      NodeId down = apply(Op::factorial, sub(a, step));
      by_a(div(sub(up, down), mul(number(2), step)));
      break;
    }
    case Op::min:
    case Op::max: {
      // evaluate() gives b only where it is strictly better.
      NodeId b_wins = apply(n.op == Op::min ? Op::lt : Op::gt, b, a);
      NodeId zero = number(0);
      add_to(a, apply(Op::select, zero, b_wins, w));
      add_to(b, apply(Op::select, w, b_wins, zero));
      break;
    }
    case Op::rem:
      add_to(a, w);
      add_to(b, neg(mul(w, apply(Op::quotient, a, b))));
      break;
    case Op::select: {
      NodeId zero = number(0);
      add_to(a, apply(Op::select, w, b, zero));
      add_to(n.c, apply(Op::select, zero, b, w));
      break;
    }
    default:  // floor, ceil, quotient, sign, comparisons, logic: flat between jumps
      break;
  }
}

std::vector<NodeId> Graph::reachable(NodeId root, Leaf kind) {
  mark_.resize(nodes_.size(), 0);
  ++epoch_;
  std::vector<NodeId> found, stack{root};
  mark_[root] = epoch_;
  for (InterruptCheck check; !stack.empty(); check()) {
    NodeId id = stack.back();
    stack.pop_back();
    found.push_back(id);
    const GraphNode& n = nodes_[id];
    auto visit = [&](NodeId operand) {
      if (mark_[operand] == epoch_ || !depends_on(operand, kind)) return;
      mark_[operand] = epoch_;
      stack.push_back(operand);
    };
    int count = arity(n.op);
    if (count > 0) visit(n.a);
    if (count > 1) visit(n.b);
    if (count > 2) visit(n.c);
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

std::vector<std::pair<int, NodeId>> Graph::gradient(NodeId root, Leaf kind) {
  std::vector<std::pair<int, NodeId>> result;
  if (!depends_on(root, kind)) return result;
  if (is_law_after(*this, root)) {
    const GraphNode law = nodes_[root];
    result = gradient(law.c, kind);
    for (auto& [index, partial] : result) partial = apply(Op::select, number(0), law.b, partial);
    return result;
  }
  std::vector<NodeId> order = reachable(root, kind);
  if (std::any_of(order.begin(), order.end(),
                  [&](NodeId id) { return is_partly_defined(*this, id); }))
    return gradient(where_defined(*this, root), kind);
  if (adjoint_.size() < nodes_.size()) adjoint_.resize(nodes_.size(), nothing);
  for (NodeId id : order) adjoint_[id] = nothing;
  adjoint_[root] = number(1);
  auto add_to = [&](NodeId operand, NodeId amount) {
    if (!depends_on(operand, kind) || is_number(amount, 0)) return;
    NodeId& sum = adjoint_[operand];
    sum = sum == nothing ? amount : add(sum, amount);
  };
  for (NodeId id : order) {
    NodeId w = adjoint_[id];
    if (w == nothing) continue;
    if (nodes_[id].op == Op::symbol)
      result.emplace_back(static_cast<int>(nodes_[id].b), w);
    else
      spread(id, w, kind, add_to);
  }
  std::sort(result.begin(), result.end());
  return result;
}

NodeId Graph::time_derivative(NodeId root) {
  auto found = gradient(root, Leaf::time);
  return found.empty() ? number(0) : found.front().second;
}

}  // namespace stiffit::internal
