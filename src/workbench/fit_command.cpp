// `stiffit fit`: the unknowns of a problem, and how sure they are.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>

#include "base/number.h"
#include "report/progress.h"
#include "report/pypesto_hdf5.h"
#include "workbench/fit_evidence.h"
#include "workbench/fit_options.h"
#include "workbench/fit_progress.h"
#include "workbench/linear_fit_run.h"
#include "workbench/linear_methods.h"
#include "workbench/load_problem.h"
#include "workbench/next_measurement.h"
#include "workbench/output_file.h"
#include "workbench/report_fit.h"
#include "workbench/simulation_table.h"

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
      {"stiffit fit enzyme.ant --data curve.csv --estimate k1,k2 --method integral",
       "rates along the data, without a search"},
  };
  return s;
}

using Clock = std::chrono::steady_clock;

// Of all populations so far, for the bar and for a run that is interrupted.
struct BestIndividual {
  long generations = 0;
  double value = std::numeric_limits<double>::infinity();
  std::string words;

  void note(double found, std::span<const double> x, const std::vector<Unknown>& unknowns) {
    ++generations;
    if (!(found < value)) return;
    value = found;
    words = "the best individual so far: objective " + format_short(value, 8) + " at";
    for (std::size_t i = 0; i < x.size(); ++i)
      words += (i == 0 ? " " : ", ") + unknowns[i].id + " = " +
               format_short(from_theta(x[i], unknowns[i].scale), 6);
  }
};

void write_folder(const RunFolder& folder, const FitSummary& fit, const ProblemObjective& objective,
                  double seconds, const Console& console) {
  write_file(folder.file("starts.tsv"), starts_tsv(fit));
  if (fit.found()) {
    write_file(folder.file("parameters.tsv"), parameters_tsv(fit.statistics));
    std::string failure;
    std::vector<Prediction> predictions = objective.predict(fit.best().fit.x, failure);
    if (failure.empty())
      write_file(folder.file("simulations.tsv"),
                 simulation_table(objective.problem(), predictions));
    else
      console.messages << "warning: no simulations.tsv: " << failure << "\n";
  }
  write_pypesto_hdf5(folder.file("result.hdf5"), &fit, nullptr);
  write_file(folder.file("timings.json"), timings_json(fit, seconds));
  write_file(folder.file("result.json"), fit_json(fit));
}

int end(const FitSummary& fit, const Console& console, bool kept) {
  if (fit.interrupted) {
    console.messages << "interrupted after " << fit.starts.size() << " of " << fit.starts_asked
                     << " starts" << (kept ? "; --resume goes on\n" : "\n");
    for (const std::string& message : fit.messages) console.messages << message << "\n";
    return exit_numerics_failed;
  }
  if (!fit.found()) {
    console.messages << "error: the model could not be evaluated at any start";
    if (!fit.starts.empty()) console.messages << "\n  " << fit.starts.front().fit.message;
    console.messages << "\n";
    return exit_numerics_failed;
  }
  FitOutcome outcome = fit.best().fit.outcome;
  if (outcome != FitOutcome::converged)
    console.messages << "warning: the best descent did not converge: " << fit.best().fit.message
                     << "\n";
  return exit_done;
}

void deliver_fit(const FitSummary& fit, const Arguments& arguments, bool kept,
                 const Console& console) {
  if (arguments.has("json"))
    deliver(fit_json(fit), console);
  else if (!kept)
    deliver(fit_text(fit), console);
}

ProfileWish profile_wish(const Arguments& arguments) {
  const std::string wish = arguments.text("profiles", "auto");
  if (wish == "yes") return ProfileWish::yes;
  if (wish == "no") return ProfileWish::no;
  if (wish == "auto") return ProfileWish::automatic;
  throw UsageError("--profiles is yes, no or auto, not '" + wish + "'");
}

std::unique_ptr<RunFolder> run_folder(const RunSettings& settings, const Arguments& arguments) {
  if (!arguments.has("output")) return nullptr;
  return std::make_unique<RunFolder>(arguments.text("output"), "fit", settings,
                                     arguments.has("resume"));
}

// integral, derivative, rational: nothing is searched for.
int run_linear(const FitProblem& problem, const FittingOptions& options,
               const LinearFitOptions& along, const Arguments& arguments, const Console& console) {
  auto began = Clock::now();
  LinearRun run = run_linear_fit(problem, options.request.problem, along, options.objective);
  if (arguments.has("progress") && run.summary.found())
    FitProgress(arguments.text("progress"), *run.objective, options.objective, 1)
        .finished(run.summary.best());
  run.summary.provenance = fitting_settings(options, arguments);
  std::unique_ptr<RunFolder> folder = run_folder(run.summary.provenance, arguments);
  if (folder) {
    double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    write_folder(*folder, run.summary, *run.objective, seconds, console);
    if (!run.trajectory_tsv.empty()) write_file(folder->file("trajectory.tsv"), run.trajectory_tsv);
  }
  write_fit_page({run.summary, *run.objective, options.objective}, arguments, folder.get());
  deliver_fit(run.summary, arguments, folder != nullptr, console);
  return exit_done;
}

int run(const Arguments& arguments, const Console& console) {
  FittingOptions options = read_fitting_options(arguments, console);
  auto began = Clock::now();
  const bool combined = options.request.method == "combined";
  const bool linear = is_linear_method(options.request.method) && !combined;
  const LinearFitOptions along = read_linear_options(arguments, options.request.method);
  const ProfileWish wish = profile_wish(arguments);
  FitProblem problem = load_problem(arguments, console);
  options.request.problem = problem.id.empty() ? arguments.positional().front() : problem.id;
  if (linear && helps_others(console)) return exit_done;
  if (linear) return run_linear(problem, options, along, arguments, console);
  if (combined) {
    options.request.method = "trust-region";
    options.start_from = "combined";
  }
  FittingObjective both = fitting_objective(std::move(problem), options);
  const ProblemObjective& objective = *both.whole;
  place_starts(options, objective, console);
  FitRequest& request = options.request;
  if (helps_others(console)) return serve_fit(options, both, console);
  const RunSettings settings = fitting_settings(options, arguments);
  std::unique_ptr<RunFolder> folder = run_folder(settings, arguments);
  request.folder = folder.get();
  request.crew = crew_of(options, console);
  BestIndividual individual;
  std::optional<ProgressBar> bar;
  options.population.watch = [&](double value, std::span<const double> best,
                                 const std::vector<Unknown>& unknowns) {
    individual.note(value, best, unknowns);
    if (bar) bar->at(static_cast<double>(individual.generations));
  };
  join_method(options, both);
  const bool population = is_population_method(request.method);
  const auto starts = static_cast<double>(request.options.starts);
  bar.emplace(
      console.messages, console.messages_on_terminal, 0,
      starts * (population ? static_cast<double>(most_generations(options.population.options)) : 1),
      population ? "generations" : "starts");
  if (!population) request.progress = [&](std::size_t done) { bar->at(static_cast<double>(done)); };
  std::unique_ptr<FitProgress> watched;
  if (arguments.has("progress")) {
    watched = std::make_unique<FitProgress>(
        arguments.text("progress"), objective, options.objective,
        std::max(request.options.starts, request.options.given.size()));
    request.finished = [&](const StartResult& start) { watched->finished(start); };
    request.options.local.on_step = [&](std::span<const double> theta, double value) {
      watched->step(theta, value);
    };
  }
  FitSummary fit = run_fit(objective, request);
  bar->clear();
  if (fit.interrupted && individual.generations > 0) fit.messages.push_back(individual.words);
  fit.provenance = settings;
  judge_further(fit, objective, request, wish);
  if (fit.found() && !fit.interrupted && arguments.text("advice", "yes") == "yes")
    fit.next = next_measurements(objective, fit, options.objective);
  if (combined) {
    fit.method = "combined";
    add_side_by_side(fit, objective.problem(), along);
  }
  double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  if (folder) write_folder(*folder, fit, objective, seconds, console);
  if (folder && both.paths && fit.found())
    if (const std::string path = both.paths->table(fit.best().fit.start, fit.unknowns);
        !path.empty())
      write_file(folder->file("path.tsv"), path);
  write_fit_page({fit, objective, options.objective}, arguments, folder.get());
  deliver_fit(fit, arguments, folder != nullptr, console);
  return end(fit, console, folder != nullptr);
}

}  // namespace

Command fit_command() { return {spec(), run, true}; }

}  // namespace stiffit
