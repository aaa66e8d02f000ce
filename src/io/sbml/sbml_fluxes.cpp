// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/sbml_fluxes.h"

// The package's headers lean on the core's.
#include <sbml/packages/fbc/common/FbcExtensionTypes.h>

#include <limits>
#include <string>
#include <vector>

namespace stiffit::internal {
namespace {

// The bounds of one side of one reaction: the parameter that says it, or the tightest number.
struct Bound {
  std::int32_t parameter = -1;
  double value;
  bool given = false;
};

struct Bounds {
  Bound lower{-1, -std::numeric_limits<double>::infinity()};
  Bound upper{-1, std::numeric_limits<double>::infinity()};
};

std::vector<Bounds> bounds_of(const Model& model) {
  std::vector<Bounds> all(model.reactions.size());
  for (const FluxBound& b : model.flux_balance->bounds) {
    Bounds& of = all[b.reaction];
    auto note = [&](Bound& side, bool tighter) {
      side.given = true;
      if (b.parameter >= 0)
        side.parameter = b.parameter;
      else if (tighter)
        side.value = b.value;
    };
    if (b.side != FluxBound::Side::upper) note(of.lower, b.value > of.lower.value);
    if (b.side != FluxBound::Side::lower) note(of.upper, b.value < of.upper.value);
  }
  return all;
}

}  // namespace

void enable_fluxes(SBMLDocument& document) {
  document.enablePackage(FbcExtension::getXmlnsL3V1V2(), "fbc", true);
  document.setPackageRequired("fbc", false);
}

void write_fluxes(const Model& model, WrittenNames& names, ExactNumbers& numbers, ::Model& into) {
  std::vector<Bounds> bounds = bounds_of(model);
  auto parameter_of = [&](const Bound& bound, const std::string& wish) {
    if (bound.parameter >= 0) return names.of({SymbolKind::parameter, bound.parameter});
    std::string id = names.fresh(wish);
    ::Parameter& p = *into.createParameter();
    p.setId(id);
    p.setValue(numbers.in_attribute(bound.value));
    p.setConstant(true);
    return id;
  };
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    ::Reaction& r = *into.getReaction(static_cast<unsigned>(i));
    auto& plugin = static_cast<FbcReactionPlugin&>(*r.getPlugin("fbc"));
    if (bounds[i].lower.given)
      plugin.setLowerFluxBound(parameter_of(bounds[i].lower, "lower_" + r.getId()));
    if (bounds[i].upper.given)
      plugin.setUpperFluxBound(parameter_of(bounds[i].upper, "upper_" + r.getId()));
  }
  auto& plugin = static_cast<FbcModelPlugin&>(*into.getPlugin("fbc"));
  plugin.setStrict(false);
  const FluxBalance& from = *model.flux_balance;
  for (std::size_t i = 0; i < from.objectives.size(); ++i) {
    ::Objective& o = *plugin.createObjective();
    o.setId(names.fresh(from.objectives[i].id));
    o.setType(from.objectives[i].maximize ? "maximize" : "minimize");
    for (const FluxObjective::Term& term : from.objectives[i].terms) {
      ::FluxObjective& t = *o.createFluxObjective();
      t.setReaction(names.of({SymbolKind::reaction, term.reaction}));
      t.setCoefficient(numbers.in_attribute(term.coefficient));
    }
    if (static_cast<std::int32_t>(i) == from.active) plugin.setActiveObjectiveId(o.getId());
  }
}

}  // namespace stiffit::internal
