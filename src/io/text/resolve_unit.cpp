// Units of a text model: `unit mM = 1e-3 mole/liter`, in any order. Those called substance,
// time_unit, volume, area, length and extent hold for the whole model.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/interrupt.h"
#include "io/text/resolver.h"

namespace stiffit::internal {

void TextResolver::define_units() {
  std::vector<const UnitSyntax*> open;
  auto collect = [&](const ModelSyntax& from) {
    for (const Statement& statement : from.statements)
      if (auto* unit = std::get_if<UnitSyntax>(&statement)) open.push_back(unit);
  };
  for (const ModelSyntax& file : syntax_.imported) collect(file);
  collect(syntax_.loose);  // units serve the whole file
  if (&chosen_ != &syntax_.loose) collect(chosen_);

  for (const UnitSyntax* unit : open) {
    check_interrupt();
    auto named = [&](const UnitDefinition& u) { return u.id == unit->name.text; };
    if (std::any_of(model_.units.begin(), model_.units.end(), named)) continue;
    if (built_in_unit(unit->name.text))
      diagnostics_.error(unit->name.span, quoted(unit->name.text) + " is a unit already",
                         "use another name");
    model_.units.push_back({std::string(unit->name.text), std::nullopt, unit->name.span});
  }
  // A definition may use one that comes later: go on while something becomes known.
  for (bool progress = true; progress && !open.empty();) {
    progress = false;
    std::erase_if(open, [&](const UnitSyntax* unit) {
      check_interrupt();
      auto named = [&](const UnitDefinition& u) { return u.id == unit->name.text; };
      UnitDefinition& into = *std::find_if(model_.units.begin(), model_.units.end(), named);
      auto value = model_.unit_named(unit->definition);
      if (!value) return unit->definition.empty();  // only named
      if (into.unit && !same_unit(*into.unit, *value))
        diagnostics_.error(
            unit->name.span, "a second unit " + quoted(unit->name.text),
            unit_text(*value) + " here, " + unit_text(*into.unit) + " " + on_line(into.span));
      into.unit = value;
      into.span = unit->name.span;
      return progress = true;
    });
  }
  for (const UnitSyntax* unit : open)
    diagnostics_.warning(unit->name.span,
                         "unit " + quoted(unit->name.text) + " has no known definition",
                         "products, quotients and powers of known units are read");
  auto wide = [&](const char* name, std::string& into) {
    for (const UnitDefinition& unit : model_.units)
      if (unit.id == name && unit.unit) into = name;
  };
  wide("substance", model_.model_units.substance);
  wide("time_unit", model_.model_units.time);
  wide("volume", model_.model_units.volume);
  wide("area", model_.model_units.area);
  wide("length", model_.model_units.length);
  wide("extent", model_.model_units.extent);
}

}  // namespace stiffit::internal
