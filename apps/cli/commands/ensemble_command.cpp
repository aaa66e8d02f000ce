// `stiffit ensemble`: an ensemble of parameter sets, simulated and reduced to bands.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "analysis/pipeline/simulation_fields.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/commands/posterior_command.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "io/files/load_model.h"
#include "report/parameter_ensemble_run.h"
#include "report/tables/ensemble_tables.h"

namespace stiffit::internal {
namespace {

CommandSpec ensemble_spec() {
  CommandSpec s;
  s.name = "ensemble";
  s.arguments = "PROBLEM|MODEL";
  s.summary =
      "parameters that fit the data and their predictions; or an ensemble of parameter sets";
  s.fewest = s.most = 1;
  s.options = option_specs(parameter_ensemble_fields());
  std::erase_if(s.options, [](const OptionSpec& o) { return o.name == "report"; });  // as of fits
  for (const OptionSpec& option : posterior_options())
    if (std::none_of(s.options.begin(), s.options.end(),
                     [&](const OptionSpec& known) { return known.name == option.name; }))
      s.options.push_back(option);
  s.notes =
      "With data (PROBLEM is a PEtab YAML file, or a model with --data and --estimate) it is "
      "fitted\n"
      "first, and chains draw from the distribution of the estimated parameters given the data. A "
      "run that "
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
       "bands",
       "two sampled parameters, into a folder"},
      {"stiffit ensemble problem.yaml -o out", "what the data of a PEtab problem leave open"},
  };
  return s;
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

int run_ensemble_command(const Arguments& arguments, const Console& console) {
  if (is_posterior(arguments)) return run_posterior(arguments, console);
  api::ParameterEnsembleOptions options;
  read_fields(parameter_ensemble_fields(), arguments, options);
  check_options(options);
  options.run.interrupt = console.interrupt;
  ConsoleRun shown(console);
  RunInputs inputs{arguments.positional().front(), {}};
  inputs.settings = {{"version", version()}, {"model", inputs.name}};
  add_input_hashes(inputs.settings, arguments);
  LoadedModel loaded = load_model(inputs.name);
  console.messages << loaded.warnings;
  const ParameterEnsembleRun run =
      run_parameter_ensemble(loaded.model, options, inputs, shown.context);
  if (run.is_worker) return exit_done;
  if (arguments.has("json"))
    deliver(ensemble_json(*run.ensemble, run.sampled, inputs.name, run.provenance), console);
  else if (options.output.empty())
    deliver(bands_csv(*run.ensemble), console);
  return end_ensemble(*run.ensemble, run.interrupted, console);
}

}  // namespace

Command ensemble_command() { return {ensemble_spec(), run_ensemble_command, true}; }

}  // namespace stiffit::internal
