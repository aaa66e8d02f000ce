// SPDX-License-Identifier: Apache-2.0
#include "workbench/whole_fit.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <ostream>

#include "base/files/output_file.h"
#include "base/number.h"
#include "report/progress.h"
#include "report/pypesto_hdf5.h"
#include "report/tables/result_table.h"
#include "report/tables/simulation_table.h"
#include "workbench/fit_progress.h"
#include "workbench/linear_fit_run.h"
#include "workbench/linear_methods.h"
#include "workbench/next_measurement.h"
#include "workbench/report_fit.h"

namespace stiffit {
namespace {

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

// `name` and `table`: of one that not every method has; empty: none.
void write_folder(const RunFolder& folder, FitSummary& fit, const ProblemObjective& objective,
                  double seconds, const Console& console, const std::string& name,
                  const std::string& table) {
  write_table(folder, "starts.tsv", starts_tsv(fit), fit.provenance);
  if (fit.found()) {
    write_table(folder, "parameters.tsv", parameters_tsv(fit.statistics), fit.provenance);
    std::string failure;
    std::vector<Prediction> predictions = objective.predict(fit.best().fit.x, failure);
    if (failure.empty())
      write_table(folder, "simulations.tsv", simulation_table(objective.problem(), predictions),
                  fit.provenance);
    else
      console.messages << "warning: no simulations.tsv: " << failure << "\n";
  }
  if (!table.empty()) write_table(folder, name, table, fit.provenance);
  write_pypesto_hdf5(folder.file("result.hdf5"), &fit, nullptr);
  write_file(folder.file("timings.json"), timings_json(fit, seconds));
  write_file(folder.file("result.json"), fit_json(fit));
}

ProfileWish profile_wish(const Arguments& arguments) {
  const std::string wish = arguments.text("profiles", "auto");
  if (wish == "yes") return ProfileWish::yes;
  if (wish == "no") return ProfileWish::no;
  if (wish == "auto") return ProfileWish::automatic;
  throw UsageError("--profiles is yes, no or auto, not '" + wish + "'");
}

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// The settings of the run; what is known of its inputs counts more than the files as they are now.
RunSettings settings_of(const FitWishes& wishes, const Arguments& arguments) {
  RunSettings settings = fitting_settings(wishes.options, arguments);
  for (auto& [name, hash] : wishes.inputs) settings[name] = hash;
  return settings;
}

// integral, derivative, rational: nothing is searched for.
WholeFit run_linear(const FitProblem& problem, const FitWishes& wishes, const Arguments& arguments,
                    const Console& console) {
  const FittingOptions& options = wishes.options;
  const auto began = Clock::now();
  LinearRun run = run_linear_fit(problem, options.request.problem, wishes.along, options.objective);
  if (arguments.has("progress") && run.summary.found())
    FitProgress(arguments.text("progress"), *run.objective, options.objective, 1)
        .finished(run.summary.best());
  run.summary.provenance = settings_of(wishes, arguments);
  std::unique_ptr<RunFolder> folder = run_folder("fit", run.summary.provenance, arguments, console);
  if (folder)
    write_folder(*folder, run.summary, *run.objective, seconds_since(began), console,
                 "trajectory.tsv", run.trajectory_tsv);
  write_fit_page({run.summary, *run.objective, options.objective}, arguments, folder.get());
  return {std::move(run.summary), run.objective, folder != nullptr};
}

}  // namespace

FitWishes read_fit_wishes(const Arguments& arguments, const Console& console) {
  FitWishes wishes;
  wishes.options = read_fitting_options(arguments, console);
  wishes.along = read_linear_options(arguments, wishes.options.request.method);
  wishes.profiles = profile_wish(arguments);
  wishes.advice = arguments.text("advice", "yes") == "yes";
  return wishes;
}

std::string problem_name(const FitProblem& problem, const Arguments& arguments) {
  return problem.id.empty() ? arguments.positional().front() : problem.id;
}

std::unique_ptr<RunFolder> run_folder(const char* kind, const RunSettings& settings,
                                      const Arguments& arguments, const Console& console) {
  if (!arguments.has("output")) return nullptr;
  auto folder = std::make_unique<RunFolder>(arguments.text("output"), kind, settings,
                                            arguments.has("resume"));
  console.messages << folder->warning();
  return folder;
}

std::string nothing_found(const FitSummary& fit) {
  std::string words = "the model could not be evaluated at any start";
  if (!fit.starts.empty()) words += "\n  " + fit.starts.front().fit.message;
  return words;
}

std::string unfitted(const FitSummary& fit) {
  return fit.interrupted ? "interrupted before the fit was done" : "error: " + nothing_found(fit);
}

WholeFit run_whole_fit(FitProblem problem, FitWishes wishes, const Arguments& arguments,
                       const Console& console) {
  FittingOptions& options = wishes.options;
  auto began = Clock::now();
  const bool combined = options.request.method == "combined";
  const bool linear = is_linear_method(options.request.method) && !combined;
  options.request.problem = problem_name(problem, arguments);
  WholeFit whole;
  whole.helped = helps_others(console);
  if (linear && whole.helped) return whole;
  if (linear) return run_linear(problem, wishes, arguments, console);
  if (combined) {
    options.request.method = "trust-region";
    options.start_from = "combined";
  }
  FittingObjective both = fitting_objective(std::move(problem), options);
  const ProblemObjective& objective = *both.whole;
  place_starts(options, objective, console);
  FitRequest& request = options.request;
  if (whole.helped) {
    serve_fit(options, both, console);
    return whole;
  }
  const RunSettings settings = settings_of(wishes, arguments);
  std::unique_ptr<RunFolder> folder = run_folder("fit", settings, arguments, console);
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
      population ? "generations" : "starts", console.progress);
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
  FitSummary& fit = whole.summary;
  fit = run_fit(objective, request);
  bar->clear();
  if (fit.interrupted && individual.generations > 0) fit.messages.push_back(individual.words);
  fit.provenance = settings;
  judge_further(fit, objective, request, wishes.profiles);
  if (fit.found() && !fit.interrupted && wishes.advice)
    fit.next = next_measurements(objective, fit, options.objective);
  if (combined) {
    fit.method = "combined";
    add_side_by_side(fit, objective.problem(), wishes.along);
  }
  if (folder) {
    std::string path;
    if (both.paths && fit.found()) path = both.paths->table(fit.best().fit.start, fit.unknowns);
    write_folder(*folder, fit, objective, seconds_since(began), console, "path.tsv", path);
  }
  write_fit_page({fit, objective, options.objective}, arguments, folder.get());
  whole.objective = both.whole;
  whole.kept = folder != nullptr;
  return whole;
}

}  // namespace stiffit
