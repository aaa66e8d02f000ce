// The flux-balance problem of the fbc package, version 1 (a list of bounds) and later (bounds are
// parameters that the reactions name).
// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/sbml_model.h"

// The package's headers lean on the core's.
#include <sbml/packages/fbc/common/FbcExtensionTypes.h>

namespace stiffit::internal {

void SbmlModel::read_flux_balance() {
  const auto* plugin = static_cast<const FbcModelPlugin*>(from_.getPlugin("fbc"));
  if (!plugin || plugin->getNumObjectives() == 0) return;
  FluxBalance& into = into_.flux_balance.emplace();
  auto named = [&](const std::string& id, SymbolKind kind, Span span) -> std::int32_t {
    auto found = names_.symbols.find(id);
    if (found != names_.symbols.end() && found->second.kind == kind) return found->second.index;
    diagnostics_.error(span, "the flux-balance problem speaks of an unknown '" + id + "'");
    return -1;
  };
  for (unsigned i = 0; i < plugin->getNumFluxBounds(); ++i) {
    const ::FluxBound& b = *plugin->getFluxBound(i);
    FluxBound bound;
    bound.reaction = named(b.getReaction(), SymbolKind::reaction, places_.of(b));
    bound.value = b.getValue();
    const FluxBoundOperation_t operation = b.getFluxBoundOperation();
    bound.side = operation == FLUXBOUND_OPERATION_EQUAL           ? FluxBound::Side::both
                 : operation == FLUXBOUND_OPERATION_GREATER_EQUAL ? FluxBound::Side::lower
                                                                  : FluxBound::Side::upper;
    into.bounds.push_back(bound);
  }
  for (unsigned i = 0; i < from_.getNumReactions(); ++i) {
    const ::Reaction& r = *from_.getReaction(i);
    const auto* bounds = static_cast<const FbcReactionPlugin*>(r.getPlugin("fbc"));
    if (!bounds) continue;
    auto add = [&](FluxBound::Side side, const std::string& parameter) {
      into.bounds.push_back({static_cast<std::int32_t>(i), side,
                             named(parameter, SymbolKind::parameter, places_.of(r)), 0});
    };
    if (bounds->isSetLowerFluxBound()) add(FluxBound::Side::lower, bounds->getLowerFluxBound());
    if (bounds->isSetUpperFluxBound()) add(FluxBound::Side::upper, bounds->getUpperFluxBound());
  }
  for (unsigned i = 0; i < plugin->getNumObjectives(); ++i) {
    const ::Objective& o = *plugin->getObjective(i);
    FluxObjective& objective = into.objectives.emplace_back();
    objective.id = o.getId();
    objective.maximize = o.getObjectiveType() == OBJECTIVE_TYPE_MAXIMIZE;
    for (unsigned k = 0; k < o.getNumFluxObjectives(); ++k) {
      const ::FluxObjective& term = *o.getFluxObjective(k);
      objective.terms.push_back({named(term.getReaction(), SymbolKind::reaction, places_.of(term)),
                                 term.getCoefficient()});
    }
    if (objective.id == plugin->getActiveObjectiveId()) into.active = static_cast<std::int32_t>(i);
  }
}

}  // namespace stiffit::internal
