// SPDX-License-Identifier: Apache-2.0
#include "workbench/whole_posterior.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/files/output_file.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "cli/run_options.h"
#include "report/progress.h"
#include "report/tables/result_table.h"
#include "workbench/better_fit.h"
#include "workbench/report_fit.h"

namespace stiffit {
namespace {

PosteriorSampling read_options(const Arguments& arguments, const Console& console) {
  PosteriorSampling o;
  const std::string kind = arguments.text("sampler", "adaptive");
  if (kind == "tempered")
    o.sampler.kind = SamplerKind::tempered;
  else if (kind == "langevin")
    o.sampler.kind = SamplerKind::langevin;
  else if (kind != "adaptive")
    throw UsageError("--sampler is adaptive, tempered or langevin, not '" + kind + "'");
  auto small = [&](const char* option, long fallback, long least, long most) {
    const long count = arguments.count(option, fallback);
    if (count < least || count > most)
      throw UsageError("--" + std::string(option) + " is " + std::to_string(least) + " to " +
                       std::to_string(most) + ", not " + std::to_string(count));
    return count;
  };
  o.sampler.chains = static_cast<int>(small("chains", 8, 2, 1000));
  if (arguments.has("temperatures") && o.sampler.kind != SamplerKind::tempered)
    throw UsageError("--temperatures goes with --sampler tempered");
  o.sampler.temperatures = o.sampler.kind == SamplerKind::tempered
                               ? static_cast<int>(small("temperatures", 6, 2, 50))
                               : 0;
  if (arguments.has("warmup")) o.sampler.warmup = small("warmup", 1, 1, 100000000);
  if (arguments.has("thin")) o.sampler.thin = small("thin", 1, 1, 1000000);
  o.samples = small("samples", o.samples, 1, 100000000);
  if (!arguments.has("samples")) o.rounds = 4;
  o.points = static_cast<int>(small("points", o.points, 1, 100000));
  o.band_samples = small("band-samples", o.band_samples, 1, 100000000);
  o.sampler.seed = seed_option(arguments);
  o.sampler.threads = threads_option(arguments);
  o.sampler.interrupt = console.interrupt;
  return o;
}

RunSettings settings_of(const PosteriorWishes& wishes, const Arguments& arguments) {
  const PosteriorSampling& o = wishes.sampling;
  RunSettings s = fitting_settings(wishes.fitting, arguments);
  for (auto& [name, hash] : wishes.inputs) s[name] = hash;
  s["sampler"] = arguments.text("sampler", "adaptive");
  s["chains"] = std::to_string(o.sampler.chains);
  s["temperatures"] = std::to_string(o.sampler.temperatures);
  s["warmup"] = std::to_string(o.sampler.warmup);
  s["thin"] = std::to_string(o.sampler.thin);
  return s;  // more samples may be asked for later
}

}  // namespace

PosteriorWishes read_posterior_wishes(const Arguments& arguments, const Console& console) {
  PosteriorWishes wishes;
  wishes.fitting = read_fitting_options(arguments, console);
  wishes.sampling = read_options(arguments, console);
  for (const char* option : {"sample", "start", "end", "set", "show", "rows", "histogram"})
    if (arguments.has(option))
      throw UsageError("--" + std::string(option) + " is for ensembles of a model without data");
  wishes.fitting.objective.integration.interrupt = console.interrupt;
  return wishes;
}

WholePosterior run_whole_posterior(FitProblem problem, PosteriorWishes wishes,
                                   const Arguments& arguments, const Console& console) {
  FittingOptions& fitting = wishes.fitting;
  const PosteriorSampling& options = wishes.sampling;
  FitRequest& request = fitting.request;
  request.problem = problem_name(problem, arguments);
  FittingObjective both = fitting_objective(std::move(problem), fitting);
  const ProblemObjective& objective = *both.whole;
  for (const Unknown& u : objective.unknowns())
    if (!std::isfinite(u.lower) || !std::isfinite(u.upper))
      console.messages << "warning: " << u.id
                       << " has no bounds: if the data do not determine it, the ensemble never "
                          "converges\n";
  place_starts(fitting, objective, console);
  ObjectiveOptions rough = fitting.objective;
  rough.integration.rtol = std::max(rough.integration.rtol, 1e-7);
  rough.derivatives = options.sampler.kind == SamplerKind::langevin;
  const ProblemObjective plain(objective.problem(), rough);
  WholePosterior whole;
  whole.helped = helps_others(console);
  if (whole.helped) {
    serve_fit(fitting, both, console, &plain);
    return whole;
  }
  RunSettings settings = settings_of(wishes, arguments);
  std::unique_ptr<RunFolder> folder = run_folder("ensemble", settings, arguments, console);
  whole.kept = folder != nullptr;
  request.folder = folder.get();
  request.crew = crew_of(fitting, console);
  join_method(fitting, both);
  FitSummary& fit = whole.fit;
  fit = run_fit(objective, request);
  if (!whole.fitted()) return whole;

  std::unique_ptr<const Objective> spread;
  if (console.crew) spread = std::make_unique<CrewObjective>(plain, *console.crew);
  PosteriorChains chains({objective, plain, spread ? *spread : plain, rough}, fit, options.sampler,
                         folder.get());
  ProgressBar bar(console.messages, console.messages_on_terminal, 0, 100, "%", console.progress);
  const bool interrupted =
      !chains.draw(options.samples, options.rounds, [&](double share) { bar.at(100 * share); });
  bar.clear();
  if (interrupted) InterruptScope::heard();
  const double first_fit = interrupted
                               ? std::nan("")
                               : descend_from_scouts(objective, chains, request.options.local,
                                                     options.sampler.threads, fit);
  Posterior& posterior = whole.posterior;
  posterior = gather_posterior(objective, chains, fit, options.samples);
  posterior.fit = fit.best().fit.at.value;
  posterior.first_fit = first_fit;
  if (!std::isnan(first_fit)) {
    fit.messages.push_back(replaced_words(posterior));
    console.messages << "note: " << fit.messages.back() << "\n";
  }
  if (const double off = interrupted ? 0 : chains.discrepancy(); !(off < 1e-3)) {
    posterior.converged = false;
    posterior.notes.push_back("the groups of unknowns hang together after all: U differs by " +
                              format_short(off, 3));
  }
  settings["samples"] = std::to_string(options.samples);
  posterior.provenance = fit.provenance = settings;
  posterior.interrupted =
      interrupted ||
      (posterior.samples > 0 && !add_bands(posterior, objective.problem(), fitting.objective,
                                           chains, options.points, options.band_samples, {}));
  if (posterior.interrupted) posterior.converged = false;
  if (folder) {
    Provenance& from = posterior.provenance;
    write_table(*folder, "intervals.tsv", marginals_tsv(posterior), from);
    write_table(*folder, "draws.csv", draws_csv(chains, objective.unknowns()), from);
    if (posterior.bands) write_table(*folder, "bands.csv", course_bands_csv(posterior), from);
    write_file(folder->file("result.json"), posterior_json(posterior));
  }
  FitReport report{fit, objective, fitting.objective};
  report.posterior = &posterior;
  write_fit_page(report, arguments, folder.get());
  whole.draws = chains.draws();
  return whole;
}

}  // namespace stiffit
