// `stiffit fit`: the unknowns of a problem, and how sure they are.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/problem_option.h"
#include "estimation/pipeline/fit_fields.h"
#include "report/fit_files.h"
#include "report/fit_summary.h"

namespace stiffit::internal {
namespace {

CommandSpec fit_spec() {
  CommandSpec s;
  s.name = "fit";
  s.arguments = "PROBLEM";
  s.summary = "estimates unknown parameters from data, with their uncertainty";
  s.fewest = s.most = 1;
  s.options = problem_options();
  for (OptionSpec& o : option_specs(search_fields())) s.options.push_back(std::move(o));
  s.options = with_general_options(std::move(s.options));
  for (OptionSpec& o : option_specs(fit_fields()))
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

int end_fit(const FitSummary& fit, const Console& console, bool kept) {
  if (fit.interrupted) {
    console.messages << "interrupted after " << fit.starts.size() << " of " << fit.starts_asked
                     << " starts" << (kept ? "; --resume goes on\n" : "\n");
    for (const std::string& message : fit.messages) console.messages << message << "\n";
    return exit_numerics_failed;
  }
  if (!fit.found()) {
    console.messages << "error: " << nothing_found(fit) << "\n";
    return exit_numerics_failed;
  }
  FitOutcome outcome = fit.best().fit.outcome;
  if (outcome != FitOutcome::converged)
    console.messages << "warning: the best descent did not converge: " << fit.best().fit.message
                     << "\n";
  return exit_done;
}

int run_fit_command(const Arguments& arguments, const Console& console) {
  api::FitOptions options;
  read_fields(fit_fields(), arguments, options);
  check_options(options);
  ConsoleRun shown(console);
  prepare_files(options, shown.context);
  FitProblem problem = load_problem(arguments, console);
  FitRun fit = run_fit(std::move(problem), options, inputs_of(arguments), shown.context);
  write_files(fit, options, shown.context);
  if (fit.is_worker) return exit_done;
  if (arguments.has("json"))
    deliver(fit_json(fit.summary), console);
  else if (!fit.directory)
    deliver(fit_text(fit.summary), console);
  return fit.searched ? end_fit(fit.summary, console, fit.directory != nullptr) : exit_done;
}

}  // namespace

Command fit_command() { return {fit_spec(), run_fit_command, true}; }

}  // namespace stiffit::internal
