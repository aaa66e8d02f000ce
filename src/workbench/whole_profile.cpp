// SPDX-License-Identifier: Apache-2.0
#include "workbench/whole_profile.h"

#include <algorithm>
#include <numeric>
#include <ostream>

#include "base/diagnostic.h"
#include "base/files/output_file.h"
#include "estimation/uncertainty/evidence.h"
#include "report/progress.h"
#include "report/pypesto_hdf5.h"
#include "report/tables/result_table.h"
#include "workbench/linear_methods.h"
#include "workbench/report_fit.h"

namespace stiffit {
namespace {

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

}  // namespace

ProfileWishes read_profile_wishes(const Arguments& arguments, const Console& console) {
  ProfileWishes wishes;
  wishes.options = read_fitting_options(arguments, console);
  const std::string& method = wishes.options.request.method;
  if (is_linear_method(method))
    throw UsageError("a profile needs a method that searches, not '" + method + "'",
                     "--start-from " + method + " starts one there");
  wishes.most_points = static_cast<int>(std::min(arguments.count("points", 60), 100000L));
  return wishes;
}

WholeProfile run_whole_profile(FitProblem problem, ProfileWishes wishes, const Arguments& arguments,
                               const Console& console) {
  FittingOptions& options = wishes.options;
  ProfileRequest profiles;
  profiles.options.max_points = wishes.most_points;
  FitRequest& request = options.request;
  request.problem = profiles.problem = problem_name(problem, arguments);
  FittingObjective both = fitting_objective(std::move(problem), options);
  const ProblemObjective& objective = *both.whole;
  profiles.unknowns = chosen(arguments, objective.unknowns());
  place_starts(options, objective, console);
  profiles.options.local = request.options.local;
  profiles.options.local.max_iterations = std::min(200, request.options.local.max_iterations);
  WholeProfile whole;
  whole.helped = helps_others(console);
  if (whole.helped) {
    serve_fit(options, both, console);
    return whole;
  }
  RunSettings settings = fitting_settings(options, arguments);
  settings["parameters"] = arguments.text("parameters", "all");
  settings["points"] = std::to_string(profiles.options.max_points);
  for (auto& [name, hash] : wishes.inputs) settings[name] = hash;
  std::unique_ptr<RunFolder> folder = run_folder("profile", settings, arguments, console);
  whole.kept = folder != nullptr;
  request.folder = profiles.folder = folder.get();
  request.crew = crew_of(options, console);
  profiles.crew = console.crew;
  join_method(options, both);
  FitSummary& fit = whole.fit;
  fit = run_fit(objective, request);
  fit.provenance = settings;
  if (!whole.fitted()) return whole;
  if (fit.best().fit.outcome != FitOutcome::converged)
    console.messages << "warning: the fit did not converge: " << fit.best().fit.message << "\n";

  profiles.threads = request.options.threads;
  ProgressBar bar(console.messages, console.messages_on_terminal, 0,
                  static_cast<double>(2 * profiles.unknowns.size()), "sides", console.progress);
  profiles.progress = [&](std::size_t done) { bar.at(static_cast<double>(done)); };
  ProfileSummary& summary = whole.summary;
  summary = run_profile(objective, fit.best().fit, profiles);
  bar.clear();
  summary.provenance = settings;
  FitStatistics statistics = fit_statistics(objective, summary.best);
  judge_by_evidence(statistics, evidence_of(summary.profiles, summary.unknowns, summary.best));
  if (!summary.interrupted) summary.words = plain_words(statistics);
  if (folder) {
    write_table(*folder, "intervals.tsv", intervals_tsv(summary), summary.provenance);
    write_table(*folder, "profiles.tsv", profiles_tsv(summary), summary.provenance);
    write_pypesto_hdf5(folder->file("profile.hdf5"), &fit, &summary);
    write_file(folder->file("profile.json"), profile_json(summary));
  }
  FitReport report{fit, objective, options.objective};
  report.profile = &summary;
  write_fit_page(report, arguments, folder.get());
  return whole;
}

}  // namespace stiffit
