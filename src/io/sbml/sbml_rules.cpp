// Functions, initial assignments, rules and events.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "io/sbml/sbml_guard.h"
#include "io/sbml/sbml_model.h"
#include "io/sbml/sbml_rate_laws.h"

namespace stiffit::internal {

SbmlModel::SbmlModel(const ::Model& from, const SbmlPlaces& places, Diagnostics& diagnostics,
                     Model& into)
    : from_(from),
      places_(places),
      diagnostics_(diagnostics),
      into_(into),
      math_(into, names_, diagnostics),
      level_(from.getLevel()),
      version_(from.getVersion()) {}

void SbmlModel::read() {
  into_.id = from_.getId();
  into_.title = from_.getName();
  read_units();
  read_compartments();
  read_parameters();
  read_species();
  read_species_references();
  // Every name is known before the first formula is read.
  read_functions();
  read_reactions();
  for (unsigned i = 0; i < from_.getNumReactions(); ++i)
    read_kinetic_law(*from_.getReaction(i), into_.reactions[i]);
  read_initial_assignments();
  read_rules();
  check_rules();
  read_events();
  read_flux_balance();
}

// Level 3 Version 2 lets any formula be absent; what it would have done is then not done.
ExprId SbmlModel::math(const ASTNode* tree, Span span, const std::string& of_what,
                       const NameTable* locals) {
  if (tree && level_ == 1)
    return math_.read(*expand_rate_laws(*tree, law_of_, span, diagnostics_), span, locals);
  if (tree) return math_.read(*tree, span, locals);
  if (level_ < 3 || (level_ == 3 && version_ < 2))
    diagnostics_.warning(span, of_what + " has no mathematics", "it is taken as absent");
  return no_expr;
}

Ref SbmlModel::target(const std::string& id, Span span, const char* of_what) {
  auto found = names_.symbols.find(id);
  if (found != names_.symbols.end() && found->second.kind != SymbolKind::reaction)
    return found->second;
  diagnostics_.error(span, std::string(of_what) + " sets '" + id + "'",
                     found == names_.symbols.end() ? "there is no such variable"
                                                   : "a reaction's rate cannot be set");
  return {};
}

namespace {

// How COPASI and others write a rate of change where SBML has no symbol for it.
bool means_rate_of(const FunctionDefinition& f) {
  const ASTNode* body = f.getBody();
  if (!body || f.getNumArguments() != 1 || !f.isSetAnnotation()) return false;
  const bool is_nan = body->isNaN() || (body->isReal() && std::isnan(body->getReal()));
  return is_nan && f.getAnnotationString().find(derivative_annotation) != std::string::npos;
}

}  // namespace

void SbmlModel::read_functions() {
  const unsigned count = from_.getNumFunctionDefinitions();
  into_.functions.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    const FunctionDefinition& f = *from_.getFunctionDefinition(i);
    Function& into = into_.functions[i];
    into.id = f.getId();
    into.span = places_.of(f);
    for (unsigned k = 0; k < f.getNumArguments(); ++k) {
      const char* argument = f.getArgument(k)->getName();
      if (!argument)
        diagnostics_.error(into.span, "an argument of function '" + into.id + "' is no name");
      into.arguments.emplace_back(argument ? argument : "");
    }
    if (!names_.functions.emplace(into.id, static_cast<std::int32_t>(i)).second)
      diagnostics_.error(into.span, "two functions are called '" + into.id + "'");
    names_.has_body.push_back(f.getBody() != nullptr);
    names_.is_rate_of.push_back(means_rate_of(f));
  }
  for (unsigned i = 0; i < count; ++i) {
    const FunctionDefinition& f = *from_.getFunctionDefinition(i);
    Function& into = into_.functions[i];
    NameTable arguments;
    for (std::size_t k = 0; k < into.arguments.size(); ++k)
      arguments.emplace(into.arguments[k], Ref{SymbolKind::argument, static_cast<std::int32_t>(k)});
    into.body = math(f.getBody(), into.span, "function '" + into.id + "'", &arguments);
  }
}

void SbmlModel::read_initial_assignments() {
  for (unsigned i = 0; i < from_.getNumInitialAssignments(); ++i) {
    const ::InitialAssignment& a = *from_.getInitialAssignment(i);
    InitialAssignment into;
    into.span = places_.of(a);
    into.target = target(a.getSymbol(), into.span, "an initial assignment");
    into.value = math(a.getMath(), into.span, "the initial assignment of '" + a.getSymbol() + "'");
    if (into.target.kind == SymbolKind::none || into.value == no_expr) continue;
    take_once(initialised_, into.target, into.span, "initial assignment");
    into_.initial_assignments.push_back(into);
  }
}

void SbmlModel::read_rules() {
  for (unsigned i = 0; i < from_.getNumRules(); ++i) {
    const ::Rule& r = *from_.getRule(i);
    Rule into;
    into.span = places_.of(r);
    into.kind = r.isAlgebraic() ? RuleKind::algebraic
                : r.isRate()    ? RuleKind::rate
                                : RuleKind::assignment;
    if (level_ == 1 && r.isSetFormula() && !r.getMath()) {
      diagnostics_.error(into.span, "cannot read the formula '" + r.getFormula() + "'");
      continue;
    }
    if (into.kind != RuleKind::algebraic)
      into.target = target(r.getVariable(), into.span, "a rule");
    into.value = math(r.getMath(), into.span, "a rule");
    if (into.value != no_expr) into_.rules.push_back(into);
  }
}

void SbmlModel::take_once(Places& taken, Ref target, Span span, const std::string& what) {
  auto [first, is_new] = taken.emplace(std::pair(target.kind, target.index), span);
  if (!is_new)
    diagnostics_.error(span, "a second " + what + " for '" + into_.id_of(target) + "'",
                       "the first is on " + diagnostics_.source().line_text(first->second.begin));
}

// Two values for one thing: libSBML reads such files, and any choice would be a guess.
void SbmlModel::check_rules() {
  Places ruled;
  for (const Rule& rule : into_.rules) {
    if (rule.target.kind == SymbolKind::none) continue;
    take_once(ruled, rule.target, rule.span, "rule");
    if (rule.kind == RuleKind::assignment &&
        initialised_.contains({rule.target.kind, rule.target.index}))
      diagnostics_.error(rule.span,
                         "a rule and an initial assignment for '" + into_.id_of(rule.target) + "'");
  }
  for (const Reaction& reaction : into_.reactions)
    for (const auto* side : {&reaction.reactants, &reaction.products})
      for (const SpeciesReference& r : *side) {
        auto found = ruled.find({SymbolKind::species, r.species});
        if (found == ruled.end() || into_.species[r.species].boundary) continue;
        const Species& species = into_.species[r.species];
        diagnostics_.error(found->second,
                           "a rule for species '" + species.id + "' that reactions change",
                           "reaction '" + reaction.id + "'; with boundaryCondition it would not");
        ruled.erase(found);
      }
}

void SbmlModel::read_events() {
  for (unsigned i = 0; i < from_.getNumEvents(); ++i) {
    const ::Event& e = *from_.getEvent(i);
    Event& into = into_.events.emplace_back();
    into.id = e.isSetId() ? e.getId() : std::string();
    into.span = places_.of(e);
    read_event(e, into);
  }
}

void SbmlModel::read_event(const ::Event& e, Event& into) {
  const std::string name = into.id.empty() ? "an event" : "event '" + into.id + "'";
  if (const Trigger* trigger = e.getTrigger()) {
    into.trigger = math(trigger->getMath(), places_.of(*trigger), "the trigger of " + name);
    // Level 2 knows neither attribute: what is true at the start has fired before, and nothing
    // calls an event back.
    into.initial_value = level_ < 3 || !trigger->isSetInitialValue() || trigger->getInitialValue();
    into.persistent = level_ < 3 || !trigger->isSetPersistent() || trigger->getPersistent();
  }
  if (const Delay* delay = e.getDelay())
    into.delay = math(delay->getMath(), places_.of(*delay), "the delay of " + name);
  if (const Priority* priority = e.getPriority())
    into.priority = math(priority->getMath(), places_.of(*priority), "the priority of " + name);
  into.values_at_trigger = e.getUseValuesFromTriggerTime();
  Places assigned;
  for (unsigned k = 0; k < e.getNumEventAssignments(); ++k) {
    const ::EventAssignment& a = *e.getEventAssignment(k);
    EventAssignment assignment;
    assignment.span = places_.of(a);
    assignment.target = target(a.getVariable(), assignment.span, "an event");
    assignment.value =
        math(a.getMath(), assignment.span, "the assignment to '" + a.getVariable() + "'");
    if (assignment.target.kind == SymbolKind::none || assignment.value == no_expr) continue;
    take_once(assigned, assignment.target, assignment.span, "assignment of " + name);
    into.assignments.push_back(assignment);
  }
}

}  // namespace stiffit::internal
