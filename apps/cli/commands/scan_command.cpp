// `stiffit scan`: a grid of simulations in one table.
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <ostream>
#include <span>

#include "analysis/pipeline/scan.h"
#include "analysis/pipeline/simulation_fields.h"
#include "analysis/pipeline/simulation_options.h"
#include "cli/commands.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "cli/table_option.h"
#include "io/files/load_model.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/progress.h"
#include "report/provenance.h"

namespace stiffit::internal {
namespace {

CommandSpec scan_spec() {
  CommandSpec s;
  s.name = "scan";
  s.arguments = "MODEL";
  s.summary = "a grid of simulations in one table";
  s.fewest = s.most = 1;
  s.options = option_specs(scan_fields());
  s.options.insert(s.options.end(), {csv_option(), provenance_option()});
  s.options = with_general_options(std::move(s.options));
  s.notes =
      "Columns: the varied names, time, then what the model shows. The last --vary moves fastest.\n"
      "A run that fails has nan in its missing rows, is named on stderr, and does not stop the\n"
      "others; the exit code is 3 then.";
  s.examples = {{"stiffit scan oregonator --vary f=0.5:2:31 --end 100 --points 200", "31 runs"},
                {"stiffit scan escep --vary k1=0.1:10:9:log --vary S=1:5:5 --show P",
                 "a grid of 45, product only"}};
  return s;
}

// The rows as they come, in the one form that was asked for or in both.
class ScanRows {
 public:
  ScanRows(std::vector<std::string> header, bool csv, bool json)
      : csv_wanted_(csv), json_wanted_(json) {
    csv_.header(header);
    json_.begin_object().member("columns", header).key("rows").begin_array();
  }
  void add(const std::vector<double>& row) {
    if (csv_wanted_) csv_.row(row.front(), std::span(row).subspan(1));
    if (!json_wanted_) return;
    json_.begin_array();
    for (double value : row) json_.value(value);
    json_.end_array();
  }
  const std::string& csv() const { return csv_.text(); }
  std::string json(std::size_t failures, const Provenance& provenance) {
    json_.end_array().member("failures", failures);
    write_provenance(json_, provenance);
    return json_.end_object().text();
  }

 private:
  bool csv_wanted_, json_wanted_;
  CsvWriter csv_;
  JsonWriter json_;
};

void add_rows(ScanRows& rows, std::vector<double> point, const std::vector<double>& times,
              const std::vector<double>& values) {
  const std::size_t varied = point.size(), columns = values.size() / times.size();
  for (std::size_t r = 0; r < times.size(); ++r) {
    point.resize(varied);
    point.push_back(times[r]);
    const auto row = values.begin() + static_cast<long>(r * columns);
    point.insert(point.end(), row, row + static_cast<long>(columns));
    rows.add(point);
  }
}

int run_scan_command(const Arguments& arguments, const Console& console) {
  api::ScanOptions asked;
  read_fields(scan_fields(), arguments, asked);
  check_options(asked);
  asked.run.interrupt = console.interrupt;
  ScanOptions options = scan_options(asked);
  const bool to_file = arguments.has("output"), json = arguments.has("json");
  require_writable_files(arguments);
  check_provenance_option(arguments);

  LoadedModel loaded = load_model(arguments.positional().front());
  console.messages << loaded.warnings;
  std::optional<ProgressBar> bar;
  options.progress = [&](double runs) { bar->at(runs); };
  const Scan scan(loaded.model, std::move(options));
  console.messages << scan.warnings();
  std::vector<std::string> header;
  for (const ScanAxis& axis : scan.axes()) header.push_back(axis.name);
  header.push_back("time");
  for (const std::string& name : scan.columns()) header.push_back(name);

  ScanRows rows(header, to_file || !json, json);
  bar.emplace(console.messages, console.messages_on_terminal, 0, static_cast<double>(scan.size()),
              "runs");
  const Scan::Outcome outcome = scan.simulate(
      [&](std::size_t index, const std::vector<double>& values, const std::string& failure) {
        add_rows(rows, scan.point(index), scan.times(), values);
        if (failure.empty() || failure == "interrupted") return;
        bar->clear();
        console.messages << "warning: the run with " << scan.place(index) << ": " << failure
                         << "\n";
      });
  bar->clear();
  if (to_file) deliver_table(arguments, run_provenance("scan", arguments), rows.csv());
  if (json)
    deliver(rows.json(outcome.failures, run_provenance("scan", arguments)), console);
  else if (!to_file)
    deliver(rows.csv(), console);
  if (outcome.interrupted)
    console.messages << "error: interrupted; what was not reached is nan or missing\n";
  return outcome.failures ? exit_numerics_failed : exit_done;
}

}  // namespace

Command scan_command() { return {scan_spec(), run_scan_command}; }

}  // namespace stiffit::internal
