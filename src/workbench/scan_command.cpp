// `stiffit scan`: a grid of simulations in one table.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <thread>

#include "base/number.h"
#include "ensemble/ensemble.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/progress.h"
#include "workbench/commands.h"
#include "workbench/load_model.h"
#include "workbench/output_file.h"
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
      {"method", "M", "an integrator of 'stiffit methods' (default automatic)", 0, false},
      {"rtol", "R", "relative tolerance (default 1e-6)", 0, false},
      {"atol", "A", "absolute tolerance (default: scaled for each species)", 0, false},
      {"set", "name=value", "a parameter, compartment or initial value; may be repeated", 0, true},
      {"show", "a,b,...", "columns: names, [S] concentration, amount(S), rate(J), S'", 0, false},
      {"output", "FILE", "write the CSV to FILE instead of stdout", 'o', false},
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

int run(const Arguments& arguments, const Console& console) {
  Grid grid{vary_options(arguments.all("vary"))};
  if (grid.axes.empty()) throw UsageError("scan needs at least one --vary name=lo:hi:n");
  double runs = 1;
  for (const VaryOption& axis : grid.axes) runs *= static_cast<double>(axis.values.size());
  if (runs > most_runs) throw UsageError("the grid has more than 10 million points");

  TimeCourseOptions options;
  options.start = arguments.number("start", not_set);
  options.end = arguments.number("end", not_set);
  options.points = arguments.count("points", 1);
  options.set = arguments.all("set");
  options.show = arguments.list("show");
  options.integration.method = arguments.text("method", "automatic");
  if (!is_method(options.integration.method))
    throw UsageError("unknown method '" + options.integration.method + "'",
                     "'stiffit methods' lists them");
  options.integration.rtol = arguments.positive("rtol", options.integration.rtol);
  options.integration.atol = arguments.positive("atol", options.integration.atol);
  options.integration.interrupt = console.interrupt;
  options.lanes = 0;
  const int threads = static_cast<int>(arguments.count(
      "threads", std::max(1L, static_cast<long>(std::thread::hardware_concurrency()))));
  const std::string file = arguments.text("output");
  if (arguments.has("output")) require_writable(file);

  LoadedModel loaded = load_model(arguments.positional().front());
  console.messages << loaded.warnings;
  std::vector<std::string> names;
  for (const VaryOption& axis : grid.axes) names.push_back(axis.name);
  PreparedCourse course = prepare_course(loaded.model, options, names);
  std::vector<int> moved;
  for (const std::string& name : names)
    moved.push_back(varied_parameter(course.resolved.system, *course.model, "vary", name));

  std::vector<std::string> header = names;
  header.push_back("time");
  for (const Output& column : course.columns) header.push_back(column.name);
  CsvWriter csv;
  csv.header(header);
  JsonWriter json;
  json.begin_object().member("columns", header).key("rows").begin_array();
  const bool wants_json = arguments.has("json");
  ProgressBar bar(console.messages, console.messages_on_terminal, 0, runs);
  std::size_t failures = 0;
  const std::size_t m = course.columns.size();
  for (std::size_t first = 0; first < grid.size(); first += block) {
    std::vector<Request> requests(std::min(block, grid.size() - first), course.request);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].parameters = course.problem.program->parameter_values;
      const std::vector<double> values = grid.point(first + i);
      for (std::size_t k = 0; k < moved.size(); ++k)
        requests[i].parameters[static_cast<std::size_t>(moved[k])] = values[k];
    }
    const std::vector<Trajectory> results =
        simulate_many(course.problem, requests, options.integration, threads);
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::vector<double> row = grid.point(first + i);
      for (std::size_t r = 0; r < course.request.times.size(); ++r) {
        row.resize(names.size());
        row.push_back(course.request.times[r]);
        row.insert(row.end(), results[i].outputs.begin() + static_cast<long>(r * m),
                   results[i].outputs.begin() + static_cast<long>((r + 1) * m));
        if (!wants_json || arguments.has("output")) csv.row(row.front(), std::span(row).subspan(1));
        if (wants_json) {
          json.begin_array();
          for (double value : row) json.value(value);
          json.end_array();
        }
      }
      if (results[i].outcome.status == Status::done) continue;
      ++failures;
      bar.clear();
      console.messages << "warning: the run with " << place_of(grid, first + i) << ": "
                       << describe(results[i].outcome, course.problem.program->state_names) << "\n";
      if (results[i].outcome.status == Status::interrupted) return exit_numerics_failed;
    }
    bar.at(static_cast<double>(first + requests.size()));
  }
  bar.clear();
  if (arguments.has("output")) write_file(file, csv.text());
  if (wants_json)
    deliver(json.end_array().member("failures", failures).end_object().text(), console);
  else if (!arguments.has("output"))
    deliver(csv.text(), console);
  return failures ? exit_numerics_failed : exit_done;
}

}  // namespace

Command scan_command() { return {spec(), run}; }

}  // namespace stiffit
