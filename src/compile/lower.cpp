// SPDX-License-Identifier: Apache-2.0
#include "compile/lower.h"

#include <array>

#include "base/interrupt.h"

namespace stiffit::internal {

int DerivedParameters::slot(NodeId node) {
  auto [found, fresh] = slots_.try_emplace(node, first_ + static_cast<int>(nodes_.size()));
  if (fresh) nodes_.push_back(node);
  return found->second;
}

namespace {

constexpr Value unmade = ~Value{0};

class Lowering {
 public:
  Lowering(const Graph& graph, const LeafArrays& arrays, DerivedParameters* derived)
      : graph_(graph), arrays_(arrays), derived_(derived) {
    uses_.assign(graph.size(), 0);
    values_.assign(graph.size(), unmade);
  }

  Tape run(const std::vector<Target>& targets, int array_count) {
    tape_.arrays = array_count;
    count_uses(targets);
    for (const Target& target : targets) {
      make(target.node);
      tape_.store(target.array, target.element, values_[target.node]);
    }
    return std::move(tape_);
  }

 private:
  bool hoisted(NodeId id) const {
    const GraphNode& n = graph_[id];
    return derived_ && n.depends == (1u << static_cast<int>(Leaf::parameter)) && n.op != Op::symbol;
  }
  bool is_leaf(NodeId id) const {
    return graph_[id].op == Op::number || graph_[id].op == Op::symbol || hoisted(id);
  }

  void count_uses(const std::vector<Target>& targets) {
    std::vector<NodeId> stack;
    auto use = [&](NodeId id) {
      if (uses_[id]++ == 0 && !is_leaf(id)) stack.push_back(id);
    };
    for (const Target& target : targets) {
      use(target.node);
      while (!stack.empty()) {
        const GraphNode& n = graph_[stack.back()];
        stack.pop_back();
        int count = arity(n.op);
        if (count > 0) use(n.a);
        if (count > 1) use(n.b);
        if (count > 2) use(n.c);
      }
    }
  }

  // A product that only this sum needs.
  bool folds(NodeId id) const {
    return graph_[id].op == Op::mul && uses_[id] == 1 && !hoisted(id) && values_[id] == unmade;
  }

  struct Plan {
    TapeOp op = TapeOp::apply;
    Op function = Op::number;
    std::array<NodeId, 3> operands{};
    int count = 0;
  };

  Plan plan(NodeId id) const {
    const GraphNode& n = graph_[id];
    auto simple = [&](TapeOp op, int count) { return Plan{op, n.op, {n.a, n.b, n.c}, count}; };
    switch (n.op) {
      case Op::add:
        if (folds(n.b)) return {TapeOp::fma, n.op, {graph_[n.b].a, graph_[n.b].b, n.a}, 3};
        if (folds(n.a)) return {TapeOp::fma, n.op, {graph_[n.a].a, graph_[n.a].b, n.b}, 3};
        return simple(TapeOp::add, 2);
      case Op::sub:
        if (folds(n.b)) return {TapeOp::fnma, n.op, {graph_[n.b].a, graph_[n.b].b, n.a}, 3};
        if (folds(n.a)) return {TapeOp::fms, n.op, {graph_[n.a].a, graph_[n.a].b, n.b}, 3};
        return simple(TapeOp::sub, 2);
      case Op::mul:
        return simple(TapeOp::mul, 2);
      case Op::div:
        return simple(TapeOp::div, 2);
      case Op::neg:
        return simple(TapeOp::neg, 1);
      default:
        return simple(TapeOp::apply, arity(n.op));
    }
  }

  Value make_leaf(NodeId id) {
    const GraphNode& n = graph_[id];
    if (n.op == Op::number) return tape_.constant(n.value);
    if (n.op != Op::symbol) return tape_.load(arrays_.parameters, derived_->slot(id));
    switch (static_cast<Leaf>(n.a)) {
      case Leaf::time:
        return tape_.load(arrays_.time, 0);
      case Leaf::state:
        return tape_.load(arrays_.states, static_cast<int>(n.b));
      case Leaf::input:
        return tape_.load(arrays_.parameters, arrays_.first_input + static_cast<int>(n.b));
      default:
        return tape_.load(arrays_.parameters, static_cast<int>(n.b));
    }
  }

  void make(NodeId root) {
    stack_.assign(1, root);
    for (; !stack_.empty(); check_()) {
      NodeId id = stack_.back();
      if (values_[id] != unmade) {
        stack_.pop_back();
        continue;
      }
      if (is_leaf(id)) {
        values_[id] = make_leaf(id);
        continue;
      }
      Plan p = plan(id);
      bool ready = true;
      for (int k = p.count; k-- > 0;)
        if (values_[p.operands[k]] == unmade) {
          stack_.push_back(p.operands[k]);
          ready = false;
        }
      if (ready) values_[id] = push(p);
    }
  }

  Value push(const Plan& p) {
    auto v = [&](std::size_t k) {
      return static_cast<int>(k) < p.count ? values_[p.operands[k]] : 0;
    };
    switch (p.op) {
      case TapeOp::add:
        return tape_.add(v(0), v(1));
      case TapeOp::sub:
        return tape_.sub(v(0), v(1));
      case TapeOp::mul:
        return tape_.mul(v(0), v(1));
      case TapeOp::div:
        return tape_.div(v(0), v(1));
      case TapeOp::neg:
        return tape_.neg(v(0));
      case TapeOp::fma:
        return tape_.fma(v(0), v(1), v(2));
      case TapeOp::fms:
        return tape_.fms(v(0), v(1), v(2));
      case TapeOp::fnma:
        return tape_.fnma(v(0), v(1), v(2));
      default:
        return tape_.apply(p.function, v(0), v(1), v(2));
    }
  }

  const Graph& graph_;
  InterruptCheck check_;
  LeafArrays arrays_;
  DerivedParameters* derived_;
  std::vector<std::uint32_t> uses_;
  std::vector<Value> values_;
  std::vector<NodeId> stack_;
  Tape tape_;
};

}  // namespace

Tape lower(const Graph& graph, const std::vector<Target>& targets, const LeafArrays& arrays,
           int array_count, DerivedParameters* derived) {
  return Lowering(graph, arrays, derived).run(targets, array_count);
}

}  // namespace stiffit::internal
