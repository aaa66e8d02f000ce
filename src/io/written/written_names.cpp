// SPDX-License-Identifier: Apache-2.0
#include "io/written/written_names.h"

#include <stdexcept>

namespace stiffit::internal {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_part(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

}  // namespace

bool is_identifier(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  for (char c : text)
    if (!is_part(c)) return false;
  return true;
}

std::string as_identifier(std::string_view text) {
  std::string result;
  bool gap = false;
  for (char c : text) {
    if (!is_part(c)) {
      gap = true;
      continue;
    }
    if (gap && !result.empty()) result += '_';
    gap = false;
    result += c;
  }
  if (result.empty() || !is_letter(result[0])) result.insert(0, 1, '_');
  return result;
}

WrittenNames::WrittenNames(const Model& model, Reserved reserved, Reserved reserved_for_functions)
    : reserved_(std::move(reserved)) {
  std::vector<std::pair<std::string*, const std::string*>> rest;  // place, wish
  auto take = [&](const auto& things, std::vector<std::string>& names, const Reserved& forbidden) {
    names.resize(things.size());
    for (std::size_t i = 0; i < things.size(); ++i) {
      const std::string& id = things[i].id;
      if (is_identifier(id) && !reserved_(id) && !forbidden(id) && taken_.insert(id).second)
        names[i] = id;
      else
        rest.emplace_back(&names[i], &id);
    }
  };
  auto none = [](std::string_view) { return false; };
  take(model.compartments, compartments_, none);
  take(model.species, species_, none);
  take(model.parameters, parameters_, none);
  take(model.reactions, reactions_, none);
  take(model.observables, observables_, none);
  take(model.functions, functions_, reserved_for_functions);
  take(model.events, events_, none);
  for (auto [place, id] : rest) {
    bool unnamed_event =
        id->empty() && place >= events_.data() && place < events_.data() + events_.size();
    if (unnamed_event) continue;
    const bool function =
        place >= functions_.data() && place < functions_.data() + functions_.size();
    *place = fresh(function && reserved_for_functions(*id) ? *id + "_2" : *id);
  }
  for (const UnitDefinition& unit : model.units)
    units_.push_back(built_in_unit(unit.id) ? unit.id : fresh(unit.id));
  for (const Function& function : model.functions) {
    // Arguments are known in their function only, but must not hide anything of the language.
    std::unordered_set<std::string> used;
    auto& names = arguments_.emplace_back();
    for (const std::string& argument : function.arguments) {
      std::string name = as_identifier(argument);
      while (reserved_(name) || !used.insert(name).second) name += '_';
      names.push_back(name);
    }
  }
}

const std::string& WrittenNames::of(Ref ref) const {
  switch (ref.kind) {
    case SymbolKind::compartment:
      return at(compartments_, ref.index);
    case SymbolKind::species:
      return at(species_, ref.index);
    case SymbolKind::parameter:
      return at(parameters_, ref.index);
    case SymbolKind::reaction:
      return at(reactions_, ref.index);
    case SymbolKind::observable:
      return at(observables_, ref.index);
    default:
      throw std::logic_error("a name was asked for what has none");
  }
}

std::string WrittenNames::fresh(std::string_view wish) {
  const std::string base = as_identifier(wish);
  std::string name = base;
  for (int k = 2; reserved_(name) || taken_.contains(name); ++k)
    name = base + "_" + std::to_string(k);
  taken_.insert(name);
  return name;
}

}  // namespace stiffit::internal
