// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/posterior_command.h"

#include <algorithm>
#include <ostream>

#include "base/files/output_file.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/problem_option.h"

namespace stiffit::internal {
namespace {

int end_posterior(const api::Posterior& p, bool kept, const Console& console) {
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
  return arguments.has("data") || api::is_petab(arguments.positional().front());
}

std::vector<OptionSpec> posterior_options() {
  std::vector<OptionSpec> options = problem_options();
  for (OptionSpec& o : search_options()) options.push_back(std::move(o));
  options = with_general_options(std::move(options));
  for (OptionSpec& o : option_specs<api::PosteriorOptions>())
    if (std::none_of(options.begin(), options.end(),
                     [&](const OptionSpec& known) { return known.name == o.name; }))
      options.push_back(std::move(o));
  return options;
}

int run_posterior(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::PosteriorOptions>(arguments);
  const std::vector<api::ListedOption> known = api::option_list<api::PosteriorOptions>();
  for (const api::ListedOption& o : api::option_list<api::ParameterEnsembleOptions>())
    if (arguments.has(o.name) &&
        std::none_of(known.begin(), known.end(),
                     [&](const api::ListedOption& other) { return other.name == o.name; }))
      throw UsageError("--" + o.name + " is for ensembles of a model without data");
  ConsoleRun shown(console, options.fit.run);
  if (!options.fit.report.empty()) require_writable(options.fit.report);
  const api::Problem problem = load_problem(arguments, console);
  api::Posterior posterior;
  try {
    posterior = problem.ensemble(options);
  } catch (const api::NumericsError& error) {
    shown.clear();
    console.messages << error.what();
    return exit_numerics_failed;
  }
  shown.clear();
  if (posterior.worker) return exit_done;
  if (!posterior.message.empty()) {
    console.messages << posterior.message << "\n";
    return exit_numerics_failed;
  }
  if (posterior.json.empty()) throw api::Interrupted();  // before there was anything to keep
  const bool kept = !options.fit.output.empty();
  if (arguments.has("json"))
    deliver(posterior.json, console);
  else if (!kept)
    deliver(posterior.text, console);
  return end_posterior(posterior, kept, console);
}

}  // namespace stiffit::internal
