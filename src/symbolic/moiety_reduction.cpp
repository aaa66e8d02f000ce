// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "symbolic/moieties.h"

namespace stiffit::internal {
namespace {

// The moieties in a form where each has a state of its own that is in no other: Gauss-Jordan with
// the state that holds most of the total at the start as pivot, for a state computed as total minus
// the rest loses the fewest digits when it holds most of the total.
struct Solved {
  std::vector<std::vector<double>> rows;
  std::vector<int> dependent;  // per row; -1 if the row depends on the others
};

Solved solve_for_dependents(const System& system, const std::vector<Moiety>& moieties) {
  const std::size_t n = system.states.size();
  auto parameter = [&](Leaf, int index) { return system.parameters[index].value; };
  std::vector<double> start(n);
  for (std::size_t i = 0; i < n; ++i) {
    start[i] = system.graph.value(system.initial[i], parameter);
    if (!std::isfinite(start[i])) start[i] = 0;
  }
  Solved s;
  std::vector<char> taken(n, 0);
  for (const Moiety& m : moieties) {
    s.rows.emplace_back(n, 0.0);
    for (auto& [state, value] : m.terms) s.rows.back()[state] = value;
  }
  for (std::size_t r = 0; r < s.rows.size(); ++r) {
    std::vector<double>& row = s.rows[r];
    int best = -1;
    double most = -1;
    for (std::size_t i = 0; i < n; ++i) {
      if (taken[i] || std::fabs(row[i]) < 1e-9) continue;
      double held = std::fabs(row[i] * start[i]);
      if (held > most) {
        most = held;
        best = static_cast<int>(i);
      }
    }
    s.dependent.push_back(best);
    if (best < 0) continue;
    std::size_t pivot = best;
    taken[pivot] = 1;
    for (std::size_t other = 0; other < s.rows.size(); ++other) {
      if (other == r || s.rows[other][pivot] == 0) continue;
      double factor = s.rows[other][pivot] / row[pivot];
      for (std::size_t i = 0; i < n; ++i) {
        double& x = s.rows[other][i];
        double y = factor * row[i];
        x = std::fabs(x - y) <= 1e-12 * (std::fabs(x) + std::fabs(y)) ? 0 : x - y;
      }
    }
  }
  return s;
}

}  // namespace

NodeId ReducedSystem::translate(const System& original, NodeId root) {
  constexpr NodeId none = ~NodeId{0};
  Graph& g = system.graph;
  if (image_.size() < original.graph.size()) image_.resize(original.graph.size(), none);
  std::vector<NodeId> stack{root};  // sums of 10^5 terms are deep
  while (!stack.empty()) {
    const NodeId id = stack.back();
    const GraphNode& old = original.graph[id];
    if (image_[id] != none) {
      stack.pop_back();
    } else if (old.op == Op::number) {
      image_[id] = g.number(old.value);
    } else if (old.op == Op::symbol) {
      const auto leaf = static_cast<Leaf>(old.a);
      if (leaf != Leaf::state)
        image_[id] = g.leaf(leaf, static_cast<int>(old.b));
      else
        image_[id] = place_[old.b] >= 0 ? g.state(place_[old.b]) : replacement_[old.b];
    } else {
      const NodeId operands[3] = {old.a, old.b, old.c};
      NodeId made[3] = {0, 0, 0};
      bool ready = true;
      for (int k = arity(old.op); k-- > 0;) {
        made[k] = image_[operands[k]];
        if (made[k] != none) continue;
        stack.push_back(operands[k]);
        ready = false;
      }
      if (ready) image_[id] = g.apply(old.op, made[0], made[1], made[2]);
    }
  }
  return image_[root];
}

std::vector<Output> ReducedSystem::translate(const System& original,
                                             const std::vector<Output>& outputs) {
  std::vector<Output> result;
  for (const Output& output : outputs)
    result.push_back({output.name, translate(original, output.node)});
  return result;
}

std::vector<Output> ReducedSystem::all_states(const System& original) {
  std::vector<Output> result;
  for (std::size_t i = 0; i < original.states.size(); ++i)
    result.push_back({original.states[i].name,
                      place_[i] >= 0 ? system.graph.state(place_[i]) : replacement_[i]});
  return result;
}

ReducedSystem reduce_by_moieties(const System& original, const std::vector<Moiety>& moieties) {
  const std::size_t n = original.states.size();
  Solved solved = solve_for_dependents(original, moieties);
  ReducedSystem r;
  r.dependent = solved.dependent;
  System& s = r.system;
  Graph& g = s.graph;
  s.parameters = original.parameters;
  s.start_time = original.start_time;
  std::vector<char> gone(n, 0);
  for (int state : r.dependent)
    if (state >= 0) gone[state] = 1;
  r.place_.assign(n, -1);
  r.replacement_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (gone[i]) continue;
    r.place_[i] = static_cast<int>(r.kept.size());
    r.kept.push_back(static_cast<int>(i));
    s.states.push_back(original.states[i]);
  }
  // Initial values hold no states, so they can be translated before the replacements are known.
  std::vector<NodeId> start(n);
  for (std::size_t i = 0; i < n; ++i) start[i] = r.translate(original, original.initial[i]);
  for (std::size_t k = 0; k < solved.rows.size(); ++k) {
    if (r.dependent[k] < 0) continue;
    std::size_t own = r.dependent[k];
    NodeId total = g.number(0), rest = g.number(0);
    for (std::size_t i = 0; i < n; ++i) {
      double c = solved.rows[k][i] / solved.rows[k][own];
      if (c == 0) continue;
      total = g.add(total, g.mul(g.number(c), start[i]));
      if (i != own) rest = g.add(rest, g.mul(g.number(c), g.state(r.place_[i])));
    }
    r.replacement_[own] = g.sub(total, rest);
  }
  for (NodeId rate : original.rates) s.rates.push_back(r.translate(original, rate));
  for (int kept : r.kept) {
    std::size_t i = kept;
    s.initial.push_back(start[i]);
    s.rhs.push_back(r.translate(original, original.rhs[i]));
    s.terms.emplace_back();
    for (const Term& term : original.terms[i])
      s.terms.back().push_back({term.reaction, r.translate(original, term.coefficient)});
  }
  // Numbers of parameters, and so of modes, stay; a state that an event sets is in no moiety.
  auto follow = [&](NodeId node) { return node == no_node ? node : r.translate(original, node); };
  s.modes = original.modes;
  for (Mode& mode : s.modes) {
    mode.root = follow(mode.root);
    mode.slope = follow(mode.slope);
  }
  auto new_place = [&](int state) { return r.place_[state]; };
  for (std::size_t k = 0; k < original.equilibrium.states.size(); ++k) {
    const int state = new_place(original.equilibrium.states[k]);
    if (state < 0) continue;
    s.equilibrium.states.push_back(state);
    s.equilibrium.residual.push_back(follow(original.equilibrium.residual[k]));
  }
  for (const SystemEquilibrium::Total& total : original.equilibrium.totals)
    if (const int state = new_place(total.state); state >= 0)
      s.equilibrium.totals.push_back({state, follow(total.amount), follow(total.total)});
  s.events = original.events;
  for (SystemEvent& event : s.events) {
    for (NodeId* node : {&event.trigger, &event.delay, &event.priority}) *node = follow(*node);
    for (SystemAssignment& a : event.assignments) {
      if (a.state >= 0) a.state = r.place_[a.state];
      a.value = follow(a.value);
      a.size = follow(a.size);
    }
  }
  return r;
}

}  // namespace stiffit::internal
