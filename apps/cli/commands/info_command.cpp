// `stiffit info`: what a model holds and the equations it means.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/number.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "report/json.h"
#include "report/text_table.h"
#include "stiffit/reading.h"

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

Rows species_rows(const api::ModelSummary& model) {
  Rows rows;
  for (const api::ModelSummary::Species& s : model.species)
    rows.push_back(
        {s.name, s.start, s.unit, s.kind, s.compartment.empty() ? "" : "in " + s.compartment});
  return rows;
}

Rows value_rows(const std::vector<api::ModelSummary::Value>& values) {
  Rows rows;
  for (const api::ModelSummary::Value& v : values) rows.push_back({v.name, v.start, v.unit});
  return rows;
}

Rows reaction_rows(const api::ModelSummary& model) {
  Rows rows;
  for (const api::ModelSummary::Reaction& r : model.reactions)
    rows.push_back({r.name + ":", r.text + ";", r.rate});
  return rows;
}

Rows observable_rows(const api::ModelSummary& model) {
  Rows rows;
  for (const auto& [name, formula] : model.observables) rows.push_back({name, "= " + formula});
  return rows;
}

Rows equation_rows(const api::Equations& equations) {
  Rows rows;
  for (const api::Equations::Row& row : equations.rows)
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

std::string text_of(const api::ModelSummary& model, bool all) {
  std::string out = "model " + (model.id.empty() ? "(without a name)" : model.id) + "\n";
  if (!model.title.empty()) out += model.title + "\n";
  out += "uses: ";
  const std::vector<std::string>& features = model.features;
  for (std::size_t i = 0; i < features.size(); ++i) out += (i ? ", " : "") + features[i];
  out += features.empty() ? "nothing but constants\n" : "\n";
  if (!std::isnan(model.end)) out += "default end time: " + format_number(model.end) + "\n";
  section(out, "compartments", value_rows(model.compartments), all);
  section(out, "species", species_rows(model), all);
  section(out, "parameters", value_rows(model.parameters), all);
  section(out, "reactions", reaction_rows(model), all);
  section(out, "observables", observable_rows(model), all);
  if (!model.equations)
    return out + "\nequations: none, because this model cannot be simulated\n" + model.obstacle;
  const api::Equations& equations = *model.equations;
  section(out, "equations", equation_rows(equations), all);
  Rows moieties;
  for (const std::string& m : equations.conserved) moieties.push_back({m});
  section(out, "conserved", moieties, all);
  const int n = equations.size;
  out += "\nJacobian: " + std::to_string(n) + " x " + std::to_string(n) + ", " +
         std::to_string(equations.jacobian_nonzeros) + " non-zeros\n";
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

std::string json_of(const api::ModelSummary& model) {
  JsonWriter json;
  json.begin_object().member("id", model.id).member("title", model.title);
  json.member("uses", model.features).member("start", model.start);
  json.member("end", model.end);
  json_rows(json, "compartments", {"id", "value", "unit"}, value_rows(model.compartments));
  json_rows(json, "species", {"id", "value", "unit", "kind", "compartment"}, species_rows(model));
  json_rows(json, "parameters", {"id", "value", "unit"}, value_rows(model.parameters));
  json.key("reactions").begin_array();
  for (const api::ModelSummary::Reaction& r : model.reactions)
    json.begin_object()
        .member("id", r.name)
        .member("equation", r.text)
        .member("rate", r.rate)
        .end_object();
  json.end_array();
  json_rows(json, "observables", {"id", "value"}, observable_rows(model));
  json.member("simulable", model.equations.has_value());
  if (model.equations) {
    const api::Equations& equations = *model.equations;
    json_rows(json, "equations", {"derivative", "value"}, equation_rows(equations));
    json.member("conserved", equations.conserved);
    json.key("jacobian").begin_object().member("size", equations.size);
    json.member("nonzeros", equations.jacobian_nonzeros).end_object();
  } else {
    json.member("obstacle", model.obstacle);
  }
  return json.end_object().text();
}

int run_info_command(const Arguments& arguments, const Console& console) {
  const api::Model model = api::Model::load(arguments.positional().front(), reading(console));
  console.messages << model.warnings();
  const api::ModelSummary summary = api::summarize(model, reading(console));
  deliver(arguments.has("json") ? json_of(summary) : text_of(summary, arguments.has("all")),
          console);
  return exit_done;
}

}  // namespace

Command info_command() { return {info_spec(), run_info_command}; }

}  // namespace stiffit::internal
