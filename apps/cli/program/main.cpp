// The program: hands its words to the commands. Ctrl-C asks the run to stop and to keep what it
// has; a second one ends the process at once.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

#include "cli/commands.h"
#include "cli/distributed_run.h"
#include "cli/program/serve_command.h"
#include "stiffit/processes.h"

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void on_signal(int) { interrupted.store(true); }

void catch_signal(int number) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(number, &action, nullptr);
}

}  // namespace

int main(int count, char** words) {
  catch_signal(SIGINT);
  catch_signal(SIGTERM);
  std::ios::sync_with_stdio(false);
  stiffit::internal::Console console{std::cout, std::cerr, isatty(STDERR_FILENO) == 1,
                                     &interrupted};
  const std::vector<std::string> arguments{words + (count > 0), words + count};
  if (stiffit::Processes::launched()) return stiffit::internal::run_distributed(arguments, console);
  return stiffit::internal::run_stiffit(arguments, console, {stiffit::internal::serve_command()});
}
