// A run as the command line shows it: messages and a bar on the console.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cli/command_line.h"
#include "cli/console.h"
#include "estimation/pipeline/run_context.h"
#include "report/progress.h"

namespace stiffit::internal {

class ConsoleRun {
 public:
  explicit ConsoleRun(const Console& console);
  ConsoleRun(const ConsoleRun&) = delete;
  ConsoleRun& operator=(const ConsoleRun&) = delete;

  RunContext context;  // speaks to this object

 private:
  void show(const RunProgress& progress);

  const Console& console_;
  std::optional<ProgressBar> bar_;
};

// What the words of the command line say of the problem, and hashes of the files that they name.
RunInputs inputs_of(const Arguments& arguments);

}  // namespace stiffit::internal
