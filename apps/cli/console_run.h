// A run as the command line shows it: messages and a bar on the console.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "report/progress.h"
#include "stiffit/options.h"

namespace stiffit::internal {

class ConsoleRun {
 public:
  // `run` speaks to this object from now on, and is stopped by the console.
  ConsoleRun(const Console& console, api::RunOptions& run);
  ConsoleRun(const ConsoleRun&) = delete;
  ConsoleRun& operator=(const ConsoleRun&) = delete;

  // Those of a result that were not told while it ran.
  std::vector<std::string> untold(const std::vector<std::string>& messages) const;
  void clear() { bar_.reset(); }  // wipes the bar, so that messages start on a clean line

 private:
  void show(const api::Progress& progress);

  const Console& console_;
  std::size_t told_ = 0;
  std::optional<ProgressBar> bar_;
};

// What stops a reading.
inline api::RunOptions reading(const Console& console) {
  api::RunOptions run;
  run.interrupt = console.interrupt;
  return run;
}

}  // namespace stiffit::internal
