// SPDX-License-Identifier: Apache-2.0
#include "cli/distributed_run.h"

#include <exception>
#include <sstream>

#include "cli/commands.h"
#include "runtime/distributed/crew.h"
#include "runtime/distributed/load_channel.h"

namespace stiffit {

int run_distributed(const std::vector<std::string>& words, const Console& console) {
  std::unique_ptr<Channel> channel;
  try {
    channel = load_channel();
  } catch (const std::exception& error) {
    console.messages << error.what() << "\n";
    return exit_bad_input;
  }
  Crew crew(std::move(channel), console.interrupt);
  if (crew.chief()) {
    Console own = console;
    own.crew = &crew;
    return run_stiffit(words, own);
  }
  std::ostringstream out, messages;
  const Console quiet{out, messages, false, crew.interrupted(), &crew};
  // What is wrong for all the chief says itself; what is wrong here alone it has to be told.
  if (run_stiffit(words, quiet) != exit_done) crew.decline(messages.str());
  return exit_done;
}

}  // namespace stiffit
