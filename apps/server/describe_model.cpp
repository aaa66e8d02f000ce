// SPDX-License-Identifier: Apache-2.0
#include "server/describe_model.h"

#include <cmath>

#include "stiffit/lists.h"

namespace stiffit::internal {
namespace {

using Description = api::ModelDescription;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json species_json(const std::vector<Description::Species>& species) {
  Json list = Json::array();
  for (const Description::Species& s : species)
    list.push_back({{"name", s.name},
                    {"initial", number(s.initial)},
                    {"unit", s.unit},
                    {"amount", s.amount},
                    {"boundary", s.boundary},
                    {"constant", s.constant},
                    {"compartment", s.compartment},
                    {"settable", s.settable}});
  return list;
}

Json values_json(const std::vector<Description::Value>& values) {
  Json list = Json::array();
  for (const Description::Value& v : values)
    list.push_back(
        {{"name", v.name}, {"value", number(v.value)}, {"unit", v.unit}, {"settable", v.settable}});
  return list;
}

Json side_json(const std::vector<Description::Participant>& side) {
  Json list = Json::array();
  for (const Description::Participant& p : side)
    list.push_back({p.species, p.parameter.empty() ? number(p.stoichiometry) : Json(p.parameter)});
  return list;
}

Json reactions_json(const std::vector<Description::Reaction>& reactions) {
  Json list = Json::array();
  for (const Description::Reaction& r : reactions)
    list.push_back({{"name", r.name},
                    {"reactants", side_json(r.reactants)},
                    {"products", side_json(r.products)},
                    {"modifiers", r.modifiers},
                    {"reversible", r.reversible},
                    {"text", r.text},
                    {"rate", r.rate}});
  return list;
}

}  // namespace

Json describe_model(const SourceModel& source, const api::RunOptions& run) {
  Json out{{"ok", source.model.has_value()}, {"diagnostics", source.diagnostics}};
  // The page's text is Stiffit's; Antimony is translated, as SBML is.
  const bool is_text = source.source.language() == "text";
  if (is_text) out["text"] = source.source.content;
  if (!source.model) return out;
  const Description d = api::describe(*source.model, run);
  if (!is_text) {
    out["text"] = d.text;
    out["left_out"] = d.left_out;
  }
  out["kind"] = is_text ? "text" : "imported";
  out["id"] = d.id;
  out["title"] = d.title;
  out["start"] = number(d.start);
  out["end"] = number(d.end);
  out["species"] = species_json(d.species);
  out["parameters"] = values_json(d.parameters);
  out["compartments"] = values_json(d.compartments);
  out["reactions"] = reactions_json(d.reactions);
  Json equations = Json::array();
  for (const Description::Equation& e : d.equations)
    equations.push_back({{"kind", e.kind}, {"left", e.left}, {"mathml", e.mathml}});
  out["equations"] = std::move(equations);
  out["features"] = d.features;
  out["outputs"] = d.outputs;
  out["default_outputs"] = d.default_outputs;
  out["moieties"] = d.moieties;
  return out;
}

Json describe_library() {
  Json list = Json::array();
  for (const api::ListedModel& m : api::models())
    list.push_back({{"name", m.name},
                    {"title", m.title},
                    {"text", api::model_text(m.name)},
                    {"end", number(api::Model::load(m.name).end())}});
  return {{"models", std::move(list)}};
}

}  // namespace stiffit::internal
