// Compartments, parameters, species, and stoichiometries with a name.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "io/sbml/sbml_model.h"

namespace stiffit::internal {

namespace {

bool speaks_of(const ASTNode& node, const std::string& id) {
  if (node.getType() == AST_NAME && node.getName() == id) return true;
  for (unsigned i = 0; i < node.getNumChildren(); ++i)
    if (speaks_of(*node.getChild(i), id)) return true;
  return false;
}

}  // namespace

void SbmlModel::declare(const std::string& id, Ref ref, Span span) {
  if (!names_.symbols.emplace(id, ref).second)
    diagnostics_.error(span, "two things are called '" + id + "'");
}

// Level 1 does not say what is constant: what a rule sets is not, and what stands in an algebraic
// rule need not be.
bool SbmlModel::may_vary(const std::string& id) const {
  if (level_ > 1) return false;
  for (unsigned i = 0; i < from_.getNumRules(); ++i) {
    const ::Rule& rule = *from_.getRule(i);
    if (rule.isAlgebraic() ? rule.getMath() && speaks_of(*rule.getMath(), id)
                           : rule.getVariable() == id)
      return true;
  }
  return false;
}

void SbmlModel::read_compartments() {
  for (unsigned i = 0; i < from_.getNumCompartments(); ++i) {
    const ::Compartment& c = *from_.getCompartment(i);
    Compartment& into = into_.compartments.emplace_back();
    into.id = c.getId();
    into.span = places_.of(c);
    // Level 1 knows a default volume, later levels do not.
    into.size = c.isSetSize() ? c.getSize() : level_ == 1 ? 1.0 : not_set;
    into.dimensions =
        c.isSetSpatialDimensions() || level_ < 3 ? c.getSpatialDimensionsAsDouble() : 3;
    // A point has no size that could divide an amount.
    if (into.dimensions == 0 && std::isnan(into.size)) into.size = 1;
    into.constant = c.getConstant() && !may_vary(into.id);
    into.unit = c.getUnits();
    declare(into.id, {SymbolKind::compartment, static_cast<std::int32_t>(i)}, into.span);
  }
}

void SbmlModel::read_parameters() {
  for (unsigned i = 0; i < from_.getNumParameters(); ++i) {
    const ::Parameter& p = *from_.getParameter(i);
    Parameter& into = into_.parameters.emplace_back();
    into.id = p.getId();
    into.span = places_.of(p);
    if (p.isSetValue()) into.value = p.getValue();
    into.constant = p.getConstant() && !may_vary(into.id);
    into.unit = p.getUnits();
    declare(into.id, {SymbolKind::parameter, static_cast<std::int32_t>(i)}, into.span);
  }
}

std::int32_t SbmlModel::parameter_named(const std::string& id, Span span) {
  auto found = names_.symbols.find(id);
  if (found != names_.symbols.end() && found->second.kind == SymbolKind::parameter)
    return found->second.index;
  diagnostics_.error(span, "the conversion factor '" + id + "' is no parameter");
  return -1;
}

void SbmlModel::read_species() {
  for (unsigned i = 0; i < from_.getNumSpecies(); ++i) {
    const ::Species& s = *from_.getSpecies(i);
    Species& into = into_.species.emplace_back();
    into.id = s.getId();
    into.span = places_.of(s);
    auto compartment = names_.symbols.find(s.getCompartment());
    if (compartment == names_.symbols.end() || compartment->second.kind != SymbolKind::compartment)
      diagnostics_.error(into.span, "species '" + into.id + "' is in an unknown compartment '" +
                                        s.getCompartment() + "'");
    else
      into.compartment = compartment->second.index;
    into.in_amount = s.getHasOnlySubstanceUnits();
    if (into.compartment >= 0 && into_.compartments[into.compartment].dimensions == 0)
      into.in_amount = true;
    if (s.isSetInitialAmount()) {
      into.initial = s.getInitialAmount();
      into.initial_is_amount = true;
    } else if (s.isSetInitialConcentration()) {
      into.initial = s.getInitialConcentration();
    } else {
      into.initial_is_amount = into.in_amount;
    }
    into.boundary = s.getBoundaryCondition();
    into.constant = s.getConstant();
    if (s.isSetConversionFactor())
      into.conversion_factor = parameter_named(s.getConversionFactor(), into.span);
    else if (from_.isSetConversionFactor())
      into.conversion_factor = parameter_named(from_.getConversionFactor(), into.span);
    into.unit = s.getSubstanceUnits();
    declare(into.id, {SymbolKind::species, static_cast<std::int32_t>(i)}, into.span);
  }
}

// A species reference with an id is a variable that holds the stoichiometry.
void SbmlModel::read_species_references() {
  auto read = [&](const ::SpeciesReference& reference) {
    if (!reference.isSetId()) return;
    Parameter& into = into_.parameters.emplace_back();
    into.id = reference.getId();
    into.span = places_.of(reference);
    into.value =
        level_ < 3 || reference.isSetStoichiometry() ? reference.getStoichiometry() : not_set;
    into.constant = level_ >= 3 && reference.getConstant();
    declare(into.id,
            {SymbolKind::parameter, static_cast<std::int32_t>(into_.parameters.size()) - 1},
            into.span);
  };
  for (unsigned i = 0; i < from_.getNumReactions(); ++i) {
    const ::Reaction& r = *from_.getReaction(i);
    for (unsigned k = 0; k < r.getNumReactants(); ++k) read(*r.getReactant(k));
    for (unsigned k = 0; k < r.getNumProducts(); ++k) read(*r.getProduct(k));
  }
}

}  // namespace stiffit::internal
