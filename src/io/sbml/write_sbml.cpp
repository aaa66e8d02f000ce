// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/write_sbml.h"

#include <sbml/SBMLTypes.h>

#include <cmath>
#include <ostream>
#include <stdexcept>
#include <streambuf>

#include "base/interrupt.h"
#include "io/sbml/sbml_expression.h"
#include "io/sbml/sbml_fluxes.h"
#include "io/sbml/written_units.h"

namespace stiffit::internal {
namespace {

bool nothing_reserved(std::string_view) { return false; }

// What libSBML writes into, a character at a time; looks at the interrupt once in some thousand.
class InterruptibleText : public std::streambuf {
 public:
  InterruptibleText() { setp(buffer_, buffer_ + sizeof buffer_); }
  const std::string& text() {
    take();
    return text_;
  }

 protected:
  int overflow(int c) override {
    check_interrupt();
    take();
    if (c != traits_type::eof()) sputc(static_cast<char>(c));
    return 0;
  }

 private:
  void take() {
    text_.append(pbase(), pptr());
    setp(buffer_, buffer_ + sizeof buffer_);
  }

  char buffer_[4096];
  std::string text_;
};

class SbmlWriting {
 public:
  explicit SbmlWriting(const Model& model)
      : model_(model),
        names_(model, nothing_reserved, nothing_reserved),
        math_(model, names_, numbers_),
        has_fast_(any_fast(model)),
        document_(3, has_fast_ ? 1 : 2),
        into_(*document_.createModel()),
        units_(model, names_, numbers_, into_) {}

  Writing write() {
    if (model_.flux_balance) enable_fluxes(document_);
    into_.setId(names_.fresh(model_.id.empty() ? "model" : model_.id));
    if (!model_.title.empty()) into_.setName(model_.title);
    find_stoichiometries();
    units_.write();
    functions();
    compartments();
    species();
    parameters();
    initial_assignments();
    rules();
    observables();
    reactions();
    events();
    if (model_.flux_balance) write_fluxes(model_, names_, numbers_, into_);
    if (model_.start_time != 0) out_.left_out.push_back("the start time, which is 0 in SBML");
    InterruptibleText written;
    std::ostream stream(&written);
    stream.exceptions(std::ios::badbit);
    if (!SBMLWriter().writeSBML(&document_, stream))
      throw std::runtime_error("libSBML did not write the model");
    out_.text = numbers_.restore(written.text());
    return std::move(out_);
  }

 private:
  static bool any_fast(const Model& model) {
    for (const Reaction& r : model.reactions)
      if (r.fast) return true;
    return false;
  }

  template <class Element>
  void set_math(Element& element, ExprId expression) {
    if (expression != no_expr) element.setMath(math_.tree(expression).get());
  }

  template <class Element>
  void set_id(Element& element, Ref ref) {
    const std::string& name = names_.of(ref);
    element.setId(name);
    if (const std::string& id = model_.id_of(ref); id != name) element.setName(id);
  }

  template <class Element>
  void set_unit(Element& element, const std::string& unit) {
    if (std::string id = units_.id_of(unit); !id.empty()) element.setUnits(id);
  }

  // A parameter that is the stoichiometry of one species reference is that reference's own id.
  void find_stoichiometries() {
    uses_.assign(model_.parameters.size(), 0);
    for (const Reaction& r : model_.reactions)
      for (const auto* side : {&r.reactants, &r.products})
        for (const SpeciesReference& reference : *side)
          if (reference.parameter >= 0) ++uses_[reference.parameter];
    for (const Species& s : model_.species)
      if (s.conversion_factor >= 0) uses_[s.conversion_factor] = 2;
  }

  void functions() {
    for (std::size_t i = 0; i < model_.functions.size(); ++i) {
      auto index = static_cast<std::int32_t>(i);
      FunctionDefinition& f = *into_.createFunctionDefinition();
      f.setId(names_.of_function(index));
      if (model_.functions[i].body != no_expr) f.setMath(math_.lambda(index).get());
    }
  }

  void compartments() {
    for (std::size_t i = 0; i < model_.compartments.size(); ++i) {
      const Compartment& from = model_.compartments[i];
      ::Compartment& c = *into_.createCompartment();
      set_id(c, {SymbolKind::compartment, static_cast<std::int32_t>(i)});
      c.setSpatialDimensions(from.dimensions);
      if (!std::isnan(from.size)) c.setSize(numbers_.in_attribute(from.size));
      c.setConstant(from.constant);
      set_unit(c, from.unit);
    }
  }

  // Species live somewhere in SBML; where a model has no place for them, one of size 1 is made.
  const std::string& default_compartment() {
    if (default_compartment_.empty()) {
      default_compartment_ = names_.fresh("default_compartment");
      ::Compartment& c = *into_.createCompartment();
      c.setId(default_compartment_);
      c.setSpatialDimensions(3.0);
      c.setSize(1);
      c.setConstant(true);
    }
    return default_compartment_;
  }

  void species() {
    for (std::size_t i = 0; i < model_.species.size(); ++i) {
      check_interrupt();
      const Species& from = model_.species[i];
      const bool placed = from.compartment >= 0;
      std::string compartment =
          placed ? names_.of({SymbolKind::compartment, from.compartment}) : default_compartment();
      ::Species& s = *into_.createSpecies();
      set_id(s, {SymbolKind::species, static_cast<std::int32_t>(i)});
      s.setCompartment(compartment);
      s.setHasOnlySubstanceUnits(from.in_amount || !placed);
      if (!std::isnan(from.initial)) {
        double value = numbers_.in_attribute(from.initial);
        if (from.initial_is_amount || !placed)
          s.setInitialAmount(value);
        else
          s.setInitialConcentration(value);
      }
      s.setBoundaryCondition(from.boundary);
      s.setConstant(from.constant);
      if (from.conversion_factor >= 0)
        s.setConversionFactor(names_.of({SymbolKind::parameter, from.conversion_factor}));
      if (std::string unit = units_.substance_of(from); !unit.empty())
        s.setSubstanceUnits(unit);
      else if (model_.unit_named(from.unit))
        out_.left_out.push_back("the unit of species '" + from.id +
                                "': SBML has a unit for its amount only");
    }
  }

  void parameters() {
    for (std::size_t i = 0; i < model_.parameters.size(); ++i) {
      if (uses_[i] == 1) continue;
      const Parameter& from = model_.parameters[i];
      ::Parameter& p = *into_.createParameter();
      set_id(p, {SymbolKind::parameter, static_cast<std::int32_t>(i)});
      if (!std::isnan(from.value)) p.setValue(numbers_.in_attribute(from.value));
      p.setConstant(from.constant);
      set_unit(p, from.unit);
    }
  }

  void initial_assignments() {
    for (const InitialAssignment& from : model_.initial_assignments) {
      ::InitialAssignment& a = *into_.createInitialAssignment();
      a.setSymbol(names_.of(from.target));
      set_math(a, from.value);
    }
  }

  void rules() {
    for (const Rule& from : model_.rules) {
      ::Rule* r = nullptr;
      if (from.kind == RuleKind::algebraic)
        r = into_.createAlgebraicRule();
      else if (from.kind == RuleKind::rate)
        r = into_.createRateRule();
      else
        r = into_.createAssignmentRule();
      if (from.kind != RuleKind::algebraic) r->setVariable(names_.of(from.target));
      set_math(*r, from.value);
    }
  }

  void observables() {
    for (std::size_t i = 0; i < model_.observables.size(); ++i) {
      Ref ref{SymbolKind::observable, static_cast<std::int32_t>(i)};
      ::Parameter& p = *into_.createParameter();
      set_id(p, ref);
      p.setConstant(false);
      ::Rule& r = *into_.createAssignmentRule();
      r.setVariable(names_.of(ref));
      set_math(r, model_.observables[i].value);
    }
  }

  void reactions() {
    for (std::size_t i = 0; i < model_.reactions.size(); ++i) {
      check_interrupt();
      const Reaction& from = model_.reactions[i];
      ::Reaction& r = *into_.createReaction();
      set_id(r, {SymbolKind::reaction, static_cast<std::int32_t>(i)});
      r.setReversible(from.reversible);
      if (has_fast_) r.setFast(from.fast);
      for (const SpeciesReference& reference : from.reactants)
        participant(*r.createReactant(), reference, from);
      for (const SpeciesReference& reference : from.products)
        participant(*r.createProduct(), reference, from);
      for (std::int32_t modifier : from.modifiers)
        r.createModifier()->setSpecies(names_.of({SymbolKind::species, modifier}));
      if (from.rate != no_expr) set_math(*r.createKineticLaw(), from.rate);
    }
  }

  void participant(::SpeciesReference& into, const SpeciesReference& from,
                   const Reaction& reaction) {
    into.setSpecies(names_.of({SymbolKind::species, from.species}));
    if (from.parameter < 0) {
      if (!std::isnan(from.stoichiometry))
        into.setStoichiometry(numbers_.in_attribute(from.stoichiometry));
      into.setConstant(true);
      return;
    }
    Ref ref{SymbolKind::parameter, from.parameter};
    const Parameter& parameter = model_.parameters[from.parameter];
    if (uses_[from.parameter] == 1) {
      set_id(into, ref);
      if (!std::isnan(parameter.value))
        into.setStoichiometry(numbers_.in_attribute(parameter.value));
      into.setConstant(parameter.constant);
      return;
    }
    // The parameter serves elsewhere too: the stoichiometry follows it.
    std::string id = names_.fresh("n_" + reaction.id + "_" + model_.species[from.species].id);
    into.setId(id);
    into.setConstant(false);
    ::Rule& rule = *into_.createAssignmentRule();
    rule.setVariable(id);
    ASTNode value(AST_NAME);
    value.setName(names_.of(ref).c_str());
    rule.setMath(&value);
  }

  void events() {
    for (std::size_t i = 0; i < model_.events.size(); ++i) {
      const Event& from = model_.events[i];
      ::Event& e = *into_.createEvent();
      const std::string& id = names_.of_event(static_cast<std::int32_t>(i));
      if (!id.empty()) e.setId(id);
      if (id != from.id) e.setName(from.id);
      e.setUseValuesFromTriggerTime(from.values_at_trigger);
      Trigger& trigger = *e.createTrigger();
      trigger.setInitialValue(from.initial_value);
      trigger.setPersistent(from.persistent);
      set_math(trigger, from.trigger);
      if (from.delay != no_expr) set_math(*e.createDelay(), from.delay);
      if (from.priority != no_expr) set_math(*e.createPriority(), from.priority);
      for (const EventAssignment& assignment : from.assignments) {
        ::EventAssignment& a = *e.createEventAssignment();
        a.setVariable(names_.of(assignment.target));
        set_math(a, assignment.value);
      }
    }
  }

  const Model& model_;
  WrittenNames names_;
  ExactNumbers numbers_;
  SbmlExpressions math_;
  bool has_fast_;
  SBMLDocument document_;
  ::Model& into_;
  SbmlUnits units_;
  std::vector<int> uses_;  // of each parameter as a stoichiometry
  std::string default_compartment_;
  Writing out_;
};

}  // namespace

Writing write_sbml(const Model& model) { return SbmlWriting(model).write(); }

}  // namespace stiffit::internal
