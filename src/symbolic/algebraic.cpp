// Which unknown each algebraic rule determines: a matching between rules and the variables that
// nothing else determines (SBML L3V2, 4.9.5, uses the same criterion for over-determined models).
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "symbolic/system_builder.h"

namespace stiffit::internal {

// The variables of an expression that no rule, reaction or event determines, seen through
// assignment rules and reaction rates.
void SystemBuilder::collect_unknowns(ExprId root, std::vector<Ref>& found,
                                     std::vector<char>& seen_rules) {
  const Model& m = *model_;
  std::vector<ExprId> stack{root};
  auto is_free = [&](Ref ref) {
    const Place& p = place(ref);
    if (p.role != Role::constant) return false;
    std::size_t i = ref.index;
    switch (ref.kind) {
      case SymbolKind::species:
        return !m.species[i].constant;
      case SymbolKind::parameter:
        return !m.parameters[i].constant;
      default:
        return !m.compartments[i].constant;
    }
  };
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    const ExprNode& n = m.expressions[id];
    if (n.op == Op::symbol) {
      Ref ref = n.ref;
      if (ref.kind == SymbolKind::reaction) {
        ExprId rate = m.reactions[ref.index].rate;
        if (rate != no_expr) stack.push_back(rate);
      }
      if (ref.kind != SymbolKind::species && ref.kind != SymbolKind::parameter &&
          ref.kind != SymbolKind::compartment)
        continue;
      const Place& p = place(ref);
      if (p.role == Role::assigned && !seen_rules[p.rule]) {
        seen_rules[p.rule] = 1;
        stack.push_back(m.rules[p.rule].value);
      }
      if (is_free(ref)) found.push_back(ref);
      // The amount of a species may follow from its compartment's size.
      if (ref.kind == SymbolKind::species) {
        int c = m.species[ref.index].compartment;
        if (c >= 0 && is_free({SymbolKind::compartment, c}))
          found.push_back({SymbolKind::compartment, c});
      }
      continue;
    }
    const int count = n.op == Op::call ? n.b : arity(n.op);
    const ExprId operands[3] = {n.a, n.b, n.c};
    const ExprId* first = n.op == Op::call ? m.expressions.arguments(n) : operands;
    for (int k = 0; k < count; ++k) stack.push_back(first[k]);
  }
}

void SystemBuilder::match_algebraic_rules() {
  const Model& m = *model_;
  std::vector<int> rules;
  std::vector<std::vector<Ref>> unknowns;
  for (std::size_t i = 0; i < m.rules.size(); ++i) {
    if (m.rules[i].kind != RuleKind::algebraic || m.rules[i].value == no_expr) continue;
    rules.push_back(static_cast<int>(i));
    std::vector<char> seen(m.rules.size(), 0);
    unknowns.emplace_back();
    collect_unknowns(m.rules[i].value, unknowns.back(), seen);
  }
  if (rules.empty()) return;
  std::vector<std::pair<Ref, int>> owner;  // unknown -> rule (index into `rules`)
  auto owner_of = [&](Ref ref) -> int* {
    for (auto& [unknown, rule] : owner)
      if (unknown == ref) return &rule;
    owner.emplace_back(ref, -1);
    return &owner.back().second;
  };
  std::vector<Ref> tried;
  std::function<bool(int)> assign = [&](int rule) {
    for (Ref ref : unknowns[rule]) {
      bool again = false;
      for (Ref t : tried) again |= t == ref;
      if (again) continue;
      tried.push_back(ref);
      int taken = *owner_of(ref);
      if (taken < 0 || assign(taken)) {
        *owner_of(ref) = rule;
        return true;
      }
    }
    return false;
  };
  for (std::size_t r = 0; r < rules.size(); ++r) {
    tried.clear();
    if (!assign(static_cast<int>(r)))
      fail(m.rules[rules[r]].span,
           "the model is over-determined: nothing is left for this algebraic rule to determine");
  }
  for (auto& [ref, rule] : owner) {
    if (rule < 0) continue;
    Place& p = place(ref);
    p.role = Role::state;
    p.algebraic = true;
    algebraic_.emplace_back(rules[rule], ref);
  }
}

}  // namespace stiffit::internal
