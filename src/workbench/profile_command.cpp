// `stiffit profile`: profile likelihoods and their intervals.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "cli/problem_option.h"
#include "workbench/whole_profile.h"

namespace stiffit {
namespace {

CommandSpec spec() {
  CommandSpec s;
  s.name = "profile";
  s.arguments = "PROBLEM";
  s.summary = "profile likelihoods of the unknowns, and their intervals";
  s.fewest = s.most = 1;
  s.options = fitting_options();
  s.options.insert(s.options.begin(),
                   {"parameters", "a,b,...", "only these (default: all unknowns)", 0, false});
  s.options.insert(s.options.begin() + 1,
                   {"points", "N", "at most so many on each side (default 60)", 0, false});
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

int run(const Arguments& arguments, const Console& console) {
  ProfileWishes wishes = read_profile_wishes(arguments, console);
  FitProblem problem = load_problem(arguments, console);
  const WholeProfile whole =
      run_whole_profile(std::move(problem), std::move(wishes), arguments, console);
  if (whole.helped) return exit_done;
  if (!whole.fitted()) {
    console.messages << unfitted(whole.fit) << "\n";
    return exit_numerics_failed;
  }
  if (arguments.has("json"))
    deliver(profile_json(whole.summary), console);
  else if (!whole.kept)
    deliver(profile_text(whole.summary), console);
  if (!whole.summary.interrupted) return exit_done;
  console.messages << "interrupted" << (whole.kept ? "; --resume goes on\n" : "\n");
  return exit_numerics_failed;
}

}  // namespace

Command profile_command() { return {spec(), run, true}; }

}  // namespace stiffit
