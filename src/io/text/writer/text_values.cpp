// Compartments, species, parameters and observables of a written text model.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/number.h"
#include "io/text/writer/text_writer.h"

namespace stiffit::internal {
// " = value", as a number or as the expression that computes it; nothing if a rule gives it.
std::string TextWriter::initial(Ref ref, double value) {
  if (is_ruled(ref)) return {};
  if (auto found = initial_assignments_.find(key(ref)); found != initial_assignments_.end())
    return " = " + expression(found->second);
  return " = " + number(value);
}

void TextWriter::compartments() {
  if (!model_.compartments.empty()) gap();
  for (std::size_t i = 0; i < model_.compartments.size(); ++i) {
    const Compartment& c = model_.compartments[i];
    Ref ref{SymbolKind::compartment, static_cast<std::int32_t>(i)};
    line((c.constant ? "compartment " : "var compartment ") + names_.of(ref) +
         initial(ref, c.size) + renamed(ref));
    unit(ref, c.unit);
  }
}

void TextWriter::species() {
  if (!model_.species.empty()) gap();
  for (std::size_t i = 0; i < model_.species.size(); ++i) {
    const Species& s = model_.species[i];
    Ref ref{SymbolKind::species, static_cast<std::int32_t>(i)};
    std::string text;
    // In Antimony '$' says that reactions leave it alone, 'var' would take that back, and what
    // rules and events do to it goes without saying.
    if (s.boundary && !s.constant && !antimony_) text += "var ";
    if (!s.boundary && s.constant) text += "const ";
    if (s.in_amount && s.compartment >= 0) text += "substanceOnly ";
    text += s.boundary ? "species $" : "species ";
    text += names_.of(ref);
    if (s.compartment >= 0) text += " in " + names_.of({SymbolKind::compartment, s.compartment});
    line(text + initial_of_species(ref.index) + renamed(ref));
    unit(ref, s.unit);
  }
}

// The text gives a concentration, or an amount where the name means one.
std::string TextWriter::initial_of_species(std::int32_t index) {
  const Species& s = model_.species[index];
  Ref ref{SymbolKind::species, index};
  const bool plain = s.compartment < 0 || s.initial_is_amount == s.in_amount ||
                     std::isnan(s.initial) || is_ruled(ref) ||
                     initial_assignments_.contains(key(ref));
  if (plain) return initial(ref, s.initial);
  return " = " + number(s.initial) + (s.in_amount ? "*" : "/") +
         names_.of({SymbolKind::compartment, s.compartment});
}

void TextWriter::parameters() {
  if (!model_.parameters.empty()) gap();
  for (std::size_t i = 0; i < model_.parameters.size(); ++i) {
    const Parameter& p = model_.parameters[i];
    Ref ref{SymbolKind::parameter, static_cast<std::int32_t>(i)};
    if (is_ruled(ref)) continue;  // the rule says it all
    const bool said_elsewhere = rules_.contains(key(ref));
    line((p.constant || said_elsewhere ? "" : "var ") + names_.of(ref) + initial(ref, p.value) +
         renamed(ref));
    unit(ref, p.unit);
  }
  out_.text += later_;
  later_.clear();
}

void TextWriter::observables() {
  if (!model_.observables.empty()) gap();
  for (std::size_t i = 0; i < model_.observables.size(); ++i) {
    Ref ref{SymbolKind::observable, static_cast<std::int32_t>(i)};
    line(names_.of(ref) + " := " + expression(model_.observables[i].value) + renamed(ref));
  }
}

}  // namespace stiffit::internal
