// `stiffit scan`: a grid of simulations in one table.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <span>

#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "cli/table_option.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/provenance.h"
#include "stiffit/model.h"

namespace stiffit::internal {
namespace {

CommandSpec scan_spec() {
  CommandSpec s;
  s.name = "scan";
  s.arguments = "MODEL";
  s.summary = "a grid of simulations in one table";
  s.fewest = s.most = 1;
  s.options = option_specs<api::ScanOptions>();
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

// The rows, in the one form that was asked for or in both.
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

void add_rows(ScanRows& rows, const api::Scan& scan) {
  const std::size_t columns = scan.columns.size();
  auto value = scan.values.begin();
  for (std::size_t run = 0; run < scan.reached; ++run) {
    std::vector<double> row = scan.point(run);
    const std::size_t varied = row.size();
    for (double time : scan.times) {
      row.resize(varied);
      row.push_back(time);
      row.insert(row.end(), value, value + static_cast<long>(columns));
      value += static_cast<long>(columns);
      rows.add(row);
    }
  }
}

int run_scan_command(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::ScanOptions>(arguments);
  const bool to_file = arguments.has("output"), json = arguments.has("json");
  require_writable_files(arguments);
  check_provenance_option(arguments);

  const api::Model model = api::Model::load(arguments.positional().front(), reading(console));
  console.messages << model.warnings();
  ConsoleRun shown(console, options.run);
  const api::Scan scan = model.scan(options);
  shown.clear();
  if (scan.interrupted && scan.axes.empty()) throw api::Interrupted();
  console.messages << scan.warnings;
  for (const api::Scan::Failure& failure : scan.failures)
    if (failure.reason != "interrupted")
      console.messages << "warning: the run with " << scan.place(failure.run) << ": "
                       << failure.reason << "\n";
  std::vector<std::string> header;
  for (const api::ScanAxis& axis : scan.axes) header.push_back(axis.name);
  header.push_back("time");
  header.insert(header.end(), scan.columns.begin(), scan.columns.end());
  ScanRows rows(header, to_file || !json, json);
  add_rows(rows, scan);
  if (to_file) deliver_table(arguments, run_provenance("scan", arguments), rows.csv());
  if (json)
    deliver(rows.json(scan.failures.size(), run_provenance("scan", arguments)), console);
  else if (!to_file)
    deliver(rows.csv(), console);
  if (scan.interrupted)
    console.messages << "error: interrupted; what was not reached is nan or missing\n";
  return scan.failures.empty() ? exit_done : exit_numerics_failed;
}

}  // namespace

Command scan_command() { return {scan_spec(), run_scan_command}; }

}  // namespace stiffit::internal
