// `stiffit ensemble`: a cloud of parameter sets, simulated and reduced to bands.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <ostream>

#include "analysis/ensemble/ensemble.h"
#include "analysis/pipeline/checkpointed_ensemble.h"
#include "analysis/pipeline/distributed_ensemble.h"
#include "analysis/pipeline/ensemble_plan.h"
#include "analysis/pipeline/time_course.h"
#include "base/diagnostic.h"
#include "base/files/output_file.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/commands/posterior_command.h"
#include "cli/run_inputs.h"
#include "cli/run_options.h"
#include "cli/sampled_options.h"
#include "io/files/load_model.h"
#include "report/pages/report_runs.h"
#include "report/pages/report_text.h"
#include "report/progress.h"
#include "report/tables/ensemble_tables.h"
#include "report/tables/result_table.h"
#include "runtime/checkpoint/run_folder.h"

namespace stiffit {
namespace {

CommandSpec ensemble_spec() {
  CommandSpec s;
  s.name = "ensemble";
  s.arguments = "PROBLEM|MODEL";
  s.summary = "parameters that fit the data and their predictions; or a cloud of parameter sets";
  s.fewest = s.most = 1;
  s.options = std::vector<OptionSpec>{
      {"sample", "name=dist(a,b)",
       "draws a parameter or initial value: lognormal(median,sd of log), normal(mean,sd), "
       "uniform(low,high), loguniform(low,high); may be repeated",
       0, true},
      {"samples", "N", "parameter sets (default 1000, or 10000 draws with data)", 0, false},
      {"start", "T0", "time to start at (default: the model's, else 0)", 0, false},
      {"end", "T", "time to end at (default: the model's customary end, else 100)", 0, false},
      {"points", "N", "N + 1 rows, evenly spaced from start to end (default 100)", 0, false},
      {"method", "M", "an integrator of 'stiffit methods'; with data: of 'stiffit fit'", 0, false},
      {"rtol", "R", "relative tolerance (default 1e-6)", 0, false},
      {"atol", "A", "absolute tolerance (default: scaled for each species)", 0, false},
      max_step_option(),
      set_option(),
      assume_option(),
      {"show", "a,b,...", "columns: names, [S] concentration, amount(S), rate(J), S'", 0, false},
      {"output", "DIR",
       "folder for bands.csv, failures.csv, result.json, report.html and the run's state", 'o',
       false},
      {"rows", "", "also samples.csv: the curves of every sample", 0, false},
      {"histogram", "N", "also histograms.csv: N bins for each time and quantity", 0, false},
      {"resume", "", "goes on with the run in DIR", 0, false},
  };
  for (const OptionSpec& option : posterior_options())
    if (std::none_of(s.options.begin(), s.options.end(),
                     [&](const OptionSpec& known) { return known.name == option.name; }))
      s.options.push_back(option);
  s.notes =
      "With data (PROBLEM is a PEtab YAML file, or a model with --data and --estimate) it is "
      "fitted\n"
      "first, and chains draw from the distribution of the unknowns given the data. A run that "
      "has\n"
      "not converged by its R-hat and effective samples says so and ends with exit code 3. DIR "
      "gets\n"
      "intervals.tsv, draws.csv, bands.csv (every species, measured or not), result.json and "
      "report.html.\n"
      "Without data, columns for each quantity x: mean(x), sd(x), and quantiles q2.5(x) to "
      "q97.5(x), known to\n"
      "0.4 %. Memory does not grow with the number of samples, and the result is the same for any\n"
      "number of threads. A sample that fails is left out, listed with its parameters, and does\n"
      "not stop the others.";
  s.examples = {
      {"stiffit ensemble oregonator --sample \"f=lognormal(1,0.2)\" --samples 100000",
       "bands of 100,000 trajectories"},
      {"stiffit ensemble escep --sample \"k1=uniform(0.5,2)\" --sample \"S=normal(1,0.1)\" -o "
       "cloud",
       "two unknowns, into a folder"},
      {"stiffit ensemble problem.yaml -o out", "what the data of a PEtab problem leave open"},
  };
  return s;
}

RunSettings settings_of(const EnsemblePlan& plan, const Arguments& arguments) {
  RunSettings s{{"version", version()},
                {"model", arguments.positional().front()},
                {"method", plan.integration.method},
                {"samples", std::to_string(plan.samples)},
                {"seed", std::to_string(plan.seed)},
                {"rtol", format_number(plan.integration.rtol)},
                {"atol", format_number(plan.integration.atol)},
                {"start", format_number(plan.start)},
                {"end", format_number(plan.times.back())},
                {"points", std::to_string(plan.times.size() - 1)},
                {"rows", arguments.has("rows") ? "yes" : "no"}};
  add_options(s, arguments, {"sample", "set", "show", "max-step"});
  add_input_hashes(s, arguments);
  return s;
}

void check_folder_options(const Arguments& arguments) {
  if (arguments.has("output")) return;
  for (const char* option : {"resume", "rows", "histogram"})
    if (arguments.has(option))
      throw UsageError(std::string("--") + option + " needs the folder of the run",
                       "name it with -o DIR");
}

int end_ensemble(const Ensemble& ensemble, bool interrupted, const Console& console) {
  if (ensemble.failures() > 0) {
    const FailedSample& first = ensemble.failed().front();
    console.messages << "warning: " << ensemble.failures() << " of " << ensemble.done()
                     << " samples failed and are left out; the first, number " << first.sample
                     << ": " << first.reason << "\n";
  }
  if (interrupted)
    console.messages << "error: interrupted after " << ensemble.done() << " of "
                     << ensemble.plan().samples << " samples; the bands are of those\n";
  return interrupted || ensemble.failures() == ensemble.done() ? exit_numerics_failed : exit_done;
}

PlannedEnsemble plan_of(const Arguments& arguments,
                        const std::vector<ParameterDistribution>& sampled, const Console& console) {
  const TimeCourseOptions options = many_runs_options(arguments, console, 100);
  EnsemblePlan wanted;
  wanted.samples = arguments.count("samples", wanted.samples);
  wanted.seed = seed_option(arguments);
  wanted.threads = threads_option(arguments);
  LoadedModel loaded = load_model(arguments.positional().front());
  console.messages << loaded.warnings;
  PlannedEnsemble planned = plan_ensemble(loaded.model, options, sampled);
  planned.plan.samples = wanted.samples;
  planned.plan.seed = wanted.seed;
  planned.plan.threads = wanted.threads;
  return planned;
}

int run_ensemble_command(const Arguments& arguments, const Console& console) {
  if (is_posterior(arguments)) return run_posterior(arguments, console);
  check_folder_options(arguments);
  const std::vector<ParameterDistribution> sampled = sample_options(arguments.all("sample"));
  if (sampled.empty())
    throw UsageError("ensemble needs at least one --sample name=dist(...)",
                     "for instance --sample \"k1=lognormal(1,0.2)\"");
  const std::string name = arguments.positional().front();
  if (arguments.has("report")) require_writable(arguments.text("report"));
  PlannedEnsemble planned = plan_of(arguments, sampled, console);
  Ensemble ensemble(std::move(planned.plan));
  if (helps_others(console)) {
    serve_ensemble(ensemble, *console.crew);
    return exit_done;
  }
  RunSettings settings = settings_of(ensemble.plan(), arguments);
  std::unique_ptr<RunFolder> folder;
  std::unique_ptr<CheckpointedEnsemble> kept;
  if (arguments.has("output")) {
    folder = std::make_unique<RunFolder>(arguments.text("output"), "ensemble", settings,
                                         arguments.has("resume"));
    console.messages << folder->warning();
    std::optional<CheckpointedEnsemble::Rows> rows;
    if (arguments.has("rows"))
      rows = {samples_header(ensemble, sampled),
              [&](std::string& text, long sample, const SampleRun& one) {
                append_sample(text, ensemble, sample, one.table);
              }};
    kept = std::make_unique<CheckpointedEnsemble>(ensemble, *folder, std::move(rows));
  }

  ProgressBar bar(console.messages, console.messages_on_terminal,
                  static_cast<double>(ensemble.done()),
                  static_cast<double>(ensemble.plan().samples), "samples", console.progress);
  bool interrupted = false;
  while (!ensemble.finished() && !interrupted) {
    interrupted = !(kept           ? kept->advance(console.crew)
                    : console.crew ? advance_together(ensemble, *console.crew, {})
                                   : ensemble.advance());
    bar.at(static_cast<double>(ensemble.done()));
  }
  bar.clear();
  if (interrupted) InterruptScope::heard();

  if (folder) {
    write_table(*folder, "bands.csv", bands_csv(ensemble), settings);
    write_table(*folder, "failures.csv", failures_csv(ensemble, sampled), settings);
    if (arguments.has("histogram"))
      write_table(*folder, "histograms.csv",
                  histograms_csv(ensemble, arguments.count("histogram", 1)), settings);
    if (arguments.has("rows")) note_table(*folder, "samples.csv", settings);
    write_file(folder->file("result.json"), ensemble_json(ensemble, sampled, name, settings));
  }
  if (folder || arguments.has("report")) {
    const std::string page =
        ensemble_page({shown_name(name), planned.model, ensemble, sampled, settings});
    if (folder) write_file(folder->file("report.html"), page);
    if (arguments.has("report")) write_file(arguments.text("report"), page);
  }
  if (arguments.has("json"))
    deliver(ensemble_json(ensemble, sampled, name, settings), console);
  else if (!folder)
    deliver(bands_csv(ensemble), console);
  return end_ensemble(ensemble, interrupted, console);
}

}  // namespace

Command ensemble_command() { return {ensemble_spec(), run_ensemble_command, true}; }

}  // namespace stiffit
