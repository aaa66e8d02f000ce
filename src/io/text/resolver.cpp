// SPDX-License-Identifier: Apache-2.0
#include "io/text/resolver.h"

namespace stiffit::internal {

TextResolver::TextResolver(const Syntax& syntax, const ModelSyntax& chosen,
                           Diagnostics& diagnostics, const TextFiles& files)
    : syntax_(syntax),
      chosen_(chosen),
      diagnostics_(diagnostics),
      build_(syntax, symbols_, model_, diagnostics, files) {}

Model TextResolver::resolve() {
  model_.id = chosen_.name.text;
  model_.title = chosen_.title;
  model_.source = diagnostics_.shared_source();
  apply_directives(syntax_.loose);
  if (&chosen_ != &syntax_.loose) apply_directives(chosen_);

  collect_symbols(syntax_, chosen_, symbols_, diagnostics_);
  define_units();
  for (const Statement& statement : chosen_.statements)
    if (auto* assignment = std::get_if<Assignment>(&statement))
      has_algebraic_rules_ |= assignment->kind == AssignmentKind::algebraic;

  for (Symbol& symbol : symbols_.all()) settle_role(symbol);
  for (Symbol& symbol : symbols_.all())  // species refer to compartments
    if (symbol.role == Role::compartment) define(symbol);
  for (Symbol& symbol : symbols_.all())
    if (symbol.role != Role::compartment) define(symbol);
  for (const Symbol& symbol : symbols_.all()) check_changes(symbol);
  std::int32_t reactions = 0;
  for (const Statement& statement : chosen_.statements)
    if (auto* reaction = std::get_if<ReactionSyntax>(&statement))
      if (reaction->arrow != Arrow::interaction) {
        Symbol* symbol = symbols_.find(reaction->name.text);
        if (symbol && symbol->role == Role::reaction)
          symbol->ref = {SymbolKind::reaction, reactions};
        ++reactions;
      }

  build_.define_functions();
  for (Symbol& symbol : symbols_.all()) {
    if (diagnostics_.full()) break;
    set_values(symbol);
    add_rules(symbol);
  }
  for (const Statement& statement : chosen_.statements) {
    if (diagnostics_.full()) break;
    if (auto* reaction = std::get_if<ReactionSyntax>(&statement)) {
      if (reaction->arrow != Arrow::interaction) add_reaction(*reaction);
    } else if (auto* event = std::get_if<EventSyntax>(&statement)) {
      add_event(*event);
    } else if (auto* assignment = std::get_if<Assignment>(&statement)) {
      if (assignment->kind == AssignmentKind::algebraic)
        model_.rules.push_back(
            {RuleKind::algebraic, {}, build_.build(assignment->value), assignment->span});
    }
  }
  for (const Statement& statement : chosen_.statements)
    if (auto* reaction = std::get_if<ReactionSyntax>(&statement))
      if (reaction->arrow == Arrow::interaction && !diagnostics_.full()) add_interaction(*reaction);
  mark_fast();
  if (!diagnostics_.has_errors()) check_circles(model_, diagnostics_);
  return std::move(model_);
}

// A name that no statement gave a role gets it from how it is used.
void TextResolver::settle_role(Symbol& symbol) {
  if (syntax_.is_damaged(symbol.id.text) && symbol.role == Role::none && !symbol.initial &&
      !symbol.rule && !symbol.rate)
    return;  // its definition may be the statement that could not be read
  std::string name = quoted(symbol.id.text);
  bool has_value = symbol.initial || symbol.rule || symbol.rate;
  const bool antimony = syntax_.is_antimony(symbol.id.span.begin);
  if (symbol.holds_things) {
    if (symbol.role == Role::none && (has_value || symbol.listed || antimony)) {
      symbol.role = Role::compartment;
    } else if (symbol.role == Role::none) {
      std::string hint =
          suggest_symbol(symbol.id.text, symbols_, diagnostics_.source(), Role::compartment);
      diagnostics_.error(
          symbol.id.span, "unknown compartment " + name,
          hint.empty() ? "declare it: compartment " + std::string(symbol.id.text) : hint);
    } else if (symbol.role != Role::compartment) {
      diagnostics_.error(symbol.id.span, name + " is not a compartment",
                         "it is " + std::string(name_of(symbol.role)));
    }
    return;
  }
  if (symbol.role == Role::none && (has_value || symbol.listed || !symbol.slope_initials.empty() ||
                                    (antimony && !symbol.event_target.empty())))
    symbol.role = Role::parameter;
  if (antimony && symbol.role == Role::species && (symbol.rule || symbol.rate)) {
    if (!symbol.changed_by.empty() && !symbol.boundary && !symbol.constant)
      diagnostics_.warning((symbol.rule ? symbol.rule : symbol.rate)->target.span,
                           "species " + name + " has a rule, so reactions leave it alone",
                           "Antimony makes it a boundary species; the reaction " +
                               on_line(symbol.changed_by.span) + " has it");
    symbol.boundary = true;
  }
  if (symbol.role == Role::none) {  // only assigned by an event, or has a unit or a compartment
    std::string hint = suggest_symbol(symbol.id.text, symbols_, diagnostics_.source());
    diagnostics_.error(symbol.id.span, "unknown name " + name,
                       hint.empty() ? "it has no value anywhere" : hint);
  } else if (symbol.role == Role::species && !symbol.listed && !has_value && !antimony &&
             is_misspelt_species(symbol)) {
    diagnostics_.error(
        symbol.id.span, "unknown species " + name,
        suggest_symbol(symbol.id.text, symbols_, diagnostics_.source(), Role::species));
    symbol.role = Role::none;
  } else if (symbol.role == Role::reaction && symbol.listed) {
    diagnostics_.error(symbol.defined, "reaction " + name + " is declared but not given");
  }
}

namespace {

std::string without_digits(std::string_view name) {
  std::string kept;
  for (char c : name)
    if (c < '0' || c > '9') kept += c;
  return kept;
}

// Two names are (about) one letter apart if they share the name itself or one with a letter less.
template <class Visitor>
void for_each_shortened(std::string_view name, Visitor visit) {
  std::string shortened(name);
  visit(shortened);
  for (std::size_t i = 0; i < name.size(); ++i) {
    shortened.assign(name);
    shortened.erase(i, 1);
    visit(shortened);
  }
}

}  // namespace

// One letter away from a listed species, without a value of its own. S1 beside S2 is no mistake.
bool TextResolver::is_misspelt_species(const Symbol& symbol) {
  std::string_view name = symbol.id.text;
  if (name.size() < 2) return false;
  if (near_listed_.empty())
    for (const Symbol& listed : symbols_.all())
      if (listed.role == Role::species && listed.listed)
        for_each_shortened(listed.id.text, [&](const std::string& shortened) {
          near_listed_[shortened].push_back(listed.id.text);
        });
  std::string own = without_digits(name);
  bool found = false;
  for_each_shortened(name, [&](const std::string& shortened) {
    auto near = near_listed_.find(shortened);
    if (found || near == near_listed_.end()) return;
    for (std::string_view listed : near->second) found |= without_digits(listed) != own;
  });
  return found;
}

std::int32_t TextResolver::compartment_of(const Word& name) {
  if (name.empty()) return -1;
  const Symbol* symbol = symbols_.find(name.text);
  return symbol && symbol->role == Role::compartment ? symbol->ref.index : -1;
}

void TextResolver::define(Symbol& symbol) {
  std::string id(symbol.id.text);
  std::string unit(symbol.unit);
  bool varies = symbol.variable || symbol.rule || symbol.rate || !symbol.event_target.empty();
  switch (symbol.role) {
    case Role::compartment:
      symbol.ref = {SymbolKind::compartment, static_cast<std::int32_t>(model_.compartments.size())};
      model_.compartments.push_back({id, 1, 3, !varies, unit, symbol.defined});
      break;
    case Role::parameter:
      symbol.ref = {SymbolKind::parameter, static_cast<std::int32_t>(model_.parameters.size())};
      model_.parameters.push_back({id, not_set, !varies, unit, symbol.defined});
      break;
    case Role::species:
      define_species(symbol);
      break;
    default:
      break;
  }
  define_slopes(symbol);
}

void TextResolver::define_species(Symbol& symbol) {
  Species species;
  species.id = symbol.id.text;
  Word compartment = symbol.compartment.empty() ? symbol.reaction_compartment : symbol.compartment;
  if (compartment.empty())  // the submodel's: the innermost comes first
    for (auto& [prefix, word] : chosen_.compartments)
      if (symbol.id.text.starts_with(prefix)) compartment = word;
  species.compartment = compartment_of(compartment);
  species.initial_is_amount = species.in_amount = symbol.substance_only;
  species.boundary = symbol.boundary || symbol.constant;
  species.constant = species.boundary && !symbol.variable && !symbol.rule && !symbol.rate &&
                     symbol.event_target.empty();
  species.unit = symbol.unit;
  species.span = symbol.defined;
  symbol.ref = {SymbolKind::species, static_cast<std::int32_t>(model_.species.size())};
  model_.species.push_back(std::move(species));
}

// y'' = ... needs a variable for y' beside y: the parameter y_dot (then y_dot2, ...).
void TextResolver::define_slopes(Symbol& symbol) {
  for (int order = 1; order < symbol.order(); ++order) {
    std::string id = std::string(symbol.id.text) + "_dot";
    if (order > 1) id += std::to_string(order);
    if (const Symbol* taken = symbols_.find(id))
      diagnostics_.error(taken->id.span,
                         quoted(id) + " stands for a derivative of " + quoted(symbol.id.text),
                         "use another name here");
    symbol.slopes.push_back(static_cast<std::int32_t>(model_.parameters.size()));
    model_.parameters.push_back({id, not_set, false, {}, symbol.rate->target.span});
  }
}

// What is said to be fixed or ruled must not be changed by something else as well.
void TextResolver::check_changes(const Symbol& symbol) {
  std::string name = quoted(symbol.id.text);
  const Assignment* rule = symbol.rule ? symbol.rule : symbol.rate;
  if (rule && symbol.role == Role::species && !symbol.changed_by.empty() && !symbol.boundary &&
      !symbol.constant)
    diagnostics_.error(rule->target.span, "a rule for species " + name + " that reactions change",
                       "the reaction " + on_line(symbol.changed_by.span) + "; '$" +
                           std::string(symbol.id.text) + "' would keep it out of that");
  if (rule && symbol.role == Role::reaction)
    diagnostics_.error(rule->target.span, name + " is a reaction", "give its rate with '='");
  if (rule && symbol.role == Role::event)
    diagnostics_.error(rule->target.span, name + " is an event and has no value");
  if (symbol.rule && !symbol.event_target.empty())
    diagnostics_.error(symbol.event_target, "an event cannot set " + name,
                       "its rule " + on_line(symbol.rule->span) + " gives its value");
  // In Antimony a rule or an event takes 'const' back.
  bool fixed =
      symbol.constant && symbol.role != Role::species && !syntax_.is_antimony(symbol.id.span.begin);
  if (fixed && rule)
    diagnostics_.error(rule->target.span, "a rule for " + name + ", which is const",
                       "declared " + on_line(symbol.defined));
  else if (fixed && !symbol.event_target.empty())
    diagnostics_.error(symbol.event_target, "an event cannot set " + name + ", which is const",
                       "declared " + on_line(symbol.defined));
}

}  // namespace stiffit::internal
