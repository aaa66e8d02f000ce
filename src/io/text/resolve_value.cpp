// Initial values, rules, and the directives of a text model.
// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"
#include "io/text/resolver.h"

namespace stiffit::internal {

// S = 5/c with its own compartment c: Antimony's way to give an amount.
bool TextResolver::amount_over_compartment(const Symbol& symbol, double& amount) const {
  auto node_at = [&](SyntaxId id) -> const SyntaxNode& { return syntax_.nodes[id]; };
  const SyntaxNode& root = node_at(symbol.initial->value.root);
  if (root.kind != NodeKind::operation || root.op != Op::div) return false;
  const SyntaxNode& top = node_at(root.a);
  const SyntaxNode& bottom = node_at(root.b);
  if (top.kind != NodeKind::number || !top.text.empty() || bottom.kind != NodeKind::name ||
      bottom.order > 0)
    return false;
  const Symbol* compartment = symbols_.find(bottom.text);
  const Species& species = model_.species[symbol.ref.index];
  if (!compartment || compartment->ref.kind != SymbolKind::compartment ||
      compartment->ref.index != species.compartment || species.in_amount)
    return false;
  amount = top.value;
  return true;
}

void TextResolver::set_initial(Ref target, const Expression& expression, Span span) {
  auto value = build_.build_value(expression);
  if (!value.number) model_.initial_assignments.push_back({target, value.expression, span});
  double number = value.number.value_or(not_set);
  std::size_t index = target.index;
  if (target.kind == SymbolKind::species) model_.species[index].initial = number;
  if (target.kind == SymbolKind::parameter) model_.parameters[index].value = number;
  if (target.kind == SymbolKind::compartment) model_.compartments[index].size = number;
  // y = 3.3 mM gives the unit too.
  const SyntaxNode& root = syntax_.nodes[expression.root];
  if (root.kind == NodeKind::number && !root.text.empty()) {
    std::string unit(root.text);
    if (target.kind == SymbolKind::species) model_.species[index].unit = unit;
    if (target.kind == SymbolKind::parameter) model_.parameters[index].unit = unit;
    if (target.kind == SymbolKind::compartment) model_.compartments[index].unit = unit;
  }
}

void TextResolver::set_values(Symbol& symbol) {
  if (symbol.ref.kind == SymbolKind::none || symbol.role == Role::reaction) {
    if (symbol.role == Role::event && symbol.initial)
      diagnostics_.error(symbol.initial->target.span,
                         quoted(symbol.id.text) + " is an event and has no value");
    return;
  }
  std::size_t index = symbol.ref.index;
  double amount = 0;
  if (symbol.rule) {
    if (symbol.role == Role::compartment) model_.compartments[index].size = not_set;
    if (symbol.initial)
      diagnostics_.warning(symbol.initial->target.span,
                           "this value of " + quoted(symbol.id.text) + " is not used",
                           "the rule " + on_line(symbol.rule->span) + " gives it");
  } else if (!symbol.initial) {
    warn_without_value(symbol);
  } else if (symbol.role == Role::species && amount_over_compartment(symbol, amount)) {
    model_.species[index].initial = amount;
    model_.species[index].initial_is_amount = true;
  } else {
    set_initial(symbol.ref, symbol.initial->value, symbol.initial->span);
  }
  for (auto& [order, assignment] : symbol.slope_initials) {
    Ref slope = build_.derivative(symbol, order, assignment->target.span);
    if (slope.kind != SymbolKind::none) set_initial(slope, assignment->value, assignment->span);
  }
  for (std::size_t i = 0; i < symbol.slopes.size(); ++i) {
    bool given = false;
    for (auto& [order, assignment] : symbol.slope_initials) given |= order == int(i) + 1;
    if (given) continue;
    std::string slope = std::string(symbol.id.text) + std::string(i + 1, '\'');
    diagnostics_.warning(symbol.rate->target.span, slope + " has no initial value; it starts at 0",
                         "give it: " + slope + "(0) = ...");
    model_.parameters[symbol.slopes[i]].value = 0;
  }
}

void TextResolver::warn_without_value(const Symbol& symbol) {
  std::string name(symbol.id.text);
  std::size_t index = symbol.ref.index;
  if (symbol.role == Role::species) {
    diagnostics_.warning(symbol.defined,
                         "species '" + name + "' has no initial value; it starts at 0");
    model_.species[index].initial = 0;
  } else if (symbol.role == Role::parameter && symbol.rate) {
    diagnostics_.warning(symbol.rate->target.span,
                         "'" + name + "' has no initial value; it starts at 0");
    model_.parameters[index].value = 0;
  } else if (symbol.role == Role::parameter && !(symbol.variable && has_algebraic_rules_) &&
             symbol.event_target.empty() && !syntax_.is_antimony(symbol.id.span.begin)) {
    diagnostics_.error(symbol.defined, "'" + name + "' has no value",
                       "give it: " + name + " = ...");
  }
}

void TextResolver::add_rules(const Symbol& symbol) {
  if (symbol.ref.kind == SymbolKind::none || symbol.role == Role::reaction) return;
  if (symbol.rule)
    model_.rules.push_back(
        {RuleKind::assignment, symbol.ref, build_.build(symbol.rule->value), symbol.rule->span});
  if (!symbol.rate) return;
  Span span = symbol.rate->span;
  Ref target = symbol.ref;
  for (std::int32_t slope : symbol.slopes) {  // y' = y_dot, y_dot' = y_dot2, ...
    Ref next{SymbolKind::parameter, slope};
    ExprId value = model_.expressions.symbol(next, symbol.rate->target.span);
    model_.rules.push_back({RuleKind::rate, target, value, span});
    target = next;
  }
  model_.rules.push_back({RuleKind::rate, target, build_.build(symbol.rate->value), span});
}

void TextResolver::apply_directives(const ModelSyntax& from) {
  for (const Statement& statement : from.statements)
    if (auto* directive = std::get_if<Directive>(&statement)) apply_directive(directive->text);
}

void TextResolver::apply_directive(const Word& directive) {
  std::size_t gap = std::min(directive.text.find_first_of(" \t"), directive.text.size());
  std::string_view key = directive.text.substr(0, gap);
  std::string_view value = directive.text.substr(gap);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  if (key == "title") {
    model_.title = value;
    return;
  }
  if (key == "mass-action") {  // the parser has seen to it
    says_mass_action_ = true;
    return;
  }
  if (key == "fast") {
    fast_.push_back({value, directive.span});
    return;
  }
  if (key != "start" && key != "end") {
    diagnostics_.warning(directive.span, "unknown directive " + quoted(key),
                         "known are title, start, end, fast, mass-action");
    return;
  }
  auto number = parse_number(value);
  if (!number)
    diagnostics_.error(directive.span, "expected a number after " + quoted(key));
  else
    (key == "end" ? model_.end_time : model_.start_time) = *number;
}

}  // namespace stiffit::internal
