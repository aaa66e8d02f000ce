// `stiffit scan`: a grid of simulations in one table.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "analysis/ensemble/ensemble.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/progress.h"
#include "report/provenance.h"
#include "workbench/commands.h"
#include "workbench/load_model.h"
#include "workbench/output_file.h"
#include "workbench/result_table.h"
#include "workbench/run_inputs.h"
#include "workbench/run_options.h"
#include "workbench/sampled_options.h"
#include "workbench/time_course.h"

namespace stiffit {
namespace {

constexpr double most_runs = 1e7;
constexpr std::size_t block = 512;

CommandSpec spec() {
  CommandSpec s;
  s.name = "scan";
  s.arguments = "MODEL";
  s.summary = "a grid of simulations in one table";
  s.fewest = s.most = 1;
  s.options = with_general_options({
      {"vary", "name=lo:hi:n[:log]", "n values from lo to hi; may be repeated (a grid)", 0, true},
      {"start", "T0", "time to start at (default: the model's, else 0)", 0, false},
      {"end", "T", "time to end at (default: the model's customary end, else 100)", 0, false},
      {"points", "N", "N + 1 rows for each run (default 1: start and end)", 0, false},
      {"method", "M",
       "an integrator of 'stiffit methods' (default " + std::string(default_method()) + ")", 0,
       false},
      {"rtol", "R", "relative tolerance (default 1e-6)", 0, false},
      {"atol", "A", "absolute tolerance (default: scaled for each species)", 0, false},
      max_step_option(),
      set_option(),
      assume_option(),
      {"show", "a,b,...", "columns: names, [S] concentration, amount(S), rate(J), S'", 0, false},
      {"output", "FILE", "write the CSV to FILE instead of stdout", 'o', false},
      provenance_option(),
  });
  s.notes =
      "Columns: the varied names, time, then what the model shows. The last --vary moves fastest.\n"
      "A run that fails has nan in its missing rows, is named on stderr, and does not stop the\n"
      "others; the exit code is 3 then.";
  s.examples = {{"stiffit scan oregonator --vary f=0.5:2:31 --end 100 --points 200", "31 runs"},
                {"stiffit scan escep --vary k1=0.1:10:9:log --vary S=1:5:5 --show P",
                 "a grid of 45, product only"}};
  return s;
}

struct Grid {
  std::vector<VaryOption> axes;
  std::size_t size() const {
    std::size_t count = 1;
    for (const VaryOption& axis : axes) count *= axis.values.size();
    return count;
  }
  std::vector<double> point(std::size_t index) const {
    std::vector<double> values(axes.size());
    for (std::size_t k = axes.size(); k-- > 0;) {
      values[k] = axes[k].values[index % axes[k].values.size()];
      index /= axes[k].values.size();
    }
    return values;
  }
};

std::string place_of(const Grid& grid, std::size_t index) {
  std::string text;
  const std::vector<double> values = grid.point(index);
  for (std::size_t k = 0; k < values.size(); ++k)
    text += (k ? ", " : "") + grid.axes[k].name + " = " + format_number(values[k]);
  return text;
}

Grid read_grid(const Arguments& arguments) {
  Grid grid{vary_options(arguments.all("vary"))};
  if (grid.axes.empty()) throw UsageError("scan needs at least one --vary name=lo:hi:n");
  double runs = 1;
  for (const VaryOption& axis : grid.axes) runs *= static_cast<double>(axis.values.size());
  if (runs > most_runs) throw UsageError("the grid has more than 10 million points");
  return grid;
}

// The rows as they come, in the one form that was asked for or in both.
class Rows {
 public:
  Rows(std::vector<std::string> header, bool csv, bool json)
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

std::vector<Request> requests_of(const Grid& grid, std::size_t first, const PreparedCourse& course,
                                 const std::vector<int>& moved) {
  std::vector<Request> requests(std::min(block, grid.size() - first), course.request);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].parameters = course.problem.program->parameter_values;
    const std::vector<double> values = grid.point(first + i);
    for (std::size_t k = 0; k < moved.size(); ++k)
      requests[i].parameters[static_cast<std::size_t>(moved[k])] = values[k];
  }
  return requests;
}

void add_rows(Rows& rows, std::vector<double> point, const PreparedCourse& course,
              const Trajectory& run) {
  const std::size_t varied = point.size(), columns = course.columns.size();
  for (std::size_t r = 0; r < course.request.times.size(); ++r) {
    point.resize(varied);
    point.push_back(course.request.times[r]);
    const auto values = run.outputs.begin() + static_cast<long>(r * columns);
    point.insert(point.end(), values, values + static_cast<long>(columns));
    rows.add(point);
  }
}

int run(const Arguments& arguments, const Console& console) {
  const Grid grid = read_grid(arguments);
  const TimeCourseOptions options = many_runs_options(arguments, console, 1);
  const int threads = threads_option(arguments);
  const bool to_file = arguments.has("output"), json = arguments.has("json");
  if (to_file) require_writable(arguments.text("output"));
  check_provenance_option(arguments);

  LoadedModel loaded = load_model(arguments.positional().front());
  console.messages << loaded.warnings;
  std::vector<std::string> header;
  for (const VaryOption& axis : grid.axes) header.push_back(axis.name);
  PreparedCourse course = prepare_course(loaded.model, options, header);
  console.messages << course.warnings;
  std::vector<int> moved;
  for (const std::string& name : header)
    moved.push_back(varied_parameter(course.resolved.system, *course.model, "vary", name));
  header.push_back("time");
  for (const Output& column : course.columns) header.push_back(column.name);

  Rows rows(header, to_file || !json, json);
  ProgressBar bar(console.messages, console.messages_on_terminal, 0,
                  static_cast<double>(grid.size()), "runs");
  std::size_t failures = 0;
  bool interrupted = false;
  for (std::size_t first = 0; first < grid.size() && !interrupted; first += block) {
    const std::vector<Request> requests = requests_of(grid, first, course, moved);
    std::vector<Trajectory> results;
    try {
      results = simulate_many(course.problem, requests, options.integration, threads);
    } catch (const Interrupted&) {  // before the first step of these
      interrupted = true;
      ++failures;
      break;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      add_rows(rows, grid.point(first + i), course, results[i]);
      const Outcome& outcome = results[i].outcome;
      if (outcome.status == Status::done) continue;
      ++failures;
      if (outcome.status == Status::interrupted) {
        interrupted = true;
        continue;
      }
      bar.clear();
      console.messages << "warning: the run with " << place_of(grid, first + i) << ": "
                       << describe(outcome, course.problem.program->state_names) << "\n";
    }
    bar.at(static_cast<double>(first + requests.size()));
  }
  bar.clear();
  if (to_file) deliver_table(arguments, run_provenance("scan", arguments), rows.csv());
  if (json)
    deliver(rows.json(failures, run_provenance("scan", arguments)), console);
  else if (!to_file)
    deliver(rows.csv(), console);
  if (interrupted)
    console.messages << "error: interrupted; what was not reached is nan or missing\n";
  return failures ? exit_numerics_failed : exit_done;
}

}  // namespace

Command scan_command() { return {spec(), run}; }

}  // namespace stiffit
