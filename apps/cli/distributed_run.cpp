// SPDX-License-Identifier: Apache-2.0
#include "cli/distributed_run.h"

#include <exception>
#include <optional>
#include <sstream>

#include "cli/commands.h"

namespace stiffit::internal {

int run_distributed(const std::vector<std::string>& words, const Console& console) {
  std::optional<api::Processes> processes;
  try {
    processes.emplace(console.interrupt);
  } catch (const std::exception& error) {
    console.messages << error.what() << "\n";
    return exit_bad_input;
  }
  if (processes->is_coordinator()) {
    Console own = console;
    own.workers = &*processes;
    return run_stiffit(words, own);
  }
  std::ostringstream out, messages;
  const Console quiet{out, messages, false, processes->interrupted(), &*processes};
  // What is wrong for all the coordinator says itself; what is wrong here alone it has to be told.
  if (run_stiffit(words, quiet) != exit_done) processes->decline(messages.str());
  return exit_done;
}

}  // namespace stiffit::internal
