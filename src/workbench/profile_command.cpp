// `stiffit profile`: profile likelihoods and their intervals.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <numeric>
#include <ostream>

#include "base/diagnostic.h"
#include "fit/evidence.h"
#include "report/progress.h"
#include "report/pypesto_hdf5.h"
#include "workbench/fit_options.h"
#include "workbench/linear_methods.h"
#include "workbench/load_problem.h"
#include "workbench/output_file.h"
#include "workbench/report_fit.h"

namespace stiffit {
namespace {

CommandSpec spec() {
  CommandSpec s;
  s.name = "profile";
  s.arguments = "PROBLEM";
  s.summary = "profile likelihoods of the unknowns, and their intervals";
  s.fewest = s.most = 1;
  s.options = fitting_options();
  s.options.insert(s.options.begin(),
                   {"parameters", "a,b,...", "only these (default: all unknowns)", 0, false});
  s.options.insert(s.options.begin() + 1,
                   {"points", "N", "at most so many on each side (default 60)", 0, false});
  s.notes =
      "The problem is fitted first, as 'stiffit fit' does; --start-from parameters.tsv makes that\n"
      "quick. Then each parameter is moved to both sides, the others fitted anew at every step, "
      "until\n"
      "the fit is worse at the 95 % level, a bound is reached, nothing changes, or the model "
      "cannot\n"
      "be integrated; which of these is said. DIR gets profile.json, intervals.tsv, profiles.tsv "
      "and\n"
      "profile.hdf5 and report.html.";
  s.examples = {
      {"stiffit profile problem.yaml --start-from out/parameters.tsv -o out", "all parameters"},
      {"stiffit profile problem.yaml --parameters k1,k2", "two of them, printed"},
  };
  return s;
}

std::vector<std::size_t> chosen(const Arguments& arguments, const std::vector<Unknown>& unknowns) {
  std::vector<std::size_t> found;
  if (!arguments.has("parameters")) {
    found.resize(unknowns.size());
    std::iota(found.begin(), found.end(), std::size_t{0});
    return found;
  }
  std::vector<std::string> names;
  for (const Unknown& u : unknowns) names.push_back(u.id);
  for (const std::string& name : arguments.list("parameters")) {
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      std::string nearest = nearest_name(name, names);
      throw UsageError("'" + name + "' is not an unknown of this problem",
                       nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    }
    auto index = static_cast<std::size_t>(at - names.begin());
    if (std::find(found.begin(), found.end(), index) == found.end()) found.push_back(index);
  }
  return found;
}

int run(const Arguments& arguments, const Console& console) {
  FittingOptions options = read_fitting_options(arguments, console);
  if (is_linear_method(options.request.method))
    throw UsageError("a profile needs a method that searches, not '" + options.request.method + "'",
                     "--start-from " + options.request.method + " starts one there");
  ProfileRequest profiles;
  profiles.options.max_points = static_cast<int>(std::min(arguments.count("points", 60), 100000L));
  FitProblem problem = load_problem(arguments, console);
  FitRequest& request = options.request;
  request.problem = profiles.problem =
      problem.id.empty() ? arguments.positional().front() : problem.id;
  FittingObjective both = fitting_objective(std::move(problem), options);
  const ProblemObjective& objective = *both.whole;
  profiles.unknowns = chosen(arguments, objective.unknowns());
  place_starts(options, objective, console);
  profiles.options.local = request.options.local;
  profiles.options.local.max_iterations = std::min(200, request.options.local.max_iterations);
  if (helps_others(console)) return serve_fit(options, both, console);
  std::unique_ptr<RunFolder> folder;
  RunSettings settings = fitting_settings(options, arguments);
  settings["parameters"] = arguments.text("parameters", "all");
  settings["points"] = std::to_string(profiles.options.max_points);
  if (arguments.has("output"))
    folder = std::make_unique<RunFolder>(arguments.text("output"), "profile", settings,
                                         arguments.has("resume"));
  request.folder = profiles.folder = folder.get();
  request.crew = crew_of(options, console);
  profiles.crew = console.crew;
  join_method(options, both);
  FitSummary fit = run_fit(objective, request);
  fit.provenance = settings;
  if (!fit.found() || fit.interrupted) {
    console.messages << (fit.interrupted
                             ? "interrupted before the fit was done\n"
                             : "error: the model could not be evaluated at any start\n  " +
                                   fit.starts.front().fit.message + "\n");
    return exit_numerics_failed;
  }
  if (fit.best().fit.outcome != FitOutcome::converged)
    console.messages << "warning: the fit did not converge: " << fit.best().fit.message << "\n";

  profiles.threads = request.options.threads;
  ProgressBar bar(console.messages, console.messages_on_terminal, 0,
                  static_cast<double>(2 * profiles.unknowns.size()), "sides");
  profiles.progress = [&](std::size_t done) { bar.at(static_cast<double>(done)); };
  ProfileSummary summary = run_profile(objective, fit.best().fit, profiles);
  bar.clear();
  summary.provenance = settings;
  FitStatistics statistics = fit_statistics(objective, summary.best);
  judge_by_evidence(statistics, evidence_of(summary.profiles, summary.unknowns, summary.best));
  if (!summary.interrupted) summary.words = plain_words(statistics);
  if (folder) {
    write_file(folder->file("intervals.tsv"), intervals_tsv(summary));
    write_file(folder->file("profiles.tsv"), profiles_tsv(summary));
    write_pypesto_hdf5(folder->file("profile.hdf5"), &fit, &summary);
    write_file(folder->file("profile.json"), profile_json(summary));
  }
  FitReport report{fit, objective, options.objective};
  report.profile = &summary;
  write_fit_page(report, arguments, folder.get());
  if (arguments.has("json"))
    deliver(profile_json(summary), console);
  else if (!folder)
    deliver(profile_text(summary), console);
  if (!summary.interrupted) return exit_done;
  console.messages << "interrupted" << (folder ? "; --resume goes on\n" : "\n");
  return exit_numerics_failed;
}

}  // namespace

Command profile_command() { return {spec(), run, true}; }

}  // namespace stiffit
