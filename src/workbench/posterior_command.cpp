// SPDX-License-Identifier: Apache-2.0
#include "workbench/posterior_command.h"

#include <ostream>

#include "cli/problem_option.h"
#include "io/petab/read_petab.h"
#include "workbench/whole_posterior.h"

namespace stiffit {
namespace {

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
  PosteriorWishes wishes = read_posterior_wishes(arguments, console);
  FitProblem problem = load_problem(arguments, console);
  const WholePosterior whole =
      run_whole_posterior(std::move(problem), std::move(wishes), arguments, console);
  if (whole.helped) return exit_done;
  if (!whole.fitted()) {
    console.messages << unfitted(whole.fit) << "\n";
    return exit_numerics_failed;
  }
  if (arguments.has("json"))
    deliver(posterior_json(whole.posterior), console);
  else if (!whole.kept)
    deliver(posterior_text(whole.posterior), console);
  return end(whole.posterior, whole.kept, console);
}

}  // namespace stiffit
