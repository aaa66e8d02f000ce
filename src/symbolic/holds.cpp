// SPDX-License-Identifier: Apache-2.0
#include "symbolic/holds.h"

#include <algorithm>

namespace stiffit::internal {
namespace {

// Whether doing it twice is doing it once, now or a little later.
bool sets_what_stands(const System& s, const SystemEvent& event) {
  const Graph& g = s.graph;
  auto is_set = [&](int state) {
    return std::any_of(event.assignments.begin(), event.assignments.end(),
                       [&](const SystemAssignment& a) { return a.state == state; });
  };
  for (const SystemAssignment& a : event.assignments)
    for (NodeId node : {a.value, a.size}) {
      if (node == no_node) continue;
      if (g.depends_on(node, Leaf::time)) return false;
      for (int state : g.leaves(node, Leaf::state))
        if (is_set(state) || !g.is_number(s.rhs[state], 0)) return false;
    }
  return true;
}

// Whether a root stands still once what the event sets does, and the event has to do with it.
bool stays_at_edge(const System& s, NodeId root, const std::vector<int>& set) {
  bool any = false;
  for (int state : s.graph.leaves(root, Leaf::state)) {
    const bool is_set = std::find(set.begin(), set.end(), state) != set.end();
    if (!is_set && !s.graph.is_number(s.rhs[state], 0)) return false;
    any |= is_set;
  }
  return any && !s.graph.depends_on(root, Leaf::time);
}

NodeId slope_along(System& s, NodeId node) {
  Graph& g = s.graph;
  NodeId sum = g.time_derivative(node);
  for (auto& [state, partial] : g.gradient(node, Leaf::state))
    sum = g.add(sum, g.mul(partial, s.rhs[state]));
  return sum;
}

}  // namespace

std::vector<Hold> find_holds(System& s) {
  std::vector<Hold> holds;
  if (!s.delays.empty() || s.has_algebraic() || !s.equilibrium.states.empty()) return holds;
  const int first = static_cast<int>(s.parameters.size());
  for (std::size_t e = 0; e < s.events.size(); ++e) {
    const SystemEvent& event = s.events[e];
    if (event.delay != no_node) continue;
    Hold hold;
    hold.event = static_cast<int>(e);
    std::vector<int> set;
    for (const SystemAssignment& a : event.assignments) {
      if (a.state < 0) continue;
      set.push_back(a.state);
      if (!s.graph.is_number(s.rhs[a.state], 0)) hold.states.push_back(a.state);
    }
    if (hold.states.empty() || !sets_what_stands(s, event)) continue;
    for (int parameter : s.graph.leaves(event.trigger, Leaf::parameter)) {
      hold.mode = parameter - first;
      if (hold.mode < 0) continue;
      const Mode& mode = s.modes[hold.mode];
      if (mode.clock || (mode.kind != ModeKind::positive && mode.kind != ModeKind::not_negative))
        continue;
      if (!stays_at_edge(s, mode.root, set)) continue;
      hold.push = slope_along(s, mode.root);
      if (mode.kind == ModeKind::not_negative) hold.push = s.graph.neg(hold.push);
      holds.push_back(hold);
    }
  }
  return holds;
}

HeldEquations::HeldEquations(System& system, const std::vector<Hold>& holds) : system_(system) {
  if (holds.empty()) return;
  rhs_ = system.rhs;
  terms_ = system.terms;
  Graph& g = system.graph;
  const NodeId zero = g.number(0);
  const std::size_t first = system.parameters.size() + system.modes.size();
  for (std::size_t k = 0; k < holds.size(); ++k)
    for (int state : holds[k].states) {
      const std::size_t i = state;
      const NodeId held = g.parameter(static_cast<int>(first + k));
      system.rhs[i] = zero;
      for (Term& term : system.terms[i]) {
        term.coefficient = g.apply(Op::select, zero, held, term.coefficient);
        const NodeId rate = system.rates[term.reaction];
        system.rhs[i] = g.add(system.rhs[i], g.mul(term.coefficient, rate));
      }
    }
}

HeldEquations::~HeldEquations() {
  if (rhs_.empty()) return;
  system_.rhs.swap(rhs_);
  system_.terms.swap(terms_);
}

}  // namespace stiffit::internal
