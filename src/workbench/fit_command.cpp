// `stiffit fit`: the unknowns of a problem, and how sure they are.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "cli/problem_option.h"
#include "workbench/linear_methods.h"
#include "workbench/whole_fit.h"

namespace stiffit {
namespace {

CommandSpec spec() {
  CommandSpec s;
  s.name = "fit";
  s.arguments = "PROBLEM";
  s.summary = "estimates unknown parameters from data, with their uncertainty";
  s.fewest = s.most = 1;
  s.options = fitting_options();
  s.options.push_back(
      {"advice", "yes|no", "which measurement would help most (default yes)", 0, false});
  s.options.push_back({"profiles", "yes|no|auto",
                       "profiles of all unknowns, of none, or of those in doubt (default auto)", 0,
                       false});
  s.options.push_back({"progress", "FILE",
                       "a JSON document for programs that watch the run: the best point so far", 0,
                       false});
  for (OptionSpec& option : linear_options()) s.options.push_back(std::move(option));
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

int end(const FitSummary& fit, const Console& console, bool kept) {
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

int run(const Arguments& arguments, const Console& console) {
  FitWishes wishes = read_fit_wishes(arguments, console);
  FitProblem problem = load_problem(arguments, console);
  const bool linear = is_linear_method(wishes.options.request.method) &&
                      wishes.options.request.method != "combined";
  const WholeFit whole = run_whole_fit(std::move(problem), std::move(wishes), arguments, console);
  if (whole.helped) return exit_done;
  if (arguments.has("json"))
    deliver(fit_json(whole.summary), console);
  else if (!whole.kept)
    deliver(fit_text(whole.summary), console);
  return linear ? exit_done : end(whole.summary, console, whole.kept);
}

}  // namespace

Command fit_command() { return {spec(), run, true}; }

}  // namespace stiffit
