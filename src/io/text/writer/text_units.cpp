// Units of a written text model.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/text/syntax/keywords.h"
#include "io/text/writer/text_writer.h"

namespace stiffit::internal {
namespace {

bool is_unit_text(const std::string& unit) {
  if (is_keyword(unit)) return false;
  return unit.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*/^. "
             "()-") == std::string::npos;
}

}  // namespace

// The whole model's have names of their own; of the others those with a place were defined by
// someone, and the rest is written where it is used.
void TextWriter::units() {
  const ModelUnits& wide = model_.model_units;
  auto has_dimension = [&](double dimensions) {
    return std::any_of(model_.compartments.begin(), model_.compartments.end(),
                       [&](const Compartment& c) { return c.dimensions == dimensions; });
  };
  gap();
  auto write_wide = [&](const char* name, const std::string& text) {
    if (auto unit = model_.unit_named(text))
      line(std::string("unit ") + name + " = " + unit_text(*unit));
  };
  write_wide("substance", wide.substance);
  write_wide("time_unit", wide.time);
  if (has_dimension(3)) write_wide("volume", wide.volume);
  if (has_dimension(2)) write_wide("area", wide.area);
  if (has_dimension(1)) write_wide("length", wide.length);
  write_wide("extent", wide.extent);
  for (std::size_t i = 0; i < model_.units.size(); ++i) {
    const UnitDefinition& unit = model_.units[i];
    const std::string& name = names_.of_unit(static_cast<std::int32_t>(i));
    if (built_in_unit(unit.id) || !unit.unit || unit.span.empty() || is_wide_unit(name)) continue;
    line("unit " + name + " = " + unit_text(*unit.unit));
  }
}

void TextWriter::unit(Ref ref, const std::string& unit) {
  if (unit.empty()) return;
  std::string text = unit;
  for (std::size_t i = 0; i < model_.units.size(); ++i)
    if (const UnitDefinition& known = model_.units[i]; known.id == unit) {
      text = names_.of_unit(static_cast<std::int32_t>(i));
      if (known.unit && (known.span.empty() || is_wide_unit(text))) text = unit_text(*known.unit);
    }
  if (is_unit_text(text)) line(names_.of(ref) + " has " + text);
}

}  // namespace stiffit::internal
