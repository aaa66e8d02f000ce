// SPDX-License-Identifier: Apache-2.0
#include "model/model_settings.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/option_error.h"

namespace stiffit::internal {
namespace {

enum class Meaning { as_named, concentration, amount };

struct Target {
  Ref ref;
  Meaning meaning = Meaning::as_named;
};

Target find_target(const Model& model, const std::string& name) {
  if (Ref ref = model.find(name); ref.kind != SymbolKind::none) return {ref, Meaning::as_named};
  auto species = [&](std::size_t prefix) {
    Ref ref = model.find(std::string_view(name).substr(prefix, name.size() - prefix - 1));
    return ref.kind == SymbolKind::species ? ref : Ref{};
  };
  if (name.size() > 2 && name.front() == '[' && name.back() == ']')
    return {species(1), Meaning::concentration};
  if (name.starts_with("amount(") && name.back() == ')') return {species(7), Meaning::amount};
  return {};
}

std::string line_of(const Model& model, Span span) {
  if (!model.source || span.empty()) return "";
  return " on " + model.source->line_text(span.begin);
}

void refuse_computed(const Model& model, const std::string& name, Ref ref) {
  if (ref.kind == SymbolKind::time)
    throw OptionError(option("set") + " cannot set the time", "use " + option("start"));
  if (ref.kind == SymbolKind::reaction)
    throw OptionError(option("set") + " cannot set '" + name +
                      "': it is a reaction, its rate is computed");
  if (ref.kind == SymbolKind::observable)
    throw OptionError(option("set") + " cannot set '" + name +
                      "': it is an observable, which is computed");
  for (const Rule& rule : model.rules)
    if (rule.kind == RuleKind::assignment && rule.target == ref)
      throw OptionError(option("set") + " cannot set '" + name + "': a rule" +
                        line_of(model, rule.span) + " computes it");
}

void assign(Model& model, Target target, double value) {
  std::size_t i = target.ref.index;
  switch (target.ref.kind) {
    case SymbolKind::species: {
      Species& s = model.species[i];
      s.initial = value;
      s.initial_is_amount =
          target.meaning == Meaning::as_named ? s.in_amount : target.meaning == Meaning::amount;
      break;
    }
    case SymbolKind::parameter:
      model.parameters[i].value = value;
      break;
    default:
      model.compartments[i].size = value;
  }
  std::erase_if(model.initial_assignments,
                [&](const InitialAssignment& a) { return a.target == target.ref; });
}

void assume_sizes(Model& model, double size) {
  auto is_given = [&](Ref ref) {
    auto names = [&](const auto& x) { return x.target == ref; };
    return std::any_of(model.rules.begin(), model.rules.end(), names) ||
           std::any_of(model.initial_assignments.begin(), model.initial_assignments.end(), names);
  };
  for (std::size_t i = 0; i < model.compartments.size(); ++i)
    if (std::isnan(model.compartments[i].size) &&
        !is_given({SymbolKind::compartment, static_cast<int>(i)}))
      model.compartments[i].size = size;
}

}  // namespace

std::shared_ptr<const Model> with_settings(std::shared_ptr<const Model> model,
                                           const ModelSettings& settings) {
  if (settings.values.empty() && std::isnan(settings.assumed_size)) return model;
  auto changed = std::make_shared<Model>(*model);
  for (const auto& [name, value] : settings.values) {
    const Target target = find_target(*changed, name);
    if (target.ref.kind == SymbolKind::none) {
      std::string nearest = nearest_name(name, changed->all_ids());
      throw OptionError(
          option("set") + ": the model has nothing called '" + name + "'",
          nearest.empty() ? "'stiffit info' lists what it has" : "did you mean '" + nearest + "'?");
    }
    refuse_computed(*changed, name, target.ref);
    assign(*changed, target, value);
  }
  if (!std::isnan(settings.assumed_size)) assume_sizes(*changed, settings.assumed_size);
  return changed;
}

}  // namespace stiffit::internal
