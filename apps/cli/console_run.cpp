// SPDX-License-Identifier: Apache-2.0
#include "cli/console_run.h"

#include <ostream>

#include "base/files/read_file.h"
#include "base/version.h"
#include "cli/run_inputs.h"

namespace stiffit::internal {

ConsoleRun::ConsoleRun(const Console& console) : console_(console) {
  context.message = [&](const std::string& text) {
    console_.messages << text << (text.ends_with("\n") ? "" : "\n");
  };
  context.progress = [this](const RunProgress& progress) { show(progress); };
  context.interrupt = console.interrupt;
  context.workers = console.workers;
  context.read_file = [](const std::string& path) { return read_file(path); };
}

void ConsoleRun::show(const RunProgress& progress) {
  if (progress.ended) {
    bar_.reset();
    return;
  }
  if (!bar_)
    bar_.emplace(console_.messages, console_.messages_on_terminal, 0, progress.total,
                 progress.things, console_.progress);
  bar_->at(progress.done);
}

RunInputs inputs_of(const Arguments& arguments) {
  RunInputs inputs;
  inputs.name = arguments.positional().front();
  inputs.settings = {{"version", version()}, {"problem", inputs.name}};
  add_options(inputs.settings, arguments, {"data", "estimate", "observe"});
  add_input_hashes(inputs.settings, arguments);
  return inputs;
}

}  // namespace stiffit::internal
