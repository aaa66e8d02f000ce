// SPDX-License-Identifier: Apache-2.0
#include "report/parameter_ensemble_run.h"

#include <cmath>
#include <optional>

#include "analysis/pipeline/checkpointed_ensemble.h"
#include "analysis/pipeline/distributed_ensemble.h"
#include "analysis/pipeline/simulation_fields.h"
#include "analysis/pipeline/simulation_options.h"
#include "base/files/output_file.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "estimation/pipeline/claims/derived_quantities.h"
#include "report/pages/report_runs.h"
#include "report/pages/report_text.h"
#include "report/tables/ensemble_tables.h"
#include "report/tables/result_table.h"

namespace stiffit::internal {
namespace {

// What was given, and the rest as the model has settled it.
RunSettings settings_of(const EnsemblePlan& plan, const api::ParameterEnsembleOptions& options,
                        const RunInputs& inputs) {
  RunSettings s = inputs.settings;
  add_provenance(parameter_ensemble_fields(), options, s);
  s.erase("histogram");  // is made of the same bands afterwards
  s["method"] = plan.integration.method;
  s["samples"] = std::to_string(plan.samples);
  s["seed"] = std::to_string(plan.seed);
  s["rtol"] = format_number(plan.integration.rtol);
  s["atol"] = format_number(plan.integration.atol);
  s["start"] = format_number(plan.start);
  s["end"] = format_number(plan.times.back());
  s["points"] = std::to_string(plan.times.size() - 1);
  s["rows"] = options.rows ? "yes" : "no";
  return s;
}

// Of the samples that were simulated to the end or not: it has nothing to do with that.
std::vector<api::DerivedDistribution> distributions_of(const std::vector<Quantity>& wanted,
                                                       const Ensemble& ensemble) {
  std::vector<std::vector<double>> drawn(wanted.size());
  std::vector<double> values(ensemble.plan().sampled.size());
  for (long k = 0; !wanted.empty() && k < ensemble.done(); ++k) {
    const std::vector<double> all = ensemble.parameters(k);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = all[static_cast<std::size_t>(ensemble.plan().sampled[i].parameter)];
    for (std::size_t i = 0; i < wanted.size(); ++i)
      drawn[i].push_back(wanted[i].value(values, nullptr));
  }
  std::vector<api::DerivedDistribution> list;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const DrawnStatistics s = statistics_of_draws(std::move(drawn[i]), 0.95);
    list.push_back(
        {wanted[i].name, wanted[i].formula, s.mean, s.deviation, s.median, s.low, s.high});
  }
  return list;
}

// The sampled parameters are what formulas may hold, beside constants.
std::vector<Quantity> read_functions(const api::ParameterEnsembleOptions& options,
                                     const std::shared_ptr<const Model>& model,
                                     const std::vector<ParameterDistribution>& sampled) {
  FitProblem problem;
  problem.model = model;
  std::vector<EstimatedParameter> unknowns;
  for (const ParameterDistribution& p : sampled)
    unknowns.push_back({p.name, -INFINITY, INFINITY, std::nan(""), Scale::lin});
  return read_derived(options.derive, problem, unknowns, "sampled");
}

void write_tables(ParameterEnsembleRun& run, const api::ParameterEnsembleOptions& options,
                  const std::string& name, RunDirectory& folder) {
  const Ensemble& ensemble = *run.ensemble;
  write_table(folder, "bands.csv", bands_csv(ensemble), run.provenance);
  write_table(folder, "failures.csv", failures_csv(ensemble, run.sampled), run.provenance);
  if (options.histogram > 0)
    write_table(folder, "histograms.csv", histograms_csv(ensemble, options.histogram),
                run.provenance);
  if (options.rows) note_table(folder, "samples.csv", run.provenance);
  write_file(folder.file("result.json"),
             ensemble_json(ensemble, run.sampled, run.derived, name, run.provenance));
}

}  // namespace

ParameterEnsembleRun run_parameter_ensemble(const std::shared_ptr<const Model>& model,
                                            const api::ParameterEnsembleOptions& options,
                                            const RunInputs& inputs, const RunContext& context) {
  if (!options.report.empty()) require_writable(options.report);
  ParameterEnsembleRun run;
  run.sampled = parameter_distributions(options.sample);
  PlannedEnsemble planned = plan_ensemble(model, options);
  const std::vector<Quantity> functions = read_functions(options, planned.model, run.sampled);
  run.model = planned.model;
  run.ensemble = std::make_unique<Ensemble>(std::move(planned.plan));
  Ensemble& ensemble = *run.ensemble;
  if (context.is_worker()) {
    serve_ensemble(ensemble, *context.workers);
    run.is_worker = true;
    return run;
  }
  run.provenance = settings_of(ensemble.plan(), options, inputs);
  std::unique_ptr<RunDirectory> folder;
  std::unique_ptr<CheckpointedEnsemble> kept;
  if (!options.output.empty()) {
    folder =
        std::make_unique<RunDirectory>(options.output, "ensemble", run.provenance, options.resume);
    if (!folder->warning().empty()) context.say(folder->warning());
    std::optional<CheckpointedEnsemble::Rows> rows;
    if (options.rows)
      rows = {samples_header(ensemble, run.sampled),
              [&](std::string& text, long sample, const SampleRun& one) {
                append_sample(text, ensemble, sample, one.table);
              }};
    kept = std::make_unique<CheckpointedEnsemble>(ensemble, *folder, std::move(rows));
  }

  const auto total = static_cast<double>(ensemble.plan().samples);
  auto tell = [&](bool ended) {
    context.at({static_cast<double>(ensemble.done()), total, "samples", ended});
  };
  while (!ensemble.finished() && !run.interrupted) {
    run.interrupted = !(kept              ? kept->advance(context.workers)
                        : context.workers ? advance_together(ensemble, *context.workers, {})
                                          : ensemble.advance());
    tell(false);
  }
  tell(true);
  if (run.interrupted) InterruptScope::heard();

  run.derived = distributions_of(functions, ensemble);
  if (folder) write_tables(run, options, inputs.name, *folder);
  if (!folder && options.report.empty()) return run;
  const std::string page =
      ensemble_page({shown_name(inputs.name), run.model, ensemble, run.sampled, run.provenance});
  if (folder) write_file(folder->file("report.html"), page);
  if (!options.report.empty()) write_file(options.report, page);
  return run;
}

}  // namespace stiffit::internal
