// Reactions with their laws (mass action from the shorthand), interactions, events.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/number.h"
#include "io/text/resolver.h"

namespace stiffit::internal {

std::string TextResolver::unused_id(std::string_view prefix, int& counter) const {
  for (;;) {
    std::string id = std::string(prefix) + std::to_string(counter++);
    if (!symbols_.find(id)) return id;
  }
}

std::vector<SpeciesReference> TextResolver::references(const std::vector<Participant>& side) {
  std::vector<SpeciesReference> result;
  for (const Participant& participant : side) {
    const Symbol* symbol = symbols_.find(participant.species.text);
    SpeciesReference reference;
    reference.stoichiometry = participant.stoichiometry;
    reference.span = participant.span;
    if (const Word& name = participant.stoichiometry_name; !name.empty()) {
      const Symbol* factor = symbols_.find(name.text);
      if (factor && factor->ref.kind == SymbolKind::parameter) {
        reference.parameter = factor->ref.index;
      } else if (factor && factor->role == Role::species) {
        diagnostics_.error(name.span, quoted(name.text) + " is a species, not a stoichiometry",
                           "is a '+' missing after it?");
      } else {
        std::string hint =
            suggest_symbol(name.text, symbols_, diagnostics_.source(), Role::parameter);
        diagnostics_.error(name.span, "unknown stoichiometry " + quoted(name.text), hint);
      }
    }
    if (!symbol || symbol->ref.kind != SymbolKind::species) continue;  // reported
    reference.species = symbol->ref.index;
    result.push_back(reference);
  }
  return result;
}

void TextResolver::add_reaction(const ReactionSyntax& syntax) {
  Reaction reaction;
  const Symbol* symbol = syntax.name.empty() ? nullptr : symbols_.find(syntax.name.text);
  reaction.id =
      syntax.name.empty() ? unused_id("_J", unnamed_reactions_) : std::string(syntax.name.text);
  reaction.span = syntax.span;
  reaction.reversible = syntax.arrow != Arrow::irreversible;
  reaction.reactants = references(syntax.left);
  reaction.products = references(syntax.right);
  std::size_t first_node = model_.expressions.size();
  const bool second = symbol && symbol->initial && symbol->role == Role::reaction;
  const bool last_counts = second && syntax_.is_antimony(symbol->initial->span.begin);
  if (!syntax.law.empty() && !(last_counts && symbol->initial->span.begin > syntax.span.begin))
    reaction.rate = rate_of_reaction(syntax, reaction);
  if (second) {
    if (last_counts && !syntax.law.empty())
      diagnostics_.warning(
          symbol->initial->target.span, quoted(syntax.name.text) + " is given a rate twice",
          "the last one counts; the other is " +
              on_line(symbol->initial->span.begin > syntax.span.begin ? syntax.span
                                                                      : symbol->initial->span));
    else if (!syntax.law.empty())
      diagnostics_.error(symbol->initial->target.span,
                         "a second rate of reaction " + quoted(syntax.name.text),
                         "already defined " + on_line(syntax.span));
    if (reaction.rate == no_expr) reaction.rate = build_.build(symbol->initial->value);
  }
  add_modifiers(reaction, first_node);
  model_.reactions.push_back(std::move(reaction));
}

// The one bare constant that makes `A -> B; k` mass action.
bool TextResolver::is_single_constant(const ReactionSyntax& syntax) {
  const Expression& law = syntax.law[0];
  const SyntaxNode& node = syntax_.nodes[law.root];
  if (law.parenthesised || law.first != law.root) return false;
  if (node.kind == NodeKind::number) return true;
  if (node.kind != NodeKind::name || node.order > 0) return false;
  const Symbol* symbol = symbols_.find(node.text);
  if (!symbol || symbol->role != Role::parameter) return false;
  if (!symbol->rule && !symbol->rate) return true;
  if (!syntax.left.empty() && syntax.arrow != Arrow::both_ways &&
      !syntax_.is_antimony(law.span.begin)) {
    std::string name(node.text);
    std::string product = name;
    for (const Participant& reactant : syntax.left)
      product.append("*").append(reactant.species.text);
    diagnostics_.warning(law.span,
                         quoted(name) + " varies by a rule; it is taken as the rate itself",
                         "write (" + name + ") to say so, or " + product);
  }
  return false;
}

namespace {

// k*A*B^2, as a person would write it.
std::string mass_action_text(std::string_view constant, const ReactionSyntax& syntax) {
  std::string product(constant);
  for (const Participant& reactant : syntax.left) {
    product.append("*").append(reactant.species.text);
    if (reactant.stoichiometry != 1) product += "^" + format_number(reactant.stoichiometry);
    if (!reactant.stoichiometry_name.empty())
      product.append("^").append(reactant.stoichiometry_name.text);
  }
  return product;
}

}  // namespace

// What stands after the reaction is its rate, whatever it is.
ExprId TextResolver::antimony_rate(const ReactionSyntax& syntax) {
  if (syntax.law.size() > 1) {
    diagnostics_.error(syntax.law[1].span, "a reaction has one rate in Antimony",
                       "a pair of constants is for .rxn files, or under a line '#: mass-action'");
    return no_expr;
  }
  const Expression& law = syntax.law[0];
  if (!syntax.left.empty() && is_single_constant(syntax)) {
    const std::string constant(
        diagnostics_.source().text().substr(law.span.begin, law.span.end - law.span.begin));
    diagnostics_.warning(
        law.span, quoted(constant) + " is taken as the rate itself, as Antimony has it",
        "mass action would be " + mass_action_text(constant, syntax) + ", or " + constant +
            " under a line '#: mass-action'; (" + constant + ") is the rate without a warning");
  }
  return build_.build(law);
}

// A file that does not say which language it is in.
void TextResolver::warn_of_other_reading(const ReactionSyntax& syntax) {
  const Expression& law = syntax.law[0];
  const std::string& name = diagnostics_.source().name_at(law.span.begin);
  const std::size_t dot = name.find('.', std::min(name.rfind('/') + 1, name.size()));
  if (dot == std::string::npos || name.ends_with(".rxn") || says_mass_action_) return;
  const std::string constant(
      diagnostics_.source().text().substr(law.span.begin, law.span.end - law.span.begin));
  diagnostics_.warning(
      law.span,
      quoted(constant) + " is taken as mass action, " + mass_action_text(constant, syntax),
      "Antimony would take it as the rate itself; a file called .ant is read so, "
      "one called .rxn as here");
}

ExprId TextResolver::rate_of_reaction(const ReactionSyntax& syntax, const Reaction& reaction) {
  std::size_t count = syntax.law.size();
  bool both_ways = syntax.arrow == Arrow::both_ways;
  if (syntax_.is_antimony(syntax.law[0].span.begin)) return antimony_rate(syntax);
  if (count > 2 || (count == 2 && !both_ways)) {
    diagnostics_.error(syntax.law[1].span, count > 2 ? "a reaction takes at most two rate constants"
                                                     : "two rate constants need the arrow '<->'");
    return no_expr;
  }
  bool single = count == 1 && is_single_constant(syntax);
  if (single && both_ways) {
    diagnostics_.error(syntax.law[0].span, "a reaction both ways needs two rate constants",
                       "forward, backward");
    return no_expr;
  }
  if (single && !syntax.left.empty()) warn_of_other_reading(syntax);
  ExprId first = build_.build(syntax.law[0]);
  if (count == 1 && (!single || syntax.left.empty())) return first;
  ExprId forward = mass_action(first, syntax, reaction, true);
  if (count == 1) return forward;
  ExprId backward = mass_action(build_.build(syntax.law[1]), syntax, reaction, false);
  return model_.expressions.apply(Op::sub, forward, backward, no_expr,
                                  {syntax.law[0].span.begin, syntax.law[1].span.end});
}

// constant * A * B^2 * ... [* compartment]. Species counted in amounts enter as such if all on
// this side are; beside concentrations they are divided by the compartment.
ExprId TextResolver::mass_action(ExprId constant, const ReactionSyntax& syntax,
                                 const Reaction& reaction, bool forward) {
  const auto& side = forward ? reaction.reactants : reaction.products;
  const auto& placing = !side.empty() ? side : forward ? reaction.products : reaction.reactants;
  Span span = syntax.law[forward ? 0 : 1].span;
  auto species_of = [&](const SpeciesReference& reference) -> const Species& {
    return model_.species[reference.species];
  };
  std::int32_t compartment = compartment_of(syntax.compartment);
  if (compartment < 0 && !placing.empty()) {
    compartment = species_of(placing[0]).compartment;
    for (const SpeciesReference& reference : placing)
      if (species_of(reference).compartment != compartment) {
        diagnostics_.error(reference.span, "mass action between different compartments",
                           "write the rate itself");
        return constant;
      }
  }
  bool amounts = !placing.empty();
  for (const SpeciesReference& reference : placing) amounts &= species_of(reference).in_amount;

  Expressions& e = model_.expressions;
  ExprId product = constant;
  for (const SpeciesReference& reference : side) {
    ExprId factor = e.symbol({SymbolKind::species, reference.species}, reference.span);
    if (!amounts && species_of(reference).in_amount && compartment >= 0)
      factor = e.apply(Op::div, factor, e.symbol({SymbolKind::compartment, compartment}, span),
                       no_expr, span);
    if (reference.parameter >= 0)
      factor = e.apply(Op::pow, factor,
                       e.symbol({SymbolKind::parameter, reference.parameter}, span), no_expr, span);
    else if (reference.stoichiometry != 1)
      factor = e.apply(Op::pow, factor, e.number(reference.stoichiometry, span), no_expr, span);
    product = e.apply(Op::mul, product, factor, no_expr, span);
  }
  if (compartment >= 0 && !amounts)
    product = e.apply(Op::mul, product, e.symbol({SymbolKind::compartment, compartment}, span),
                      no_expr, span);
  return product;
}

// Species of the rate that the reaction neither uses nor makes.
void TextResolver::add_modifiers(Reaction& reaction, std::size_t first_node) {
  auto takes_part = [&](std::int32_t species) {
    auto is_it = [&](const SpeciesReference& reference) { return reference.species == species; };
    return std::any_of(reaction.reactants.begin(), reaction.reactants.end(), is_it) ||
           std::any_of(reaction.products.begin(), reaction.products.end(), is_it) ||
           std::find(reaction.modifiers.begin(), reaction.modifiers.end(), species) !=
               reaction.modifiers.end();
  };
  for (std::size_t i = first_node; i < model_.expressions.size(); ++i) {
    const ExprNode& node = model_.expressions[static_cast<ExprId>(i)];
    if (node.op == Op::symbol && node.ref.kind == SymbolKind::species &&
        !takes_part(node.ref.index))
      reaction.modifiers.push_back(node.ref.index);
  }
}

// S -o J: S acts on J without being used up; which way is in J's rate.
void TextResolver::add_interaction(const ReactionSyntax& interaction) {
  for (const Participant& actor : interaction.left) {
    const Symbol* symbol = symbols_.find(actor.species.text);
    if (!symbol || symbol->ref.kind == SymbolKind::none) {
      diagnostics_.error(
          actor.species.span, "unknown species " + quoted(actor.species.text),
          suggest_symbol(actor.species.text, symbols_, diagnostics_.source(), Role::species));
      continue;
    }
    for (const Participant& target : interaction.right) {
      const Symbol* reaction = symbols_.find(target.species.text);
      if (!reaction || reaction->role != Role::reaction) {
        diagnostics_.error(
            target.species.span, "unknown reaction " + quoted(target.species.text),
            suggest_symbol(target.species.text, symbols_, diagnostics_.source(), Role::reaction));
        continue;
      }
      if (symbol->ref.kind != SymbolKind::species || reaction->ref.index < 0) continue;
      auto& modifiers = model_.reactions[reaction->ref.index].modifiers;
      if (std::find(modifiers.begin(), modifiers.end(), symbol->ref.index) == modifiers.end())
        modifiers.push_back(symbol->ref.index);
    }
  }
}

// `#: fast J`: the reaction is in equilibrium at all times.
void TextResolver::mark_fast() {
  for (const Word& word : fast_) {
    const Symbol* symbol = symbols_.find(word.text);
    if (symbol && symbol->role == Role::reaction && symbol->ref.index >= 0)
      model_.reactions[symbol->ref.index].fast = true;
    else
      diagnostics_.error(
          word.span, "unknown reaction " + quoted(word.text),
          suggest_symbol(word.text, symbols_, diagnostics_.source(), Role::reaction));
  }
}

void TextResolver::add_event(const EventSyntax& syntax) {
  Event event;
  event.id = syntax.name.empty() ? unused_id("_E", unnamed_events_) : std::string(syntax.name.text);
  event.span = syntax.span;
  event.trigger = build_.build(syntax.trigger);
  event.delay = build_.build(syntax.delay);
  event.priority = build_.build(syntax.priority);
  event.initial_value = syntax.initial_value;
  event.persistent = syntax.persistent;
  event.values_at_trigger = syntax.values_at_trigger;
  for (const Assignment& assignment : syntax.assignments) {
    const Symbol* symbol = symbols_.find(assignment.target.text);
    ExprId value = build_.build(assignment.value);
    if (!symbol || symbol->role == Role::none) continue;  // reported
    if (symbol->role == Role::reaction || symbol->role == Role::event) {
      diagnostics_.error(assignment.target.span,
                         "an event cannot set " + quoted(assignment.target.text),
                         "it is " + std::string(name_of(symbol->role)));
      continue;
    }
    Ref target = build_.derivative(*symbol, assignment.order, assignment.target.span);
    for (const EventAssignment& other : event.assignments)
      if (other.target == target)
        diagnostics_.error(
            assignment.target.span,
            "a second assignment to " + quoted(assignment.target.text) + " in one event");
    event.assignments.push_back({target, value, assignment.span});
  }
  model_.events.push_back(std::move(event));
}

}  // namespace stiffit::internal
