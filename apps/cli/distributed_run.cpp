// SPDX-License-Identifier: Apache-2.0
#include "cli/distributed_run.h"

#include <exception>
#include <sstream>

#include "cli/commands.h"
#include "runtime/distributed/load_channel.h"
#include "runtime/distributed/worker_pool.h"

namespace stiffit::internal {

int run_distributed(const std::vector<std::string>& words, const Console& console) {
  std::unique_ptr<Channel> channel;
  try {
    channel = load_channel();
  } catch (const std::exception& error) {
    console.messages << error.what() << "\n";
    return exit_bad_input;
  }
  WorkerPool workers(std::move(channel), console.interrupt);
  if (workers.is_coordinator()) {
    Console own = console;
    own.workers = &workers;
    return run_stiffit(words, own);
  }
  std::ostringstream out, messages;
  const Console quiet{out, messages, false, workers.interrupted(), &workers};
  // What is wrong for all the coordinator says itself; what is wrong here alone it has to be told.
  if (run_stiffit(words, quiet) != exit_done) workers.decline(messages.str());
  return exit_done;
}

}  // namespace stiffit::internal
