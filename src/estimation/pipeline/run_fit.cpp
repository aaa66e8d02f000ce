// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/record.h"
#include "estimation/direct/linear_options.h"
#include "estimation/pipeline/claims/combinations.h"
#include "estimation/pipeline/claims/derived_quantities.h"
#include "estimation/pipeline/fit_fields.h"
#include "estimation/pipeline/fit_pipeline.h"
#include "estimation/pipeline/fit_records.h"
#include "estimation/pipeline/identifiability.h"
#include "estimation/pipeline/linear_fit_run.h"
#include "estimation/uncertainty/verdict.h"

namespace stiffit::internal {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

constexpr const char* bootstrap_record = "bootstrap";

std::vector<BootstrapSample> stored_samples(const RunDirectory& folder, std::size_t unknowns) {
  std::vector<BootstrapSample> samples;
  try {
    for (const std::string& record : folder.get(bootstrap_record)) {
      samples.push_back(bootstrap_sample_of(record));
      if (samples.back().converged && samples.back().x.size() != unknowns)
        throw BadRecord("another problem's sample");
    }
  } catch (const BadRecord& error) {
    throw InputError("error: the state of the run in " + folder.path() +
                     " is damaged: " + error.what());
  }
  return samples;
}

AssessByProfiles by_profiles(const std::string& wish) {
  return wish == "yes"  ? AssessByProfiles::yes
         : wish == "no" ? AssessByProfiles::no
                        : AssessByProfiles::automatic;
}

// Fits of drawn data, kept in the run's folder as they finish.
void add_bootstrap(FitSummary& fit, const ProblemObjective& objective, const FitRequest& request,
                   const api::FitOptions& options, const RunContext& context) {
  if (options.bootstrap == 0 || !fit.found() || fit.interrupted) return;
  const LocalFit& best = fit.best().fit;
  if (!best.at_minimum()) {
    fit.messages.push_back("no bootstrap: the search has not reached a minimum");
    return;
  }
  BootstrapOptions o;
  o.kind = options.bootstrap_kind == "case" ? BootstrapKind::cases : BootstrapKind::residual;
  o.samples = options.bootstrap;
  o.seed = options.seed;
  o.threads = request.options.threads;
  o.level = fit.statistics.level;
  o.local = request.options.local;
  o.local.on_step = {};
  BootstrapRun run(objective, best, fit.statistics, o);
  if (request.folder) run.finished = stored_samples(*request.folder, best.x.size());
  RunProgress progress{static_cast<double>(run.finished.size()), static_cast<double>(o.samples),
                       "bootstrap samples"};
  run.on_finished = [&](const BootstrapSample& sample) {
    if (request.folder)
      request.folder->put(bootstrap_record, static_cast<std::int64_t>(sample.index),
                          record_of(sample));
    ++progress.done;
    context.at(progress);
  };
  const std::vector<BootstrapSample> samples = run.run();
  fit.interrupted = o.local.interrupt && o.local.interrupt->load();
  if (fit.interrupted) InterruptScope::heard();
  const auto found = std::make_shared<const Bootstrap>(run.summarize(samples));
  fit.bootstrap = found;
  judge_by_intervals(fit.statistics, intervals_of(*found, fit.statistics, fit.unknowns));
}

// Nothing is searched for.
FitRun run_directly(const FitProblem& whole, const api::FitOptions& options,
                    const OptimizerTraits& method, const RunInputs& inputs,
                    const RunContext& context) {
  const auto began = Clock::now();
  FitRun run;
  const auto limits =
      std::count_if(whole.measurements.begin(), whole.measurements.end(),
                    [](const Measurement& m) { return m.censoring != Censoring::none; });
  const FitProblem problem = limits > 0 ? without_limits(whole) : whole;
  run.accuracy = accuracy_of(options);
  LinearRun linear =
      run_linear_fit(problem, problem.id.empty() ? inputs.name : problem.id,
                     linear_options(options, method.linearity.front()), run.accuracy, options.seed);
  run.objective = linear.objective;
  run.summary = std::move(linear.summary);
  const std::vector<Quantity> derived =
      read_derived(options.derive, problem, run.objective->unknowns());
  if (run.summary.found())
    for (const Quantity& quantity : derived)
      run.summary.derived.push_back(derived_to_first_order(
          run.objective->unknowns(), run.summary.best().fit.x, run.summary.statistics, quantity));
  if (run.summary.found())
    test_null_directions(run.summary.statistics, *run.objective, run.summary.best().fit,
                         tested_unit(*run.objective, run.summary.best().fit.at));
  if (limits > 0)
    run.summary.messages.push_back(std::to_string(limits) +
                                   (limits == 1 ? " value is" : " values are") +
                                   " known as a limit only and left out: this method needs values");
  if (context.watch && run.summary.found()) {
    const SearchWatch watch = context.watch(*run.objective, run.accuracy, 1);
    if (watch.finished) watch.finished(run.summary.best());
  }
  RunSettings& settings = run.summary.provenance;
  add_provenance(fit_fields(), options, settings);
  settings["starts"] = std::to_string(std::max(1, options.starts));
  for (auto& [name, value] : inputs.settings) settings[name] = value;
  if (!options.output.empty()) {
    run.directory = std::make_shared<RunDirectory>(options.output, "fit", settings, options.resume);
    if (!run.directory->warning().empty()) context.say(run.directory->warning());
  }
  run.table_name = "trajectory.tsv";
  run.table = std::move(linear.trajectory_tsv);
  run.searched = false;
  run.seconds = seconds_since(began);
  return run;
}

}  // namespace

FitRun run_fit(FitProblem problem, const api::FitOptions& options, const RunInputs& inputs,
               const RunContext& context) {
  check_options(options);
  const OptimizerTraits& method = named_optimizer(options.method).traits;
  const auto began = Clock::now();
  FitRun run;
  run.is_worker = context.is_worker();
  if (method.direct())
    return run.is_worker ? std::move(run) : run_directly(problem, options, method, inputs, context);
  FitPipeline pipeline(std::move(problem), options, inputs, context);
  const std::vector<Quantity> derived = read_derived(
      options.derive, pipeline.objective()->problem(), pipeline.objective()->unknowns());
  check_interest(options.interest, pipeline.objective()->unknowns(), derived);
  check_measurable(options.measurable, pipeline.objective()->problem());
  if (run.is_worker) {
    pipeline.serve();
    return run;
  }
  const RunSettings settings = pipeline.settings();
  pipeline.open_directory("fit", settings);
  FitSummary& fit = run.summary;
  fit = pipeline.search(true);
  pipeline.look_for_rivals(fit);
  if (std::string words = pipeline.settle(fit); !words.empty())
    fit.messages.push_back(std::move(words));
  fit.provenance = settings;
  const ProblemObjective& objective = *pipeline.objective();
  if (!objective.no_derivatives().empty())
    fit.messages.push_back(
        "this model gives no derivatives, so gradients and errors are made of differences between "
        "simulations");
  add_adequacy(fit, objective);
  assess_identifiability(fit, objective, pipeline.request(),
                         {by_profiles(options.profiles), options.limits_time});
  add_bootstrap(fit, objective, pipeline.request(), options, context);
  add_combinations(fit, objective, pipeline.request());
  if (fit.found() && !fit.interrupted &&
      !add_derived(fit.derived, derived, objective, fit.best().fit, fit.statistics,
                   pipeline.request().options.local))
    fit.interrupted = true;
  if (fit.found() && !fit.interrupted && options.advice) {
    fit.next =
        next_measurements(objective, fit.best().fit, fit.statistics, fit.derived,
                          {options.interest, options.measurable, derived}, pipeline.accuracy());
    for (const std::string& words : fit.next.messages) fit.messages.push_back(words);
  }
  if (method.as_start) {
    fit.method = method.name;
    add_side_by_side(fit, objective.problem(), linear_options(options, LinearMethod::integral));
  }
  run.objective = pipeline.objective();
  run.accuracy = pipeline.accuracy();
  run.directory = pipeline.directory();
  run.table_name = "path.tsv";
  run.table = pipeline.path_table(fit);
  run.seconds = seconds_since(began);
  return run;
}

}  // namespace stiffit::internal
