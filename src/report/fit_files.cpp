// SPDX-License-Identifier: Apache-2.0
#include "report/fit_files.h"

#include "base/files/output_file.h"
#include "report/fit_progress.h"
#include "report/fit_summary.h"
#include "report/pages/report_fit.h"
#include "report/posterior_tables.h"
#include "report/pypesto_hdf5.h"
#include "report/tables/result_table.h"
#include "report/tables/simulation_table.h"

namespace stiffit::internal {

void prepare_files(const api::FitOptions& options, RunContext& context) {
  if (!options.report.empty()) require_writable(options.report);
  if (options.progress_file.empty()) return;
  context.watch = [file = options.progress_file](const ProblemObjective& objective,
                                                 const ObjectiveOptions& accuracy,
                                                 std::size_t starts) {
    auto progress = std::make_shared<FitProgress>(file, objective, accuracy, starts);
    return SearchWatch{
        [progress](const StartResult& start) { progress->finished(start); },
        [progress](std::span<const double> theta, double value) { progress->step(theta, value); }};
  };
}

void write_files(FitRun& run, const api::FitOptions& options, const RunContext& context) {
  if (run.is_worker) return;
  FitSummary& fit = run.summary;
  if (run.directory) {
    const RunDirectory& folder = *run.directory;
    write_table(folder, "starts.tsv", starts_tsv(fit), fit.provenance);
    if (fit.found()) {
      write_table(folder, "parameters.tsv", parameters_tsv(fit.statistics), fit.provenance);
      std::string failure;
      std::vector<Prediction> predictions = run.objective->predict(fit.best().fit.x, failure);
      if (failure.empty())
        write_table(folder, "simulations.tsv",
                    simulation_table(run.objective->problem(), predictions), fit.provenance);
      else
        context.say("warning: no simulations.tsv: " + failure);
    }
    if (!run.table.empty()) write_table(folder, run.table_name, run.table, fit.provenance);
    write_pypesto_hdf5(folder.file("result.hdf5"), &fit, nullptr);
    write_file(folder.file("timings.json"), timings_json(fit, run.seconds));
    write_file(folder.file("result.json"), fit_json(fit));
  }
  write_fit_page({fit, *run.objective, run.accuracy}, options.report, run.directory.get());
}

void write_files(ProfileRun& run, const api::FitOptions& options) {
  if (run.is_worker || !run.fitted()) return;
  ProfileSummary& summary = run.summary;
  if (run.directory) {
    const RunDirectory& folder = *run.directory;
    write_table(folder, "intervals.tsv", intervals_tsv(summary), summary.provenance);
    write_table(folder, "profiles.tsv", profiles_tsv(summary), summary.provenance);
    if (!summary.predictions.empty())
      write_table(folder, "predictions.tsv", predictions_tsv(summary), summary.provenance);
    if (!summary.pairs.empty())
      write_table(folder, "pairs.tsv", pairs_tsv(summary), summary.provenance);
    write_pypesto_hdf5(folder.file("profile.hdf5"), &run.fit, &summary);
    write_file(folder.file("profile.json"), profile_json(summary));
  }
  FitReport report{run.fit, *run.objective, run.accuracy};
  report.profile = &summary;
  write_fit_page(report, options.report, run.directory.get());
}

void write_files(PosteriorRun& run, const api::FitOptions& options) {
  if (run.is_worker || !run.fitted()) return;
  Posterior& posterior = run.posterior;
  if (run.directory) {
    const RunDirectory& folder = *run.directory;
    Provenance& from = posterior.provenance;
    write_table(folder, "intervals.tsv", marginals_tsv(posterior), from);
    write_table(folder, "draws.csv", draws_csv(run.draws, run.objective->unknowns()), from);
    if (posterior.bands) write_table(folder, "bands.csv", course_bands_csv(posterior), from);
    write_file(folder.file("result.json"), posterior_json(posterior));
  }
  FitReport report{run.fit, *run.objective, run.accuracy};
  report.posterior = &posterior;
  write_fit_page(report, options.report, run.directory.get());
}

}  // namespace stiffit::internal
