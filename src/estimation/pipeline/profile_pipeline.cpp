// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/profile_pipeline.h"

#include <algorithm>
#include <numeric>

#include "base/diagnostic.h"
#include "estimation/pipeline/claims/combinations.h"
#include "estimation/pipeline/claims/derived_quantities.h"
#include "estimation/pipeline/fit_fields.h"
#include "estimation/uncertainty/confidence_interval.h"
#include "estimation/uncertainty/plain_words.h"

namespace stiffit::internal {
namespace {

std::vector<std::size_t> chosen(const std::vector<std::string>& wanted,
                                const std::vector<EstimatedParameter>& unknowns) {
  std::vector<std::size_t> found;
  if (wanted.empty()) {
    found.resize(unknowns.size());
    std::iota(found.begin(), found.end(), std::size_t{0});
    return found;
  }
  std::vector<std::string> names;
  for (const EstimatedParameter& u : unknowns) names.push_back(u.id);
  for (const std::string& name : wanted) {
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      std::string nearest = nearest_name(name, names);
      throw OptionError("'" + name + "' is not an estimated parameter of this problem",
                        nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    }
    std::size_t index = at - names.begin();
    if (std::find(found.begin(), found.end(), index) == found.end()) found.push_back(index);
  }
  return found;
}

RunSettings settings_of(const FitPipeline& pipeline, const api::ProfileOptions& options) {
  RunSettings settings = pipeline.settings();
  std::string names;
  for (const std::string& name : options.parameters) names += (names.empty() ? "" : ",") + name;
  settings["parameters"] = names.empty() ? "all" : names;
  settings["points"] = std::to_string(std::min(options.points, 100000));
  return settings;
}

}  // namespace

ProfileRun run_profile(FitProblem problem, const api::ProfileOptions& options,
                       const RunInputs& inputs, const RunContext& context) {
  check_options(options);
  ProfileRun run;
  FitPipeline pipeline(std::move(problem), options.fit, inputs, context);
  ProfileRequest profiles;
  profiles.unknowns = chosen(options.parameters, pipeline.objective()->unknowns());
  const std::vector<Quantity> derived = read_derived(
      options.fit.derive, pipeline.objective()->problem(), pipeline.objective()->unknowns());
  run.is_worker = context.is_worker();
  if (run.is_worker) {
    pipeline.serve();
    return run;
  }
  const RunSettings settings = settings_of(pipeline, options);
  pipeline.open_directory("profile", settings);
  run.directory = pipeline.directory();
  const auto searched = pipeline.objective();
  FitSummary& fit = run.fit;
  fit = pipeline.search();
  if (const std::string words = pipeline.settle(fit); !words.empty()) context.say("note: " + words);
  fit.provenance = settings;
  run.objective = pipeline.objective();
  run.accuracy = pipeline.accuracy();
  const ProblemObjective& objective = *run.objective;
  if (!run.fitted()) return run;
  if (fit.best().fit.outcome != FitOutcome::converged)
    context.say("warning: the fit did not converge: " + fit.best().fit.message);

  const FitRequest& request = pipeline.request();
  profiles.problem = request.problem;
  profiles.options.max_points = std::min(options.points, 100000);
  profiles.options.min_points = 9;
  profiles.options.local = request.options.local;
  profiles.options.local.max_iterations = std::min(200, request.options.local.max_iterations);
  profiles.folder = request.folder;
  profiles.workers = run.objective == searched ? context.workers : nullptr;  // of its tolerance
  profiles.threads = request.options.threads;
  RunProgress progress{0, static_cast<double>(2 * profiles.unknowns.size()), "sides"};
  profiles.progress = [&](std::size_t done) {
    progress.done = static_cast<double>(done);
    context.at(progress);
  };
  ProfileSummary& summary = run.summary;
  summary = run_profiles(objective, fit.best().fit, profiles);
  progress.ended = true;
  context.at(progress);
  summary.provenance = settings;
  FitStatistics statistics = fit_statistics(objective, summary.best);
  judge_by_intervals(statistics, intervals_of(summary.profiles, summary.unknowns, summary.best));
  if (summary.best.at_minimum() && !summary.interrupted)
    statistics.adequacy = assess_adequacy(objective, summary.best, statistics, fit.seed);
  if (!summary.interrupted && !add_combinations(statistics, objective, summary.best,
                                                effort_for(fit, request), summary.messages))
    summary.interrupted = true;
  summary.combinations = statistics.combinations;
  if (!summary.interrupted && !add_derived(summary.derived, derived, objective, summary.best,
                                           statistics, request.options.local))
    summary.interrupted = true;
  if (!summary.interrupted) summary.words = plain_words(statistics);
  return run;
}

}  // namespace stiffit::internal
