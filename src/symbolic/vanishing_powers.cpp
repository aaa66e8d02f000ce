// SPDX-License-Identifier: Apache-2.0
#include "symbolic/vanishing_powers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>

#include "symbolic/operands_first.h"

namespace stiffit::internal {
namespace {

// A base is positive beyond this: of all that is, powers down to the minus first are finite. The
// number marks the conditions that were made here.
constexpr double smallest_base = 0x1p-960;

struct Power {
  NodeId base, exponent;
};

// A power that may be fractional of a base that moves with the states.
std::optional<Power> power_at(Graph& g, NodeId id) {
  const GraphNode n = g[id];
  if (n.op == Op::sqrt && g.depends_on(n.a, Leaf::state)) return Power{n.a, g.number(0.5)};
  if (n.op != Op::pow || !g.depends_on(n.a, Leaf::state) || !g.is_fixed(n.b)) return {};
  return Power{n.a, n.b};
}

bool between_zero_and_one(const Graph& g, NodeId exponent) {
  return g.is_number(exponent) && g[exponent].value > 0 && g[exponent].value < 1;
}

// What guard_powers made: select(power, valid, 0) where `valid` looks at smallest_base. The base,
// and the condition on its exponent (no_node: none).
struct Guarded {
  NodeId base, fractional;
};
std::optional<Guarded> guarded_at(const Graph& g, NodeId id) {
  const GraphNode& n = g[id];
  if (n.op != Op::select || !g.is_number(n.c, 0)) return {};
  auto marks = [&](NodeId x) { return g[x].op == Op::gt && g.is_number(g[x].b, smallest_base); };
  if (marks(n.b)) return Guarded{g[n.b].a, no_node};
  if (g[n.b].op != Op::logical_or) return {};
  for (auto [mark, other] : {std::pair{g[n.b].a, g[n.b].b}, std::pair{g[n.b].b, g[n.b].a}})
    if (marks(mark) && g[other].op == Op::logical_not) return Guarded{g[mark].a, g[other].a};
  return {};
}

std::vector<NodeId> roots_of(const System& system) {
  std::vector<NodeId> roots = system.rates;
  for (const auto& row : system.terms)
    for (const Term& term : row) roots.push_back(term.coefficient);
  return roots;
}

// All nodes of the rates that hold whatever the modes are: what stands in a branch of a condition
// is the modeller's to guard, and may well fall below zero where the other branch holds.
std::vector<NodeId> unconditional(const Graph& g, const std::vector<NodeId>& roots) {
  std::vector<NodeId> open = roots, found;
  std::set<NodeId> seen;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    found.push_back(id);
    const GraphNode& n = g[id];
    if (const auto guarded = guarded_at(g, id)) {
      open.push_back(guarded->base);
    } else if (n.op != Op::select) {
      const NodeId operands[3] = {n.a, n.b, n.c};
      open.insert(open.end(), operands, operands + arity(n.op));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool has_condition(const Graph& g, NodeId root) {
  for (NodeId id : operands_first(g, root, [](NodeId) { return false; }))
    if (g[id].op == Op::select) return true;
  return false;
}

class Guard {
 public:
  // `wanted`: the powers to guard.
  Guard(Graph& graph, std::set<NodeId> wanted) : g_(graph), wanted_(std::move(wanted)) {}

  NodeId of(NodeId root) {
    for (NodeId id : operands_first(
             g_, root, [this](NodeId x) { return known_.contains(x); },
             [this](NodeId x) { return is_guarded(x); })) {
      const GraphNode n = g_[id];  // by value: the graph grows
      const int operands = is_guarded(id) ? 0 : arity(n.op);
      NodeId made = id;
      if (operands > 0)
        made = g_.apply(n.op, known_.at(n.a), operands > 1 ? known_.at(n.b) : 0,
                        operands > 2 ? known_.at(n.c) : 0);
      if (wanted_.contains(id))
        if (auto power = power_at(g_, made)) made = guarded(*power, made);
      known_.emplace(id, made);
    }
    return known_.at(root);
  }

  bool is_guarded(NodeId id) const { return marked_.contains(id); }
  void leave(NodeId id) { marked_.insert(id); }

 private:
  NodeId guarded(const Power& power, NodeId plain) {
    const bool known = g_.is_number(power.exponent);
    const double exponent = known ? g_[power.exponent].value : 0;
    if (known && (exponent <= 0 || exponent == std::trunc(exponent))) return plain;
    NodeId valid = g_.apply(Op::gt, power.base, g_.number(smallest_base));
    if (!known) {
      const NodeId fractional =
          g_.apply(Op::logical_and, g_.apply(Op::gt, power.exponent, g_.number(0)),
                   g_.apply(Op::lt, power.exponent, g_.number(1)));
      valid = g_.apply(Op::logical_or, valid, g_.apply(Op::logical_not, fractional));
    }
    // Of what is not chosen the derivatives must be finite too: 0 times them is 0 then.
    const NodeId safe = g_.apply(Op::select, power.base, valid, g_.number(1));
    return g_.apply(Op::select, g_.pow(safe, power.exponent), valid, g_.number(0));
  }

  Graph& g_;
  std::set<NodeId> wanted_;
  std::unordered_map<NodeId, NodeId> known_;
  std::set<NodeId> marked_;
};

bool any_fractional(System& system) {
  Graph& g = system.graph;
  // Most graphs have none at all, and large ones are walked only once.
  bool found = false;
  for (NodeId id = 0; id < g.size() && !found; ++id)
    found = g[id].op == Op::sqrt || g[id].op == Op::pow;
  if (!found) return false;
  std::set<NodeId> seen;
  for (NodeId root : roots_of(system))
    for (NodeId id : operands_first(g, root, [&](NodeId x) { return seen.contains(x); })) {
      seen.insert(id);
      if (auto power = power_at(g, id))
        if (!g.is_number(power->exponent) || between_zero_and_one(g, power->exponent)) return true;
    }
  return false;
}

// The factors that make the base vanish.
void add_factors(const Graph& g, NodeId base, std::vector<NodeId>& out) {
  const GraphNode& n = g[base];
  if (!g.depends_on(base, Leaf::state)) return;
  if (n.op == Op::mul) {
    add_factors(g, n.a, out);
    add_factors(g, n.b, out);
  } else if (n.op == Op::div) {
    add_factors(g, n.a, out);
  } else if (!has_condition(g, base)) {
    out.push_back(base);
  }
}

}  // namespace

void guard_powers(System& system) {
  Graph& g = system.graph;
  if (!any_fractional(system)) return;
  // Those between 0 and 1, and above one what has the same base.
  std::set<NodeId> wanted, bases;
  const std::vector<NodeId> nodes = unconditional(g, roots_of(system));
  auto fractional = [&](const Power& power) {
    return (!g.is_number(power.exponent) || between_zero_and_one(g, power.exponent)) &&
           !has_condition(g, power.base);
  };
  for (NodeId id : nodes)
    if (const auto power = power_at(g, id); power && fractional(*power)) bases.insert(power->base);
  for (NodeId id : nodes)
    if (const auto power = power_at(g, id); power && bases.contains(power->base)) wanted.insert(id);
  Guard guard(g, std::move(wanted));
  for (NodeId root : roots_of(system))
    for (NodeId id : operands_first(g, root, [](NodeId) { return false; }))
      if (guarded_at(g, id)) guard.leave(id);
  for (NodeId& rate : system.rates) rate = guard.of(rate);
  for (auto& row : system.terms)
    for (Term& term : row) term.coefficient = guard.of(term.coefficient);
  for (NodeId& sum : system.rhs) sum = guard.of(sum);
}

std::vector<NodeId> for_values(Graph& g, const std::vector<NodeId>& roots) {
  bool any = false;
  for (NodeId id = 0; id < g.size() && !any; ++id) any = guarded_at(g, id).has_value();
  if (!any) return roots;
  std::unordered_map<NodeId, NodeId> known;
  std::vector<NodeId> made;
  for (NodeId root : roots) {
    for (NodeId id : operands_first(g, root, [&](NodeId x) { return known.contains(x); })) {
      const GraphNode n = g[id];  // by value: the graph grows
      NodeId own = id;
      if (const int operands = arity(n.op); operands > 0)
        own = g.apply(n.op, known.at(n.a), operands > 1 ? known.at(n.b) : 0,
                      operands > 2 ? known.at(n.c) : 0);
      if (guarded_at(g, own)) {
        const GraphNode guarded = g[own], power = g[guarded.a];
        const bool is_power = power.op == Op::pow || power.op == Op::sqrt;
        const GraphNode base = is_power ? g[power.a] : GraphNode{};
        if (is_power && base.op == Op::select && base.b == guarded.b && g.is_number(base.c, 1))
          own = g.apply(
              Op::select,
              power.op == Op::pow ? g.apply(Op::pow, base.a, power.b) : g.apply(Op::sqrt, base.a),
              guarded.b, guarded.c);
      }
      known.emplace(id, own);
    }
    made.push_back(known.at(root));
  }
  return made;
}

std::vector<VanishingBase> vanishing_bases(System& system) {
  Graph& g = system.graph;
  std::vector<VanishingBase> found;
  bool any = false;
  for (NodeId id = 0; id < g.size() && !any; ++id) any = guarded_at(g, id).has_value();
  if (!any) return found;
  std::set<NodeId> taken;
  for (NodeId id : unconditional(g, roots_of(system))) {
    const auto guarded = guarded_at(g, id);
    if (!guarded) continue;
    // Beside one between 0 and 1 those above are guarded, but their laws never use anything up.
    const GraphNode& power = g[g[id].a];
    if (power.op == Op::pow && g.is_number(power.b) && g[power.b].value > 1) continue;
    std::vector<NodeId> factors;
    add_factors(g, guarded->base, factors);
    for (NodeId factor : factors) {
      const GraphNode n = g[factor];
      VanishingBase base{factor, -1, {}};
      if (n.op == Op::symbol && n.a == static_cast<std::uint32_t>(Leaf::state)) {
        base.state = static_cast<int>(n.b);
        base.name = system.states[n.b].name;
      } else {
        for (int state : g.leaves(factor, Leaf::state))
          base.name += (base.name.empty() ? "an expression of " : ", ") + system.states[state].name;
      }
      // Where the exponent turns out to be none of these the base is never at its end.
      if (guarded->fractional != no_node)
        base.node = g.apply(Op::select, factor, guarded->fractional, g.number(1));
      if (taken.insert(base.node).second) found.push_back(std::move(base));
    }
  }
  return found;
}

}  // namespace stiffit::internal
