// Reactions: who takes part, in which numbers, and how fast.
// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/sbml_model.h"

namespace stiffit::internal {

void SbmlModel::read_reactions() {
  // Rates may speak of reactions that come later.
  for (unsigned i = 0; i < from_.getNumReactions(); ++i) {
    const ::Reaction& r = *from_.getReaction(i);
    declare(r.getId(), {SymbolKind::reaction, static_cast<std::int32_t>(i)}, places_.of(r));
  }
  into_.reactions.resize(from_.getNumReactions());
  for (unsigned i = 0; i < from_.getNumReactions(); ++i) {
    const ::Reaction& r = *from_.getReaction(i);
    Reaction& into = into_.reactions[i];
    into.id = r.getId();
    into.span = places_.of(r);
    into.reversible = r.getReversible();
    into.fast = r.isSetFast() && r.getFast();
    read_participants(r, into);
  }
}

void SbmlModel::read_participants(const ::Reaction& from, Reaction& into) {
  for (unsigned k = 0; k < from.getNumReactants(); ++k)
    into.reactants.push_back(participant(*from.getReactant(k), into.id));
  for (unsigned k = 0; k < from.getNumProducts(); ++k)
    into.products.push_back(participant(*from.getProduct(k), into.id));
  auto unknown = [](const SpeciesReference& x) { return x.species < 0; };
  std::erase_if(into.reactants, unknown);
  std::erase_if(into.products, unknown);
  for (unsigned k = 0; k < from.getNumModifiers(); ++k) {
    auto found = names_.symbols.find(from.getModifier(k)->getSpecies());
    if (found != names_.symbols.end() && found->second.kind == SymbolKind::species)
      into.modifiers.push_back(found->second.index);
  }
}

SpeciesReference SbmlModel::participant(const ::SpeciesReference& from,
                                        const std::string& reaction) {
  SpeciesReference into;
  into.span = places_.of(from);
  auto found = names_.symbols.find(from.getSpecies());
  if (found == names_.symbols.end() || found->second.kind != SymbolKind::species) {
    diagnostics_.error(into.span, "reaction '" + reaction + "' has an unknown species '" +
                                      from.getSpecies() + "'");
    return into;
  }
  into.species = found->second.index;
  into.stoichiometry = level_ < 3 || from.isSetStoichiometry() ? from.getStoichiometry() : not_set;
  if (from.getDenominator() > 1) into.stoichiometry /= from.getDenominator();  // Level 1
  into.parameter = local_stoichiometry(from, reaction, into.span);
  return into;
}

// The parameter that holds this stoichiometry, if it has a name or a formula (Level 2), else -1.
std::int32_t SbmlModel::local_stoichiometry(const ::SpeciesReference& from,
                                            const std::string& reaction, Span span) {
  std::int32_t index = -1;
  if (from.isSetId()) index = names_.symbols.at(from.getId()).index;
  const StoichiometryMath* formula = level_ == 2 ? from.getStoichiometryMath() : nullptr;
  if (!formula || !formula->isSetMath()) return index;
  if (index < 0) {
    std::string id = reaction + ".stoichiometry." + from.getSpecies();
    for (int k = 2; names_.symbols.contains(id); ++k)
      id = reaction + ".stoichiometry" + std::to_string(k) + "." + from.getSpecies();
    index = static_cast<std::int32_t>(into_.parameters.size());
    Parameter& parameter = into_.parameters.emplace_back();
    parameter.id = id;
    parameter.span = span;
    declare(id, {SymbolKind::parameter, index}, span);
  }
  into_.parameters[index].constant = false;
  into_.rules.push_back({RuleKind::assignment,
                         {SymbolKind::parameter, index},
                         math_.read(*formula->getMath(), places_.of(*formula)),
                         span});
  return index;
}

void SbmlModel::read_kinetic_law(const ::Reaction& from, Reaction& into) {
  const KineticLaw* law = from.getKineticLaw();
  if (!law) return;
  NameTable locals;
  auto add = [&](const ::Parameter& p) {
    Parameter& local = into_.parameters.emplace_back();
    local.id = into.id + "." + p.getId();
    local.span = places_.of(p);
    if (p.isSetValue()) local.value = p.getValue();
    local.unit = p.getUnits();
    Ref ref{SymbolKind::parameter, static_cast<std::int32_t>(into_.parameters.size()) - 1};
    if (!locals.emplace(p.getId(), ref).second)
      diagnostics_.error(local.span, "two parameters of reaction '" + into.id + "' are called '" +
                                         p.getId() + "'");
    declare(local.id, ref, local.span);
  };
  if (level_ < 3)
    for (unsigned k = 0; k < law->getNumParameters(); ++k) add(*law->getParameter(k));
  else
    for (unsigned k = 0; k < law->getNumLocalParameters(); ++k) add(*law->getLocalParameter(k));
  if (level_ == 1 && law->isSetFormula() && !law->getMath()) {
    diagnostics_.error(places_.of(*law), "cannot read the formula '" + law->getFormula() + "'");
    return;
  }
  law_of_ = &from;
  into.rate =
      math(law->getMath(), places_.of(*law), "the kinetic law of '" + into.id + "'", &locals);
  law_of_ = nullptr;
}

}  // namespace stiffit::internal
