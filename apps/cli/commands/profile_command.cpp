// `stiffit profile`: profile likelihoods and their intervals.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "base/files/output_file.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/problem_option.h"

namespace stiffit::internal {
namespace {

CommandSpec profile_spec() {
  CommandSpec s;
  s.name = "profile";
  s.arguments = "PROBLEM";
  s.summary = "profile likelihoods of the estimated parameters, and their intervals";
  s.fewest = s.most = 1;
  // What it has beyond a fit, the problem, and the fit that comes first.
  s.options = option_specs<api::ProfileOptions>();
  const std::size_t own = s.options.size() - search_options().size();
  const std::vector<OptionSpec> problem = problem_options();
  s.options.insert(s.options.begin() + static_cast<std::ptrdiff_t>(own), problem.begin(),
                   problem.end());
  s.options = with_general_options(std::move(s.options));
  s.notes =
      "The problem is fitted first, as 'stiffit fit' does; --start-from parameters.tsv makes that\n"
      "quick. Then each parameter is moved to both sides, the others fitted anew at every step, "
      "until\n"
      "the fit is worse at the level asked for, a bound is reached, nothing changes, or the model "
      "cannot\n"
      "be integrated; which of these is said. DIR gets profile.json, intervals.tsv, profiles.tsv "
      "and\n"
      "profile.hdf5 and report.html.";
  s.examples = {
      {"stiffit profile problem.yaml --start-from out/parameters.tsv -o out", "all parameters"},
      {"stiffit profile problem.yaml --parameters k1,k2", "two of them, printed"},
      {"stiffit profile problem.yaml --predict \"P at 300\"", "and how sure that value is"},
      {"stiffit profile problem.yaml --pairs k1:k2", "and the region of two at once"},
  };
  return s;
}

int run_profile_command(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::ProfileOptions>(arguments);
  ConsoleRun shown(console, options.fit.run);
  if (!options.fit.report.empty()) require_writable(options.fit.report);
  const api::Problem problem = load_problem(arguments, console);
  api::Profiles profiles;
  try {
    profiles = problem.profile(options);
  } catch (const api::NumericsError& error) {
    shown.clear();
    console.messages << error.what();
    return exit_numerics_failed;
  }
  shown.clear();
  if (profiles.worker) return exit_done;
  if (!profiles.message.empty()) {
    console.messages << profiles.message << "\n";
    return exit_numerics_failed;
  }
  if (profiles.json.empty()) throw api::Interrupted();  // before there was anything to keep
  const bool kept = !options.fit.output.empty();
  if (arguments.has("json"))
    deliver(profiles.json, console);
  else if (!kept)
    deliver(profiles.text, console);
  if (!profiles.interrupted) return exit_done;
  console.messages << "interrupted" << (kept ? "; --resume goes on\n" : "\n");
  return exit_numerics_failed;
}

}  // namespace

Command profile_command() { return {profile_spec(), run_profile_command, true}; }

}  // namespace stiffit::internal
