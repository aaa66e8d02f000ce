// `stiffit stiffness`: how stiff a model is over time, and what makes it so.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "analysis/pipeline/simulation_fields.h"
#include "analysis/pipeline/simulation_options.h"
#include "base/files/output_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "cli/table_option.h"
#include "io/files/load_model.h"
#include "report/json.h"
#include "report/pages/report_text.h"
#include "report/pages/stiffness_report.h"
#include "report/provenance.h"

namespace stiffit::internal {
namespace {

CommandSpec stiffness_spec() {
  CommandSpec s;
  s.name = "stiffness";
  s.arguments = "MODEL";
  s.summary = "how stiff a model is over time, and what makes it so";
  s.fewest = s.most = 1;
  s.options = option_specs(stiffness_fields());
  s.options.insert(s.options.end(),
                   {csv_option(), provenance_option(),
                    plot_option("a picture of the index over time and of the spectrum"),
                    report_option("a page with pictures, causes and numbers")});
  s.options = with_general_options(std::move(s.options));
  s.notes =
      "The index is S = span/tau with tau = -1/Re(lambda) of the fastest decaying mode. Below 100\n"
      "nothing is stiff, to 2000 moderately so, beyond it is. The largest index is searched "
      "between\n"
      "the rows too; its moment gets a row of its own.";
  s.examples = {
      {"stiffit stiffness water-stiff", "index over time, verdict and cause on stderr"},
      {"stiffit stiffness oregonator --span 5.57 --json", "measured by another time span"},
      {"stiffit stiffness vdp1000 --report vdp1000.html", "the same with pictures"},
  };
  return s;
}

std::string state_name(const std::vector<std::string>& names, int state) {
  return state < 0 ? "" : names[static_cast<std::size_t>(state)];
}

void shares(JsonWriter& json, const char* name, const std::vector<Share>& list) {
  json.key(name).begin_array();
  for (const Share& share : list)
    json.begin_object().member("name", share.name).member("share", share.share).end_object();
  json.end_array();
}

std::vector<std::string> only_names(const std::vector<Share>& list) {
  std::vector<std::string> names;
  for (const Share& share : list) names.push_back(share.name);
  return names;
}

std::string json_of(const Stiffness& s, const std::vector<std::string>& names, double span,
                    const Provenance& provenance) {
  JsonWriter json;
  json.begin_object().member("max_index", s.max_index).member("peak_index", s.peak.index);
  json.member("peak_time", s.peak.time);
  json.member("span", span).member("verdict", word(s.verdict));
  json.member("recommended", s.recommended).member("tau", s.peak.tau);
  json.member("lambda_min", s.peak.lambda_min).member("lambda_max", s.peak.lambda_max);
  json.member("ratio", s.ratio).member("explicit_steps", s.explicit_steps);
  json.member("fastest_species", only_names(s.species));
  json.member("fastest_reactions", only_names(s.reactions));
  shares(json, "species_shares", s.species);
  shares(json, "reaction_shares", s.reactions);
  json.key("eigenvalues").begin_array();
  for (auto v : s.at_peak) json.begin_array().value(v.real()).value(v.imag()).end_array();
  json.end_array().key("rows").begin_array();
  for (const StiffnessRow& row : s.rows) {
    json.begin_object().member("time", row.time).member("index", row.index);
    json.member("tau", row.tau).member("lambda_min", row.lambda_min);
    json.member("lambda_max", row.lambda_max);
    json.member("fastest_species", state_name(names, row.fastest)).end_object();
  }
  json.end_array();
  write_provenance(json, provenance);
  return json.end_object().text();
}

int run_stiffness_command(const Arguments& arguments, const Console& console) {
  api::StiffnessOptions options;
  read_fields(stiffness_fields(), arguments, options);
  check_options(options);
  options.run.interrupt = console.interrupt;
  require_writable_files(arguments);
  check_provenance_option(arguments);
  LoadedModel loaded = load_model(arguments.positional().front());
  console.messages << loaded.warnings;
  const ModelStiffness found = model_stiffness(loaded.model, options);
  const Stiffness& stiffness = found.stiffness;
  const std::vector<std::string>& names = found.names;
  const double span = found.span;
  const bool done = stiffness.outcome.status == Status::done;
  const std::string told = done ? stiffness_verdict(stiffness, span)
                                : "error: " + describe(stiffness.outcome, names) + "\n";
  const Provenance provenance = run_provenance("stiffness", arguments);
  const std::string shown = shown_name(arguments.positional().front());
  deliver_table(arguments, provenance, stiffness_csv(stiffness, names));
  if (arguments.has("plot"))
    write_file(arguments.text("plot"),
               svg_of(stiffness_pictures(shown, stiffness, span), page_width));
  if (arguments.has("report"))
    write_file(arguments.text("report"),
               stiffness_page(shown, stiffness, span, told, stiffness_csv(stiffness, names),
                              json_of(stiffness, names, span, provenance)));
  if (arguments.has("json"))
    deliver(json_of(stiffness, names, span, provenance), console);
  else if (!arguments.has("output"))
    deliver(stiffness_csv(stiffness, names), console);
  if (!done || !arguments.has("json")) console.messages << told;
  return done ? exit_done : exit_numerics_failed;
}

}  // namespace

Command stiffness_command() { return {stiffness_spec(), run_stiffness_command}; }

}  // namespace stiffit::internal
