// SPDX-License-Identifier: Apache-2.0
#include "symbolic/discontinuity_lowering.h"

namespace stiffit::internal {

bool DiscontinuityLowering::stands_still(NodeId node) const {
  for (int state : graph_.leaves(node, Leaf::state))
    if (static_cast<std::size_t>(state) >= still_.size() || !still_[state]) return false;
  return true;
}

NodeId DiscontinuityLowering::mode(ModeKind kind, NodeId root) {
  // Nothing to watch: the value follows from the parameters.
  if (graph_.is_fixed(root)) {
    NodeId zero = graph_.number(0);
    switch (kind) {
      case ModeKind::positive:
        return graph_.apply(Op::gt, root, zero);
      case ModeKind::not_negative:
        return graph_.apply(Op::ge, root, zero);
      case ModeKind::zero:
        return graph_.apply(Op::eq, root, zero);
      case ModeKind::whole:
        return graph_.apply(Op::floor, root);
    }
  }
  std::uint64_t key = static_cast<std::uint64_t>(root) << 2 | static_cast<std::uint64_t>(kind);
  auto [found, fresh] = known_.try_emplace(key, static_cast<int>(modes_.size()));
  if (fresh) {
    Mode m{kind, root, 0, false, false, false};
    if (!graph_.depends_on(root, Leaf::input) && stands_still(root)) {
      m.slope = graph_.time_derivative(root);
      m.linear = !graph_.depends_on(m.slope, Leaf::time);
      m.clock = true;
    }
    modes_.push_back(m);
  }
  return graph_.parameter(first_slot_ + found->second);
}

NodeId DiscontinuityLowering::whole(NodeId argument) { return mode(ModeKind::whole, argument); }

NodeId DiscontinuityLowering::rebuild(NodeId id) {
  const GraphNode n = graph_[id];
  Graph& g = graph_;
  const int count = arity(n.op);
  const NodeId a = count > 0 ? lowered(n.a) : 0, b = count > 1 ? lowered(n.b) : 0,
               c = count > 2 ? lowered(n.c) : 0;
  switch (n.op) {
    case Op::gt:
      return mode(ModeKind::positive, g.sub(a, b));
    case Op::ge:
      return mode(ModeKind::not_negative, g.sub(a, b));
    case Op::lt:
      return mode(ModeKind::positive, g.sub(b, a));
    case Op::le:
      return mode(ModeKind::not_negative, g.sub(b, a));
    case Op::eq:
      return mode(ModeKind::zero, g.sub(a, b));
    case Op::ne:
      return g.sub(g.number(1), mode(ModeKind::zero, g.sub(a, b)));
    case Op::min:
      return g.apply(Op::select, b, mode(ModeKind::positive, g.sub(a, b)), a);
    case Op::max:
      return g.apply(Op::select, b, mode(ModeKind::positive, g.sub(b, a)), a);
    case Op::abs:
      return g.apply(Op::select, g.neg(a), mode(ModeKind::positive, g.neg(a)), a);
    case Op::sign:
      return g.sub(mode(ModeKind::positive, a), mode(ModeKind::positive, g.neg(a)));
    case Op::floor:
      return whole(a);
    case Op::ceil:
      return g.neg(whole(g.neg(a)));
    case Op::quotient:
    case Op::rem: {
      NodeId ratio = g.div(a, b);
      NodeId up = mode(ModeKind::not_negative, ratio);
      NodeId q = g.apply(Op::select, whole(ratio), up, g.neg(whole(g.neg(ratio))));
      return n.op == Op::quotient ? q : g.sub(a, g.mul(b, q));
    }
    case Op::logical_not:
      return g.apply(Op::logical_not, lower_condition(a));
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
      return g.apply(n.op, lower_condition(a), lower_condition(b));
    case Op::select:
      return g.apply(Op::select, a, lower_condition(b), c);
    default:
      return g.apply(n.op, a, b, c);
  }
}

NodeId DiscontinuityLowering::lower(NodeId root) {
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    NodeId id = stack.back();
    if (done_.contains(id)) {
      stack.pop_back();
      continue;
    }
    const GraphNode n = graph_[id];
    const int count = n.op == Op::symbol || n.op == Op::number ? 0 : arity(n.op);
    if (count == 0 || graph_.is_fixed(id)) {
      done_[id] = id;
      continue;
    }
    bool ready = true;
    for (NodeId operand : {count > 2 ? n.c : n.a, count > 1 ? n.b : n.a, n.a})
      if (!done_.contains(operand)) {
        stack.push_back(operand);
        ready = false;
      }
    if (ready) done_[id] = rebuild(id);
  }
  return done_.at(root);
}

NodeId DiscontinuityLowering::lower_condition(NodeId node) {
  NodeId value = lower(node);
  if (graph_.is_fixed(value)) return value;
  // A number that is used as a truth value: anything but zero is true.
  return graph_.sub(graph_.number(1), mode(ModeKind::zero, value));
}

}  // namespace stiffit::internal
