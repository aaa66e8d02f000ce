// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/posterior_command.h"

#include <algorithm>
#include <ostream>

#include "analysis/pipeline/simulation_fields.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/problem_option.h"
#include "estimation/pipeline/fit_fields.h"
#include "io/petab/read_petab.h"
#include "report/fit_files.h"
#include "report/posterior_tables.h"

namespace stiffit::internal {
namespace {

int end_posterior(const Posterior& p, bool kept, const Console& console) {
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
  std::vector<OptionSpec> options = problem_options();
  for (OptionSpec& o : option_specs(search_fields())) options.push_back(std::move(o));
  options = with_general_options(std::move(options));
  for (OptionSpec& o : option_specs(posterior_fields()))
    if (std::none_of(options.begin(), options.end(),
                     [&](const OptionSpec& known) { return known.name == o.name; }))
      options.push_back(std::move(o));
  return options;
}

int run_posterior(const Arguments& arguments, const Console& console) {
  api::PosteriorOptions options;
  read_fields(posterior_fields(), arguments, options);
  check_options(options);
  for (const FieldInfo& f : parameter_ensemble_fields())
    if (arguments.has(f.name) && !is_field(posterior_fields(), f.name))
      throw UsageError("--" + f.name + " is for ensembles of a model without data");
  ConsoleRun shown(console);
  prepare_files(options.fit, shown.context);
  FitProblem problem = load_problem(arguments, console);
  PosteriorRun run =
      run_posterior(std::move(problem), options, inputs_of(arguments), shown.context);
  write_files(run, options.fit);
  if (run.is_worker) return exit_done;
  if (!run.fitted()) {
    console.messages << unfitted(run.fit) << "\n";
    return exit_numerics_failed;
  }
  if (arguments.has("json"))
    deliver(posterior_json(run.posterior), console);
  else if (!run.directory)
    deliver(posterior_text(run.posterior), console);
  return end_posterior(run.posterior, run.directory != nullptr, console);
}

}  // namespace stiffit::internal
