// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/written_units.h"

namespace stiffit::internal {

void SbmlUnits::write() {
  for (std::size_t i = 0; i < model_.units.size(); ++i) {
    const UnitDefinition& unit = model_.units[i];
    if (!unit.unit || built_in_unit(unit.id)) continue;
    ::UnitDefinition& definition = *into_.createUnitDefinition();
    definition.setId(names_.of_unit(static_cast<std::int32_t>(i)));
    fill(definition, *unit.unit);
  }
  const ModelUnits& wide = model_.model_units;
  auto set = [&](const std::string& text, int (::Model::*setter)(const std::string&)) {
    if (std::string id = id_of(text); !id.empty()) (into_.*setter)(id);
  };
  set(wide.substance, &::Model::setSubstanceUnits);
  set(wide.time, &::Model::setTimeUnits);
  set(wide.volume, &::Model::setVolumeUnits);
  set(wide.area, &::Model::setAreaUnits);
  set(wide.length, &::Model::setLengthUnits);
  set(wide.extent, &::Model::setExtentUnits);
}

void SbmlUnits::fill(::UnitDefinition& definition, const Unit& unit) {
  UnitParts parts = unit_parts(unit);
  auto add = [&](std::string_view kind, double exponent, double multiplier) {
    ::Unit& part = *definition.createUnit();
    part.setKind(UnitKind_forName(std::string(kind).c_str()));
    part.setExponent(exponent);
    part.setScale(0);
    part.setMultiplier(numbers_.in_attribute(multiplier));
  };
  if (parts.factor != 1 || parts.powers.empty()) add("dimensionless", 1, parts.factor);
  for (auto [kind, exponent] : parts.powers) add(kind, exponent, 1);
}

std::string SbmlUnits::define(const std::string& wish, const Unit& unit) {
  std::string id = names_.fresh(wish);
  ::UnitDefinition& definition = *into_.createUnitDefinition();
  definition.setId(id);
  fill(definition, unit);
  return id;
}

std::string SbmlUnits::id_of(const std::string& text) {
  if (text.empty()) return {};
  for (std::size_t i = 0; i < model_.units.size(); ++i)
    if (model_.units[i].id == text)
      return model_.units[i].unit ? names_.of_unit(static_cast<std::int32_t>(i)) : "";
  if (built_in_unit(text))
    return text == "liter" ? "litre" : text == "meter" ? "metre" : text;  // Level 3 knows one
  auto unit = model_.unit_named(text);
  if (!unit) return {};
  auto [place, is_new] = made_.try_emplace(text);
  if (is_new) place->second = define(text, *unit);
  return place->second;
}

std::string SbmlUnits::substance_of(const Species& species) {
  auto unit = model_.unit_named(species.unit);
  if (!unit || !is_spatial(*unit)) return id_of(species.unit);
  if (species.compartment < 0) return {};
  const Compartment& c = model_.compartments[species.compartment];
  auto size = model_.unit_named(!c.unit.empty()     ? c.unit
                                : c.dimensions == 3 ? model_.model_units.volume
                                : c.dimensions == 2 ? model_.model_units.area
                                                    : model_.model_units.length);
  if (!size) return {};
  const Unit amount = *unit * *size;
  std::string text = unit_text(amount);
  auto [place, is_new] = made_.try_emplace(text);
  if (is_new) place->second = define(text, amount);
  return place->second;
}

}  // namespace stiffit::internal
