// `stiffit info`: what a model holds and the equations it means.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <ostream>

#include "base/diagnostic.h"
#include "base/number.h"
#include "cli/commands.h"
#include "io/files/load_model.h"
#include "model/model_features.h"
#include "report/json.h"
#include "report/text_table.h"
#include "symbolic/text/expression_text.h"
#include "symbolic/text/model_equations.h"

namespace stiffit::internal {
namespace {

// Longer lists are cut in text (never in JSON), unless --all is given.
constexpr std::size_t longest_list = 60;

CommandSpec info_spec() {
  CommandSpec s;
  s.name = "info";
  s.arguments = "MODEL";
  s.summary = "species, parameters, reactions, equations and structure of a model";
  s.fewest = s.most = 1;
  s.options = with_general_options(
      {{"all", "", "long lists in full (default: the first 60 lines of each)", 0, false}});
  s.examples = {{"stiffit info oregonator", "a model of the library"},
                {"stiffit info network.net --all", "every reaction and equation"},
                {"stiffit info my.rxn --json", "the same as data"}};
  return s;
}

using Rows = std::vector<std::vector<std::string>>;

std::string start_text(const Model& model, Ref ref, double value) {
  for (const Rule& rule : model.rules)
    if (rule.kind == RuleKind::assignment && rule.target == ref)
      return ":= " + expression_text(model, rule.value);
  for (const InitialAssignment& a : model.initial_assignments)
    if (a.target == ref) return "= " + expression_text(model, a.value);
  return std::isnan(value) ? "(no value)" : "= " + format_number(value);
}

Rows species_rows(const Model& model) {
  Rows rows;
  for (std::size_t i = 0; i < model.species.size(); ++i) {
    const Species& s = model.species[i];
    Ref ref{SymbolKind::species, static_cast<int>(i)};
    std::string where =
        s.compartment < 0 ? ""
                          : "in " + model.compartments[static_cast<std::size_t>(s.compartment)].id;
    std::string kind = s.in_amount ? "amount" : "concentration";
    // The name may mean one and the initial value the other: then say so.
    if (s.compartment >= 0 && s.initial_is_amount != s.in_amount)
      kind += s.initial_is_amount ? ", given as amount" : ", given as concentration";
    if (s.boundary) kind += ", boundary";
    if (s.constant) kind += ", constant";
    rows.push_back({s.id, start_text(model, ref, s.initial), s.unit, kind, where});
  }
  return rows;
}

Rows parameter_rows(const Model& model) {
  Rows rows;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& p = model.parameters[i];
    rows.push_back(
        {p.id, start_text(model, {SymbolKind::parameter, static_cast<int>(i)}, p.value), p.unit});
  }
  return rows;
}

Rows compartment_rows(const Model& model) {
  Rows rows;
  for (std::size_t i = 0; i < model.compartments.size(); ++i) {
    const Compartment& c = model.compartments[i];
    rows.push_back(
        {c.id, start_text(model, {SymbolKind::compartment, static_cast<int>(i)}, c.size), c.unit});
  }
  return rows;
}

Rows reaction_rows(const Model& model) {
  Rows rows;
  for (const Reaction& r : model.reactions)
    rows.push_back({r.id + ":", reaction_text(model, r) + ";", expression_text(model, r.rate)});
  return rows;
}

Rows observable_rows(const Model& model) {
  Rows rows;
  for (const Observable& o : model.observables)
    rows.push_back({o.id, "= " + expression_text(model, o.value)});
  return rows;
}

Rows equation_rows(const ModelEquations& equations) {
  Rows rows;
  for (const ModelEquations::Row& row : equations.rows)
    rows.push_back({row.state + "'", "= " + row.derivative});
  return rows;
}

void section(std::string& out, const std::string& title, const Rows& rows, bool all) {
  if (rows.empty()) return;
  out += "\n" + title + " (" + std::to_string(rows.size()) + ")\n";
  std::size_t shown = all ? rows.size() : std::min(rows.size(), longest_list);
  out += text_table({}, {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown)}, 2);
  if (shown < rows.size())
    out += "  ... and " + std::to_string(rows.size() - shown) + " more (--all shows them)\n";
}

std::string text_of(const Model& model, const std::optional<ModelEquations>& equations,
                    const std::string& obstacle, bool all) {
  std::string out = "model " + (model.id.empty() ? "(without a name)" : model.id) + "\n";
  if (!model.title.empty()) out += model.title + "\n";
  out += "uses: ";
  std::vector<std::string> features = model_features(model);
  for (std::size_t i = 0; i < features.size(); ++i) out += (i ? ", " : "") + features[i];
  out += features.empty() ? "nothing but constants\n" : "\n";
  if (!std::isnan(model.end_time))
    out += "default end time: " + format_number(model.end_time) + "\n";
  section(out, "compartments", compartment_rows(model), all);
  section(out, "species", species_rows(model), all);
  section(out, "parameters", parameter_rows(model), all);
  section(out, "reactions", reaction_rows(model), all);
  section(out, "observables", observable_rows(model), all);
  if (!equations)
    return out + "\nequations: none, because this model cannot be simulated\n" + obstacle;
  section(out, "equations", equation_rows(*equations), all);
  Rows moieties;
  for (const std::string& m : equations->conserved) moieties.push_back({m});
  section(out, "conserved", moieties, all);
  const int n = equations->size;
  out += "\nJacobian: " + std::to_string(n) + " x " + std::to_string(n) + ", " +
         std::to_string(equations->nonzeros) + " non-zeros\n";
  return out;
}

void json_rows(JsonWriter& json, const char* name, const std::vector<const char*>& keys,
               const Rows& rows) {
  json.key(name).begin_array();
  for (const auto& row : rows) {
    json.begin_object();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::string_view cell = row[i];
      if (i == 1 && cell.starts_with("= ")) cell.remove_prefix(2);
      json.member(keys[i], cell);
    }
    json.end_object();
  }
  json.end_array();
}

std::string json_of(const Model& model, const std::optional<ModelEquations>& equations,
                    const std::string& obstacle) {
  JsonWriter json;
  json.begin_object().member("id", model.id).member("title", model.title);
  json.member("uses", model_features(model)).member("start", model.start_time);
  json.member("end", model.end_time);
  json_rows(json, "compartments", {"id", "value", "unit"}, compartment_rows(model));
  json_rows(json, "species", {"id", "value", "unit", "kind", "compartment"}, species_rows(model));
  json_rows(json, "parameters", {"id", "value", "unit"}, parameter_rows(model));
  json.key("reactions").begin_array();
  for (const Reaction& r : model.reactions)
    json.begin_object()
        .member("id", r.id)
        .member("equation", reaction_text(model, r))
        .member("rate", expression_text(model, r.rate))
        .end_object();
  json.end_array();
  json_rows(json, "observables", {"id", "value"}, observable_rows(model));
  json.member("simulable", equations.has_value());
  if (equations) {
    json_rows(json, "equations", {"derivative", "value"}, equation_rows(*equations));
    json.member("conserved", equations->conserved);
    json.key("jacobian").begin_object().member("size", equations->size);
    json.member("nonzeros", equations->nonzeros).end_object();
  } else {
    json.member("obstacle", obstacle);
  }
  return json.end_object().text();
}

int run_info_command(const Arguments& arguments, const Console& console) {
  LoadedModel loaded = load_model(arguments.positional().front());
  console.messages << loaded.warnings;
  std::optional<ModelEquations> equations;
  std::string obstacle;
  try {
    equations = model_equations(loaded.model);
  } catch (const InputError& error) {
    obstacle = error.what();  // a model with events can be looked at, if not simulated
  }
  deliver(arguments.has("json") ? json_of(*loaded.model, equations, obstacle)
                                : text_of(*loaded.model, equations, obstacle, arguments.has("all")),
          console);
  return exit_done;
}

}  // namespace

Command info_command() { return {info_spec(), run_info_command}; }

}  // namespace stiffit::internal
