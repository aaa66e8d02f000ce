// SPDX-License-Identifier: Apache-2.0
#include "cli/console_run.h"

#include <ostream>

namespace stiffit::internal {

ConsoleRun::ConsoleRun(const Console& console, api::RunOptions& run) : console_(console) {
  run.message = [this](const std::string& text) {
    ++told_;
    console_.messages << text << (text.ends_with("\n") ? "" : "\n");
  };
  run.stage = [this](const api::Progress& progress) { show(progress); };
  run.interrupt = console.interrupt;
  run.processes = console.workers;
}

void ConsoleRun::show(const api::Progress& progress) {
  if (progress.ended) return clear();
  if (!bar_)
    bar_.emplace(console_.messages, console_.messages_on_terminal, progress.first, progress.last,
                 progress.things, console_.progress);
  bar_->at(progress.at);
}

std::vector<std::string> ConsoleRun::untold(const std::vector<std::string>& messages) const {
  const auto first = static_cast<std::ptrdiff_t>(std::min(told_, messages.size()));
  return {messages.begin() + first, messages.end()};
}

}  // namespace stiffit::internal
