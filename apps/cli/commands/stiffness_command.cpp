// `stiffit stiffness`: how stiff a model is over time, and what makes it so.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "base/files/output_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "cli/table_option.h"
#include "report/json.h"
#include "report/pages/report_text.h"
#include "report/pages/stiffness_report.h"
#include "report/provenance.h"
#include "stiffit/model.h"

namespace stiffit::internal {
namespace {

CommandSpec stiffness_spec() {
  CommandSpec s;
  s.name = "stiffness";
  s.arguments = "MODEL";
  s.summary = "how stiff a model is over time, and what makes it so";
  s.fewest = s.most = 1;
  s.options = option_specs<api::StiffnessOptions>();
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

using Shares = std::vector<std::pair<std::string, double>>;

void shares(JsonWriter& json, const char* name, const Shares& list) {
  json.key(name).begin_array();
  for (const auto& [of, share] : list)
    json.begin_object().member("name", of).member("share", share).end_object();
  json.end_array();
}

std::vector<std::string> only_names(const Shares& list) {
  std::vector<std::string> names;
  for (const auto& [name, share] : list) names.push_back(name);
  return names;
}

std::string json_of(const api::Stiffness& s, const Provenance& provenance) {
  JsonWriter json;
  json.begin_object().member("max_index", s.max_index).member("peak_index", s.peak_index);
  json.member("peak_time", s.peak_time);
  json.member("span", s.span).member("verdict", s.verdict);
  json.member("recommended", s.recommended).member("tau", s.peak_tau);
  json.member("lambda_min", s.peak_lambda_min).member("lambda_max", s.peak_lambda_max);
  json.member("ratio", s.ratio).member("explicit_steps", s.explicit_steps);
  json.member("fastest_species", only_names(s.species));
  json.member("fastest_reactions", only_names(s.reactions));
  shares(json, "species_shares", s.species);
  shares(json, "reaction_shares", s.reactions);
  json.key("eigenvalues").begin_array();
  for (auto v : s.eigenvalues) json.begin_array().value(v.real()).value(v.imag()).end_array();
  json.end_array().key("rows").begin_array();
  for (std::size_t i = 0; i < s.times.size(); ++i) {
    json.begin_object().member("time", s.times[i]).member("index", s.index[i]);
    json.member("tau", s.tau[i]).member("lambda_min", s.lambda_min[i]);
    json.member("lambda_max", s.lambda_max[i]);
    json.member("fastest_species", s.fastest[i]).end_object();
  }
  json.end_array();
  write_provenance(json, provenance);
  return json.end_object().text();
}

int run_stiffness_command(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::StiffnessOptions>(arguments);
  options.run.interrupt = console.interrupt;
  require_writable_files(arguments);
  check_provenance_option(arguments);
  const api::Model model = api::Model::load(arguments.positional().front(), reading(console));
  console.messages << model.warnings();
  const api::Stiffness stiffness = model.stiffness(options);
  const bool done = stiffness.status == "done";
  if (!done && stiffness.explanation.empty()) throw api::Interrupted();  // before it began
  const std::string told =
      done ? stiffness_verdict(stiffness) : "error: " + stiffness.explanation + "\n";
  const Provenance provenance = run_provenance("stiffness", arguments);
  const std::string shown = shown_name(arguments.positional().front());
  const std::string csv = stiffness_csv(stiffness);
  deliver_table(arguments, provenance, csv);
  if (arguments.has("plot"))
    write_file(arguments.text("plot"), svg_of(stiffness_pictures(shown, stiffness), page_width));
  if (arguments.has("report"))
    write_file(arguments.text("report"),
               stiffness_page(shown, stiffness, told, csv, json_of(stiffness, provenance)));
  if (arguments.has("json"))
    deliver(json_of(stiffness, provenance), console);
  else if (!arguments.has("output"))
    deliver(csv, console);
  if (!done || !arguments.has("json")) console.messages << told;
  return done ? exit_done : exit_numerics_failed;
}

}  // namespace

Command stiffness_command() { return {stiffness_spec(), run_stiffness_command}; }

}  // namespace stiffit::internal
