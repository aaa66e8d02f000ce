// SPDX-License-Identifier: Apache-2.0
#include "io/data/influence.h"

#include <algorithm>

namespace stiffit::internal {

Influences::Influences(const Model& model) : model_(model), reactions_of_(model.species.size()) {
  for (std::size_t r = 0; r < model.reactions.size(); ++r)
    for (const auto* side : {&model.reactions[r].reactants, &model.reactions[r].products})
      for (const SpeciesReference& x : *side)
        reactions_of_[x.species].push_back(static_cast<std::int32_t>(r));
}

void Influences::add(Ref ref) {
  // An algebraic rule ties together all that it names.
  if (found_.empty())
    for (const Rule& rule : model_.rules)
      if (rule.kind == RuleKind::algebraic) add_expression(rule.value);
  open_.push_back(ref);
  while (!open_.empty()) {
    Ref next = open_.back();
    open_.pop_back();
    if (found_.insert({next.kind, next.index}).second) add_changes_of(next);
  }
}

void Influences::add_changes_of(Ref ref) {
  std::size_t i = ref.index;
  if (ref.kind == SymbolKind::reaction) add_expression(model_.reactions[i].rate);
  if (ref.kind == SymbolKind::observable) add_expression(model_.observables[i].value);
  if (ref.kind == SymbolKind::species) {
    const Species& s = model_.species[i];
    if (s.compartment >= 0) open_.push_back({SymbolKind::compartment, s.compartment});
    if (s.conversion_factor >= 0) open_.push_back({SymbolKind::parameter, s.conversion_factor});
    if (s.boundary || s.constant) reactions_of_[i].clear();
    for (std::int32_t r : reactions_of_[i]) {
      open_.push_back({SymbolKind::reaction, r});
      const Reaction& reaction = model_.reactions[r];
      for (const auto* side : {&reaction.reactants, &reaction.products})
        for (const SpeciesReference& x : *side)
          if (x.species == ref.index && x.parameter >= 0)
            open_.push_back({SymbolKind::parameter, x.parameter});
    }
  }
  for (const Rule& rule : model_.rules)
    if (rule.target == ref) add_expression(rule.value);
  for (const InitialAssignment& initial : model_.initial_assignments)
    if (initial.target == ref) add_expression(initial.value);
  for (const Event& event : model_.events)
    for (const EventAssignment& assignment : event.assignments) {
      if (assignment.target != ref) continue;
      for (ExprId part : {assignment.value, event.trigger, event.delay, event.priority})
        add_expression(part);
    }
}

void Influences::add_expression(ExprId root) {
  if (root == no_expr) return;
  std::vector<ExprId> stack{root};
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (!seen_.insert(id).second) continue;
    const ExprNode& node = model_.expressions[id];
    if (node.op == Op::symbol) {
      open_.push_back(node.ref);
    } else if (node.op == Op::call) {
      const ExprId* arguments = model_.expressions.arguments(node);
      stack.insert(stack.end(), arguments, arguments + node.b);
    } else if (node.op != Op::number) {
      for (ExprId operand : {node.a, node.b, node.c})
        if (operand != no_expr) stack.push_back(operand);
    }
  }
}

}  // namespace stiffit::internal
