// SPDX-License-Identifier: Apache-2.0
#include "io/text/syntax/symbols.h"

#include <algorithm>
#include <iterator>

#include "io/text/builtin_functions.h"
#include "io/text/syntax/lexer.h"

namespace stiffit::internal {

std::string_view name_of(Role role) {
  switch (role) {
    case Role::species:
      return "a species";
    case Role::compartment:
      return "a compartment";
    case Role::parameter:
      return "a parameter";
    case Role::reaction:
      return "a reaction";
    case Role::event:
      return "an event";
    default:
      return "a name";
  }
}

Symbol& SymbolTable::at(const Word& word) {
  auto [place, is_new] = by_name_.try_emplace(word.text, nullptr);
  if (is_new) {
    symbols_.emplace_back();
    symbols_.back().id = word;
    place->second = &symbols_.back();
  }
  return *place->second;
}

Symbol* SymbolTable::find(std::string_view name) {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const Symbol* SymbolTable::find(std::string_view name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::string suggest_symbol(std::string_view name, const SymbolTable& table, const Source& source,
                           Role role) {
  if (name.size() < 2) return {};  // x is as near to k as to anything
  std::vector<std::string> candidates;
  for (const Symbol& symbol : table.all())
    if (!symbol.defined.empty() && symbol.id.text != name &&
        (role == Role::none ? symbol.role != Role::event : symbol.role == role))
      candidates.emplace_back(symbol.id.text);
  std::string nearest = nearest_name(name, candidates);
  if (nearest.empty()) return {};
  return "did you mean '" + nearest + "', declared on " +
         source.line_text(table.find(nearest)->defined.begin) + "?";
}

bool is_annotation(std::string_view name) {
  static constexpr std::string_view about[] = {
      // uncertainties
      "mean", "stdev", "standardDeviation", "variance", "distribution", "confidenceInterval",
      "range", "median", "coefficientOfVariation", "kurtosis", "mode", "sampleSize", "skewness",
      "standardError", "credibleInterval", "interquartileRange", "externalParameter",
      // what databases and drawings know about it
      "sboTerm", "charge", "chemicalFormula", "geneProductAssociation", "gpa", "position", "pos",
      "width", "height", "species_end", "rxn_end", "b1", "b2", "layout", "maxNumConnectedEdges",
      "style"};
  std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos &&
         std::find(std::begin(about), std::end(about), name.substr(dot + 1)) != std::end(about);
}

namespace {

class Collector {
 public:
  Collector(const Syntax& syntax, SymbolTable& table, Diagnostics& diagnostics)
      : syntax_(syntax), table_(table), diagnostics_(diagnostics) {}

  void operator()(const Declaration& declaration);
  void operator()(const Assignment& assignment);
  void operator()(const ReactionSyntax& reaction);
  void operator()(const EventSyntax& event);
  void operator()(const UnitSyntax&) {}
  // Flattening has dealt with these.
  void operator()(const SubmodelSyntax&) {}
  void operator()(const SameSyntax&) {}
  void operator()(const DeletionSyntax&) {}
  void operator()(const Directive&) {}
  void operator()(const Unsupported& statement) {
    diagnostics_.error(statement.span, "not supported: " + std::string(statement.what));
  }
  void operator()(const Ignored& statement) {
    diagnostics_.warning(statement.span, "ignored: " + std::string(statement.what));
  }

 private:
  bool usable(const Word& name);
  void give_role(Symbol& symbol, Role role, const Word& place);
  void put_in(Word& compartment, const Word& name);
  void set(const Assignment*& slot, const Assignment& assignment);
  std::string on_line(Span span) const {
    return "on " + diagnostics_.source().line_text(span.begin);
  }

  // In Antimony the last of several statements about one thing counts.
  bool last_counts(const Word& place) const { return syntax_.is_antimony(place.span.begin); }

  const Syntax& syntax_;
  SymbolTable& table_;
  Diagnostics& diagnostics_;
};

// False for names that cannot be defined: constants, and parts of submodels that are not there.
bool Collector::usable(const Word& name) {
  if (std::size_t dot = name.text.rfind('.'); dot != std::string_view::npos && !table_.flattened) {
    diagnostics_.error(name.span, "there is no submodel " + quoted(name.text.substr(0, dot)));
    return false;
  }
  if (name.text == "time" || constant_named(name.text)) {
    diagnostics_.error(name.span,
                       quoted(name.text) + " belongs to the language and cannot be defined");
    return false;
  }
  return true;
}

void Collector::give_role(Symbol& symbol, Role role, const Word& place) {
  if (symbol.defined.empty()) symbol.defined = place.span;
  if (symbol.role == role) return;
  if (symbol.role == Role::none) {
    symbol.role = role;
    return;
  }
  diagnostics_.error(place.span, quoted(place.text) + " cannot be " + std::string(name_of(role)),
                     "it is " + std::string(name_of(symbol.role)) + ", already defined " +
                         on_line(symbol.defined));
}

void Collector::put_in(Word& compartment, const Word& name) {
  compartment = name;
  if (usable(name)) table_.at(name).holds_things = true;
}

void Collector::operator()(const Declaration& declaration) {
  if (!usable(declaration.name)) return;
  Symbol& symbol = table_.at(declaration.name);
  if (declaration.role != Role::none) give_role(symbol, declaration.role, declaration.name);
  if (declaration.role != Role::none || declaration.constant || declaration.variable) {
    symbol.listed = declaration.role == Role::none || declaration.role == symbol.role;
    if (symbol.defined.empty()) symbol.defined = declaration.name.span;
  }
  if (last_counts(declaration.name)) {
    if (declaration.boundary || declaration.constant || declaration.variable) {
      symbol.constant = declaration.constant;
      symbol.variable = declaration.variable;
      symbol.boundary = declaration.boundary && !declaration.variable;
    }
    if (declaration.role == Role::species) symbol.substance_only = false;
  } else {
    symbol.constant |= declaration.constant;
    symbol.variable |= declaration.variable;
    symbol.boundary |= declaration.boundary;
  }
  symbol.substance_only |= declaration.substance_only;
  if (!declaration.unit.empty()) symbol.unit = declaration.unit;
  if (!declaration.compartment.empty()) put_in(symbol.compartment, declaration.compartment);
}

void Collector::set(const Assignment*& slot, const Assignment& assignment) {
  if (slot) {
    std::string target = quoted(assignment.target.text);
    if (assignment.kind == AssignmentKind::initial || last_counts(assignment.target))
      diagnostics_.warning(
          assignment.target.span,
          target + (assignment.kind == AssignmentKind::initial ? " is given a value twice"
                                                               : " has two rules"),
          "this one counts, not the one " + on_line(slot->span));
    else
      diagnostics_.error(assignment.target.span, "a second rule for " + target,
                         "already defined " + on_line(slot->span));
  }
  slot = &assignment;
}

void Collector::operator()(const Assignment& assignment) {
  if (assignment.kind == AssignmentKind::algebraic) return;
  std::string_view name = assignment.target.text;
  if (is_annotation(name)) {
    if (!name.ends_with(".sboTerm"))
      diagnostics_.warning(assignment.target.span,
                           "ignored: uncertainties, and what is for databases and drawings");
    return;
  }
  if (!usable(assignment.target)) return;
  Symbol& symbol = table_.at(assignment.target);
  if (symbol.defined.empty()) symbol.defined = assignment.target.span;
  if (assignment.kind == AssignmentKind::initial && assignment.order > 0) {
    symbol.slope_initials.emplace_back(assignment.order, &assignment);
    return;
  }
  if (assignment.kind == AssignmentKind::initial) return set(symbol.initial, assignment);
  const Assignment*& other = assignment.kind == AssignmentKind::rule ? symbol.rate : symbol.rule;
  if (other && last_counts(assignment.target)) {
    set(other, assignment);
    other = nullptr;
  }
  if (other)
    diagnostics_.error(assignment.target.span, "a second rule for " + quoted(name),
                       "already defined " + on_line(other->span));
  else
    set(assignment.kind == AssignmentKind::rule ? symbol.rule : symbol.rate, assignment);
}

void Collector::operator()(const ReactionSyntax& reaction) {
  if (reaction.arrow == Arrow::interaction) return;
  if (!reaction.name.empty() && usable(reaction.name)) {
    Symbol& symbol = table_.at(reaction.name);
    if (symbol.role == Role::reaction && !symbol.listed) {
      diagnostics_.error(reaction.name.span, "a second reaction " + quoted(reaction.name.text),
                         "already defined " + on_line(symbol.defined));
    }
    if (symbol.listed && symbol.role == Role::reaction) symbol.listed = false;
    give_role(symbol, Role::reaction, reaction.name);
  }
  Word compartment;
  if (!reaction.compartment.empty()) put_in(compartment, reaction.compartment);
  for (const auto* side : {&reaction.left, &reaction.right})
    for (const Participant& participant : *side) {
      if (!usable(participant.species)) continue;
      Symbol& symbol = table_.at(participant.species);
      give_role(symbol, Role::species, participant.species);
      symbol.boundary |= participant.boundary;
      if (participant.boundary && last_counts(participant.species)) symbol.variable = false;
      if (!participant.boundary && symbol.changed_by.empty())
        symbol.changed_by = participant.species;
      if (!compartment.empty()) symbol.reaction_compartment = compartment;
    }
}

void Collector::operator()(const EventSyntax& event) {
  if (!event.name.empty() && usable(event.name)) {
    Symbol& symbol = table_.at(event.name);
    if (symbol.role == Role::event && !symbol.listed)
      diagnostics_.error(event.name.span, "a second event " + quoted(event.name.text),
                         "already defined " + on_line(symbol.defined));
    symbol.listed = false;
    give_role(symbol, Role::event, event.name);
  }
  for (const Assignment& assignment : event.assignments)
    if (usable(assignment.target)) {
      Symbol& symbol = table_.at(assignment.target);
      if (symbol.event_target.empty()) symbol.event_target = assignment.target.span;
    }
}

}  // namespace

void collect_symbols(const Syntax& syntax, const ModelSyntax& model, SymbolTable& table,
                     Diagnostics& diagnostics) {
  Collector collector(syntax, table, diagnostics);
  table.flattened = model.flattened;
  for (auto& [prefix, compartment] : model.compartments) table.at(compartment).holds_things = true;
  for (const Statement& statement : model.statements) {
    if (diagnostics.full()) return;
    std::visit(collector, statement);
  }
}

}  // namespace stiffit::internal
