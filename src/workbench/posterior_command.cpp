// SPDX-License-Identifier: Apache-2.0
#include "workbench/posterior_command.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>

#include "base/number.h"
#include "read/petab/read_petab.h"
#include "report/progress.h"
#include "workbench/fit_options.h"
#include "workbench/load_problem.h"
#include "workbench/output_file.h"
#include "workbench/posterior_run.h"
#include "workbench/report_fit.h"
#include "workbench/run_options.h"

namespace stiffit {
namespace {

struct PosteriorOptions {
  SamplerOptions sampler;
  long samples = 10000, band_samples = 1000;
  int rounds = 1;  // in all, as long as the chains have not converged
  int points = 50;
};

PosteriorOptions read_options(const Arguments& arguments, const Console& console) {
  PosteriorOptions o;
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

RunSettings settings_of(const FittingOptions& fitting, const PosteriorOptions& o,
                        const Arguments& arguments) {
  RunSettings s = fitting_settings(fitting, arguments);
  s["sampler"] = arguments.text("sampler", "adaptive");
  s["chains"] = std::to_string(o.sampler.chains);
  s["temperatures"] = std::to_string(o.sampler.temperatures);
  s["warmup"] = std::to_string(o.sampler.warmup);
  s["thin"] = std::to_string(o.sampler.thin);
  return s;  // more samples may be asked for later
}

int end(const Posterior& p, bool kept, const Console& console) {
  if (p.band_failures > 0)
    console.messages << "warning: " << p.band_failures
                     << " time courses could not be integrated and are left out of the bands\n";
  if (p.interrupted) {
    console.messages << "error: interrupted after " << p.samples << " of " << p.samples_asked
                     << " draws" << (kept ? "; --resume goes on\n" : "\n");
    return exit_numerics_failed;
  }
  if (p.converged) return exit_done;
  console.messages << "error: the ensemble has not converged, and its intervals are not to be "
                      "relied on\n";
  for (const std::string& note : p.notes) console.messages << "  " << note << "\n";
  return exit_numerics_failed;
}

}  // namespace

bool is_posterior(const Arguments& arguments) {
  return arguments.has("data") || is_petab_name(arguments.positional().front());
}

std::vector<OptionSpec> posterior_options() {
  std::vector<OptionSpec> options = fitting_options();
  for (const OptionSpec& o : std::vector<OptionSpec>{
           {"sampler", "S", "with data: adaptive (default), tempered or langevin (gradients)", 0,
            false},
           {"chains", "N", "with data: chains side by side (default 8)", 0, false},
           {"temperatures", "N", "of --sampler tempered (default 6)", 0, false},
           {"warmup", "N", "iterations that are not kept (default 2000 + 300 per unknown)", 0,
            false},
           {"thin", "N", "iterations between draws that are kept (default: the unknowns)", 0,
            false},
           {"band-samples", "N", "draws that the bands are made of (default 1000)", 0, false}})
    options.push_back(o);
  return options;
}

int run_posterior(const Arguments& arguments, const Console& console) {
  FittingOptions fitting = read_fitting_options(arguments, console);
  const PosteriorOptions options = read_options(arguments, console);
  for (const char* option : {"sample", "start", "end", "set", "show", "rows", "histogram"})
    if (arguments.has(option))
      throw UsageError("--" + std::string(option) + " is for ensembles of a model without data");
  fitting.objective.integration.interrupt = console.interrupt;
  FitProblem problem = load_problem(arguments, console);
  FitRequest& request = fitting.request;
  request.problem = problem.id.empty() ? arguments.positional().front() : problem.id;
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
  if (helps_others(console)) return serve_fit(fitting, both, console, &plain);
  std::unique_ptr<RunFolder> folder;
  RunSettings settings = settings_of(fitting, options, arguments);
  if (arguments.has("output"))
    folder = std::make_unique<RunFolder>(arguments.text("output"), "ensemble", settings,
                                         arguments.has("resume"));
  request.folder = folder.get();
  request.crew = crew_of(fitting, console);
  join_method(fitting, both);
  FitSummary fit = run_fit(objective, request);
  if (!fit.found() || fit.interrupted) {
    console.messages << (fit.interrupted ? "interrupted before the fit was done\n"
                                         : "error: the model could not be evaluated at any "
                                           "start\n  " +
                                               fit.starts.front().fit.message + "\n");
    return exit_numerics_failed;
  }

  std::unique_ptr<const Objective> spread;
  if (console.crew) spread = std::make_unique<CrewObjective>(plain, *console.crew);
  PosteriorChains chains({objective, plain, spread ? *spread : plain, rough}, fit, options.sampler,
                         folder.get());
  ProgressBar bar(console.messages, console.messages_on_terminal, 0, 100, "%");
  const bool interrupted =
      !chains.draw(options.samples, options.rounds, [&](double share) { bar.at(100 * share); });
  bar.clear();
  Posterior posterior = gather_posterior(objective, chains, fit, options.samples);
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
    write_file(folder->file("intervals.tsv"), marginals_tsv(posterior));
    write_file(folder->file("draws.csv"), draws_csv(chains, objective.unknowns()));
    write_file(folder->file("result.json"), posterior_json(posterior));
    if (posterior.bands) write_file(folder->file("bands.csv"), course_bands_csv(posterior));
  }
  FitReport report{fit, objective, fitting.objective};
  report.posterior = &posterior;
  write_fit_page(report, arguments, folder.get());
  if (arguments.has("json"))
    deliver(posterior_json(posterior), console);
  else if (!folder)
    deliver(posterior_text(posterior), console);
  return end(posterior, folder != nullptr, console);
}

}  // namespace stiffit
