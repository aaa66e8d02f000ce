// `stiffit fit`: the unknowns of a problem, and how sure they are.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "base/files/output_file.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/problem_option.h"

namespace stiffit::internal {
namespace {

CommandSpec fit_spec() {
  CommandSpec s;
  s.name = "fit";
  s.arguments = "PROBLEM";
  s.summary = "estimates unknown parameters from data, with their uncertainty";
  s.fewest = s.most = 1;
  s.options = problem_options();
  for (OptionSpec& o : search_options()) s.options.push_back(std::move(o));
  s.options = with_general_options(std::move(s.options));
  for (OptionSpec& o : option_specs<api::FitOptions>())
    if (!has_option(s, o.name)) s.options.push_back(std::move(o));
  s.notes =
      "PROBLEM is a PEtab YAML file, or a model with --data and --estimate. Without -o the table "
      "of\n"
      "parameters is printed; with it DIR gets result.json, parameters.tsv, starts.tsv,\n"
      "simulations.tsv, report.html, result.hdf5 (as pyPESTO reads it) and the state that "
      "--resume\n"
      "goes on from.\n"
      "The same seed gives the same answer for any number of threads.";
  s.examples = {
      {"stiffit fit problem.yaml --starts 50 -o out", "a PEtab problem from 50 starts"},
      {"stiffit fit problem.yaml --starts 50 -o out --resume", "goes on after a stop"},
      {"stiffit fit escep --data curve.csv --estimate k1=1,k2=0.1", "a model and a table"},
      {"stiffit fit problem.yaml --start-from out/parameters.tsv", "from a former result"},
      {"stiffit fit problem.yaml --report fit.html", "a page with pictures and numbers"},
      {"stiffit fit enzyme.rxn --data curve.csv --estimate k1,k2 --method integral",
       "rates along the data, without a search"},
  };
  return s;
}

int end_fit(const api::Fit& fit, const Console& console, bool kept,
            const std::vector<std::string>& untold) {
  if (fit.status == "interrupted") {
    console.messages << "interrupted after " << fit.starts.size() << " of " << fit.starts_asked
                     << " starts" << (kept ? "; --resume goes on\n" : "\n");
    for (const std::string& message : untold) console.messages << message << "\n";
    return exit_numerics_failed;
  }
  if (!fit.found()) {
    console.messages << "error: " << fit.message << "\n";
    return exit_numerics_failed;
  }
  if (fit.outcome != "converged")
    console.messages << "warning: the best descent did not converge: " << fit.message << "\n";
  return exit_done;
}

int run_fit_command(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::FitOptions>(arguments);
  ConsoleRun shown(console, options.run);
  if (!options.report.empty()) require_writable(options.report);
  const api::Problem problem = load_problem(arguments, console);
  const api::Fit fit = problem.fit(options);
  shown.clear();
  if (fit.worker) return exit_done;
  if (fit.json.empty()) throw api::Interrupted();  // before there was anything to keep
  const bool kept = !options.output.empty();
  if (arguments.has("json"))
    deliver(fit.json, console);
  else if (!kept)
    deliver(fit.text, console);
  return fit.searched ? end_fit(fit, console, kept, shown.untold(fit.messages)) : exit_done;
}

}  // namespace

Command fit_command() { return {fit_spec(), run_fit_command, true}; }

}  // namespace stiffit::internal
