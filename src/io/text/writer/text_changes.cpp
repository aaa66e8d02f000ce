// Rules, reactions and events of a written text model.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <unordered_set>

#include "base/number.h"
#include "io/text/writer/text_writer.h"

namespace stiffit::internal {

void TextWriter::rules() {
  if (!model_.rules.empty()) gap();
  for (const Rule& r : model_.rules) {
    if (r.kind == RuleKind::algebraic) {
      line("0 = " + expression(r.value));
      continue;
    }
    const char* sign = r.kind == RuleKind::assignment ? " := " : "' = ";
    line(names_.of(r.target) + sign + expression(r.value) + renamed(r.target));
    // What has no line of its own among the values keeps its unit here.
    if (r.kind == RuleKind::assignment && r.target.kind == SymbolKind::parameter)
      unit(r.target, model_.parameters[r.target.index].unit);
  }
}

void TextWriter::reactions() {
  if (!model_.reactions.empty()) gap();
  for (std::size_t i = 0; i < model_.reactions.size(); ++i) {
    const Reaction& r = model_.reactions[i];
    std::string left = side(r, r.reactants), right = side(r, r.products);
    std::string text = name(SymbolKind::reaction, i) + ": " + left + (left.empty() ? "" : " ") +
                       (r.reversible ? "->" : "=>") + (right.empty() ? "" : " ") + right;
    if (r.rate != no_expr) {
      // A bare constant would be mass action.
      Op op = model_.expressions[r.rate].op;
      std::string rate = expression(r.rate);
      const bool bare = op == Op::number || op == Op::symbol || op == Op::call;
      text += bare ? "; (" + rate + ")" : "; " + rate;
    }
    line(text + renamed({SymbolKind::reaction, static_cast<std::int32_t>(i)}));
  }
  for (std::size_t i = 0; i < model_.reactions.size(); ++i)
    interactions(static_cast<std::int32_t>(i));
}

std::string TextWriter::side(const Reaction& reaction,
                             const std::vector<SpeciesReference>& references) {
  std::string text;
  for (const SpeciesReference& r : references) {
    if (!text.empty()) text += " + ";
    text += stoichiometry(reaction, r) + names_.of({SymbolKind::species, r.species});
  }
  return text;
}

// "2 ", "n ", or a parameter made for what the text cannot say in place: negative numbers, and
// conversion factors.
std::string TextWriter::stoichiometry(const Reaction& reaction, const SpeciesReference& r) {
  const Species& species = model_.species[r.species];
  const bool named = r.parameter >= 0;
  std::string own =
      named ? names_.of({SymbolKind::parameter, r.parameter}) : number(r.stoichiometry);
  if (species.conversion_factor < 0) {
    if (named) return own + " ";
    if (r.stoichiometry == 1) return {};
    if (std::isfinite(r.stoichiometry) && !std::signbit(r.stoichiometry)) return own + " ";
  }
  std::string made = names_.fresh("n_" + reaction.id + "_" + species.id);
  std::string value = own;
  if (species.conversion_factor >= 0)
    value += "*" + names_.of({SymbolKind::parameter, species.conversion_factor});
  later_ += indent_ + made + (named ? " := " : " = ") + value + "\n";
  return made + " ";
}

// Modifiers that the rate does not speak of would be forgotten.
void TextWriter::interactions(std::int32_t index) {
  const Reaction& r = model_.reactions[index];
  if (r.modifiers.empty()) return;
  std::unordered_set<std::int32_t> known;
  std::vector<ExprId> open;
  if (r.rate != no_expr) open.push_back(r.rate);
  while (!open.empty()) {
    const ExprNode& n = model_.expressions[open.back()];
    open.pop_back();
    if (n.op == Op::symbol && n.ref.kind == SymbolKind::species) known.insert(n.ref.index);
    if (n.op == Op::call) {
      const ExprId* first = model_.expressions.arguments(n);
      open.insert(open.end(), first, first + n.b);
      continue;
    }
    const ExprId operands[3] = {n.a, n.b, n.c};
    open.insert(open.end(), operands, operands + arity(n.op));
  }
  for (std::int32_t modifier : r.modifiers)
    if (known.insert(modifier).second)
      line(names_.of({SymbolKind::species, modifier}) + " -( " +
           names_.of({SymbolKind::reaction, index}));
}

void TextWriter::events() {
  if (!model_.events.empty()) gap();
  for (std::size_t i = 0; i < model_.events.size(); ++i) {
    const Event& e = model_.events[i];
    if (e.assignments.empty()) continue;  // nothing happens
    const std::string& id = names_.of_event(static_cast<std::int32_t>(i));
    std::string text = id.empty() ? "at " : id + ": at ";
    if (e.delay != no_expr) text += "(" + expression(e.delay) + ") after ";
    text += e.trigger == no_expr ? "(false)" : "(" + expression(e.trigger) + ")";
    if (e.priority != no_expr) text += ", priority = " + expression(e.priority);
    if (!e.initial_value) text += ", t0 = false";
    if (!e.persistent) text += ", persistent = false";
    if (!e.values_at_trigger) text += ", fromTrigger = false";
    const char* before = ": ";
    for (const EventAssignment& a : e.assignments) {
      text += before + names_.of(a.target) + " = " + expression(a.value);
      before = ", ";
    }
    line(text + (id == e.id ? "" : "  // " + e.id));
  }
}

}  // namespace stiffit::internal
