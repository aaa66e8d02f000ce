// Unit definitions, and the units that hold for the whole model.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "io/sbml/sbml_model.h"

namespace stiffit::internal {

namespace {

// Nothing for what has no fixed factor (celsius, Level 2's offsets), is incomplete or beyond all
// numbers.
std::optional<Unit> unit_of(const ::UnitDefinition& definition) {
  Unit result;
  for (unsigned i = 0; i < definition.getNumUnits(); ++i) {
    const ::Unit& u = *definition.getUnit(i);
    auto kind = built_in_unit(UnitKind_toString(u.getKind()));
    if (!kind || u.getOffset() != 0 || std::isnan(u.getMultiplier()) ||
        std::isnan(u.getExponentAsDouble()))
      return std::nullopt;
    kind->factor *= u.getMultiplier() * std::pow(10.0, u.getScale());
    result = result * power(*kind, u.getExponentAsDouble());
  }
  if (!is_usable(result)) return std::nullopt;
  return result;
}

}  // namespace

void SbmlModel::read_units() {
  for (unsigned i = 0; i < from_.getNumUnitDefinitions(); ++i) {
    const ::UnitDefinition& definition = *from_.getUnitDefinition(i);
    into_.units.push_back({definition.getId(), unit_of(definition), places_.of(definition)});
  }
  ModelUnits& wide = into_.model_units;
  if (level_ >= 3) {
    wide = {from_.getSubstanceUnits(), from_.getTimeUnits(),   from_.getVolumeUnits(),
            from_.getAreaUnits(),      from_.getLengthUnits(), from_.getExtentUnits()};
    return;
  }
  // Lower levels have units for everything; a model that never speaks of any means none.
  if (!speaks_of_units()) return;
  wide = {"substance", "time", "volume", "area", "length", "substance"};
  const Unit metre = *built_in_unit("metre");
  auto standard = [&](const char* name, const Unit& unit) {
    if (!from_.getUnitDefinition(name)) into_.units.push_back({name, unit, {}});
  };
  standard("substance", *built_in_unit("mole"));
  standard("time", *built_in_unit("second"));
  standard("volume", *built_in_unit("litre"));
  standard("area", metre * metre);
  standard("length", metre);
}

bool SbmlModel::speaks_of_units() const {
  if (from_.getNumUnitDefinitions() > 0) return true;
  for (unsigned i = 0; i < from_.getNumParameters(); ++i)
    if (from_.getParameter(i)->isSetUnits()) return true;
  for (unsigned i = 0; i < from_.getNumCompartments(); ++i)
    if (from_.getCompartment(i)->isSetUnits()) return true;
  for (unsigned i = 0; i < from_.getNumSpecies(); ++i)
    if (from_.getSpecies(i)->isSetSubstanceUnits()) return true;
  for (unsigned i = 0; i < from_.getNumReactions(); ++i)
    if (const KineticLaw* law = from_.getReaction(i)->getKineticLaw())
      for (unsigned k = 0; k < law->getNumParameters(); ++k)
        if (law->getParameter(k)->isSetUnits()) return true;
  return false;
}

}  // namespace stiffit::internal
