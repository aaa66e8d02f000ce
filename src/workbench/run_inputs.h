// Which files a run depends on, and whether they are still the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "keep/run_folder.h"
#include "workbench/command_line.h"

namespace stiffit {

// "input FILE" = SHA-256 for the files named on the command line and those that they name.
void add_input_hashes(RunSettings& settings, const Arguments& arguments);

}  // namespace stiffit
