// What a process of the program ends with; scripts depend on these.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::internal {

enum ExitCode {
  exit_done = 0,
  exit_bad_input = 1,
  exit_bad_command_line = 2,
  exit_numerics_failed = 3,
  exit_our_bug = 70,
};

}  // namespace stiffit::internal
