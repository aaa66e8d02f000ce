// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/posterior_pipeline.h"

#include <algorithm>
#include <cmath>

#include "base/interrupt.h"
#include "base/number.h"
#include "estimation/pipeline/claims/combinations.h"
#include "estimation/pipeline/claims/derived_quantities.h"
#include "estimation/pipeline/distributed_objective.h"
#include "estimation/pipeline/fit_fields.h"
#include "estimation/pipeline/identifiability.h"
#include "estimation/pipeline/refine_from_samples.h"

namespace stiffit::internal {
namespace {

SamplerOptions sampler_options(const api::PosteriorOptions& options, const RunContext& context) {
  SamplerOptions o;
  if (options.sampler == "tempered") o.kind = SamplerKind::tempered;
  if (options.sampler == "langevin") o.kind = SamplerKind::langevin;
  o.chains = options.chains;
  if (o.kind == SamplerKind::tempered)
    o.temperatures = options.temperatures > 0 ? options.temperatures : 6;
  o.warmup = options.warmup;
  o.thin = options.thin;
  o.seed = options.fit.seed;
  o.threads = thread_count(options.fit);
  o.interrupt = context.interrupt;
  return o;
}

// More samples may be asked for later.
RunSettings settings_of(const FitPipeline& pipeline, const api::PosteriorOptions& options,
                        const SamplerOptions& sampler) {
  RunSettings s = pipeline.settings();
  add_provenance(posterior_fields(), options, s);
  for (auto& [name, value] : pipeline.settings()) s[name] = value;  // as it is searched
  s["temperatures"] = std::to_string(sampler.temperatures);
  return s;
}

void warn_of_bounds(const std::vector<EstimatedParameter>& unknowns, const RunContext& context) {
  for (const EstimatedParameter& u : unknowns)
    if (!std::isfinite(u.lower) || !std::isfinite(u.upper))
      context.say("warning: " + u.id +
                  " has no bounds: if the data do not determine it, the ensemble never converges");
}

}  // namespace

PosteriorRun run_posterior(FitProblem problem, const api::PosteriorOptions& options,
                           const RunInputs& inputs, const RunContext& context) {
  check_options(options);
  const SamplerOptions sampler = sampler_options(options, context);
  const long samples = options.samples > 0 ? options.samples : 10000;
  const int rounds = options.samples > 0 ? 1 : 4;  // as long as they have not converged
  PosteriorRun run;
  FitPipeline pipeline(std::move(problem), options.fit, inputs, context, true);
  const ProblemObjective& objective = *pipeline.objective();
  warn_of_bounds(objective.unknowns(), context);
  ObjectiveOptions rough = pipeline.accuracy();
  rough.integration.rtol = std::max(rough.integration.rtol, 1e-7);
  rough.derivatives = sampler.kind == SamplerKind::langevin;
  const ProblemObjective plain(objective.problem(), rough);
  const std::vector<Quantity> derived =
      read_derived(options.fit.derive, objective.problem(), objective.unknowns());
  run.is_worker = context.is_worker();
  if (run.is_worker) {
    pipeline.serve(&plain);
    return run;
  }
  RunSettings settings = settings_of(pipeline, options, sampler);
  pipeline.open_directory("ensemble", settings);
  run.objective = pipeline.objective();
  run.accuracy = pipeline.accuracy();
  run.directory = pipeline.directory();
  FitSummary& fit = run.fit;
  fit = pipeline.search();
  if (!run.fitted()) return run;

  std::unique_ptr<const Objective> spread;
  if (context.workers) spread = std::make_unique<DistributedObjective>(plain, *context.workers);
  PosteriorChains chains({objective, plain, spread ? *spread : plain, rough}, fit, sampler,
                         run.directory.get());
  RunProgress progress{0, 100, "%"};
  const bool interrupted = !chains.draw(samples, rounds, [&](double share) {
    progress.done = 100 * share;
    context.at(progress);
  });
  progress.ended = true;
  context.at(progress);
  if (interrupted) InterruptScope::heard();
  const double first_fit =
      interrupted ? std::nan("")
                  : refine_from_samples(objective, chains, pipeline.request().options.local,
                                        sampler.threads, fit);
  if (!interrupted) {
    add_adequacy(fit, objective);
    add_combinations(fit, objective, pipeline.request());
  }
  Posterior& posterior = run.posterior;
  posterior = gather_posterior(objective, chains, fit, samples);
  posterior.derived =
      derived_over_draws(derived, objective.unknowns(), fit.best().fit.x, chains, posterior.level);
  posterior.fit = fit.best().fit.at.value;
  posterior.first_fit = first_fit;
  if (!std::isnan(first_fit)) {
    fit.messages.push_back(replaced_words(posterior));
    context.say("note: " + fit.messages.back());
  }
  if (const double off = interrupted ? 0 : chains.discrepancy(); !(off < 1e-3)) {
    posterior.converged = false;
    posterior.notes.push_back("the groups of parameters hang together after all: U differs by " +
                              format_short(off, 3));
  }
  settings["samples"] = std::to_string(samples);
  posterior.provenance = fit.provenance = settings;
  posterior.interrupted =
      interrupted ||
      (posterior.samples > 0 && !add_bands(posterior, objective.problem(), run.accuracy, chains,
                                           options.points, options.band_samples, {}));
  if (posterior.interrupted) posterior.converged = false;
  run.draws = {chains.draws(), chains.potentials()};
  return run;
}

}  // namespace stiffit::internal
