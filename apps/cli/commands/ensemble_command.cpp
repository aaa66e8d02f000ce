// `stiffit ensemble`: an ensemble of parameter sets, simulated and reduced to bands.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "base/number.h"
#include "cli/commands.h"
#include "cli/commands/posterior_command.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "stiffit/model.h"

namespace stiffit::internal {
namespace {

CommandSpec ensemble_spec() {
  CommandSpec s;
  s.name = "ensemble";
  s.arguments = "PROBLEM|MODEL";
  s.summary =
      "parameters that fit the data and their predictions; or an ensemble of parameter sets";
  s.fewest = s.most = 1;
  s.options = option_specs<api::ParameterEnsembleOptions>();
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

int end_ensemble(const api::ParameterEnsemble& ensemble, const Console& console) {
  if (ensemble.failures > 0)
    console.messages << "warning: " << ensemble.failures << " of " << ensemble.samples
                     << " samples failed and are left out; the first, number "
                     << ensemble.failed.front() << ": " << ensemble.reasons.front() << "\n";
  if (ensemble.interrupted)
    console.messages << "error: interrupted after " << ensemble.samples << " of "
                     << ensemble.samples_asked << " samples; the bands are of those\n";
  return ensemble.interrupted || ensemble.failures == ensemble.samples ? exit_numerics_failed
                                                                       : exit_done;
}

int run_ensemble_command(const Arguments& arguments, const Console& console) {
  if (is_posterior(arguments)) return run_posterior(arguments, console);
  auto options = read_options<api::ParameterEnsembleOptions>(arguments);
  ConsoleRun shown(console, options.run);
  const api::Model model = api::Model::load(arguments.positional().front(), reading(console));
  console.messages << model.warnings();
  const api::ParameterEnsemble ensemble = model.ensemble(options);
  shown.clear();
  if (ensemble.worker) return exit_done;
  if (ensemble.json.empty()) throw api::Interrupted();  // before there was anything to keep
  for (const api::DerivedDistribution& d : ensemble.derived)
    console.messages << d.name << " = " << d.formula << ": median " << format_short(d.median, 5)
                     << ", 95 % from " << format_short(d.low, 5) << " to "
                     << format_short(d.high, 5) << "\n";
  if (arguments.has("json"))
    deliver(ensemble.json, console);
  else if (options.output.empty())
    deliver(ensemble.text, console);
  return end_ensemble(ensemble, console);
}

}  // namespace

Command ensemble_command() { return {ensemble_spec(), run_ensemble_command, true}; }

}  // namespace stiffit::internal
