// `stiffit profile`: profile likelihoods and their intervals.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/problem_option.h"
#include "estimation/pipeline/fit_fields.h"
#include "report/fit_files.h"
#include "report/fit_summary.h"

namespace stiffit::internal {
namespace {

CommandSpec profile_spec() {
  CommandSpec s;
  s.name = "profile";
  s.arguments = "PROBLEM";
  s.summary = "profile likelihoods of the estimated parameters, and their intervals";
  s.fewest = s.most = 1;
  // What it has beyond a fit, the problem, and the fit that comes first.
  const std::size_t own = profile_fields().size() - search_fields().size();
  s.options = option_specs(profile_fields());
  const std::vector<OptionSpec> problem = problem_options();
  s.options.insert(s.options.begin() + static_cast<std::ptrdiff_t>(own), problem.begin(),
                   problem.end());
  s.options = with_general_options(std::move(s.options));
  s.notes =
      "The problem is fitted first, as 'stiffit fit' does; --start-from parameters.tsv makes that\n"
      "quick. Then each parameter is moved to both sides, the others fitted anew at every step, "
      "until\n"
      "the fit is worse at the 95 % level, a bound is reached, nothing changes, or the model "
      "cannot\n"
      "be integrated; which of these is said. DIR gets profile.json, intervals.tsv, profiles.tsv "
      "and\n"
      "profile.hdf5 and report.html.";
  s.examples = {
      {"stiffit profile problem.yaml --start-from out/parameters.tsv -o out", "all parameters"},
      {"stiffit profile problem.yaml --parameters k1,k2", "two of them, printed"},
  };
  return s;
}

int run_profile_command(const Arguments& arguments, const Console& console) {
  api::ProfileOptions options;
  read_fields(profile_fields(), arguments, options);
  check_options(options);
  ConsoleRun shown(console);
  prepare_files(options.fit, shown.context);
  FitProblem problem = load_problem(arguments, console);
  ProfileRun profile =
      run_profile(std::move(problem), options, inputs_of(arguments), shown.context);
  write_files(profile, options.fit);
  if (profile.is_worker) return exit_done;
  if (!profile.fitted()) {
    console.messages << unfitted(profile.fit) << "\n";
    return exit_numerics_failed;
  }
  if (arguments.has("json"))
    deliver(profile_json(profile.summary), console);
  else if (!profile.directory)
    deliver(profile_text(profile.summary), console);
  if (!profile.summary.interrupted) return exit_done;
  console.messages << "interrupted" << (profile.directory ? "; --resume goes on\n" : "\n");
  return exit_numerics_failed;
}

}  // namespace

Command profile_command() { return {profile_spec(), run_profile_command, true}; }

}  // namespace stiffit::internal
