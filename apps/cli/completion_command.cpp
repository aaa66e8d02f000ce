// `stiffit completion` and `stiffit man`: what a shell and `man` want to know of the commands.
// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"
#include "cli/commands.h"
#include "cli/completion.h"

namespace stiffit::internal {
namespace {

CommandSpec completion_spec() {
  CommandSpec s;
  s.name = "completion";
  s.arguments = "bash|zsh|fish";
  s.summary = "a script that completes commands, options and values in a shell";
  s.fewest = s.most = 1;
  s.notes = "An installed Stiffit has brought these scripts to where shells look for them.";
  s.examples = {{"eval \"$(stiffit completion bash)\"", "in ~/.bashrc"},
                {"stiffit completion zsh > ~/.zfunc/_stiffit", "in a folder of zsh's fpath"},
                {"stiffit completion fish > ~/.config/fish/completions/stiffit.fish", "for fish"}};
  return s;
}

int run_completion(const Specs& specs, const Arguments& arguments, const Console& console) {
  const std::string& shell = arguments.positional().front();
  if (shell == "bash")
    deliver(bash_completion(specs()), console);
  else if (shell == "zsh")
    deliver(zsh_completion(specs()), console);
  else if (shell == "fish")
    deliver(fish_completion(specs()), console);
  else
    throw UsageError("there is no completion for '" + shell + "'", "bash, zsh and fish have one");
  return exit_done;
}

CommandSpec man_spec() {
  CommandSpec s;
  s.name = "man";
  s.summary = "the manual page, as 'man' reads it";
  s.examples = {{"stiffit man | man -l -", "shows it"}};
  return s;
}

}  // namespace

Command completion_command(const Specs& specs) {
  return {completion_spec(), [specs](const Arguments& arguments, const Console& console) {
            return run_completion(specs, arguments, console);
          }};
}

Command man_command(const Specs& specs) {
  return {man_spec(), [specs](const Arguments&, const Console& console) {
            deliver(manual_page(specs(), version()), console);
            return exit_done;
          }};
}

}  // namespace stiffit::internal
