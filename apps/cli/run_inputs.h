// Which files a run depends on, and whether they are still the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "cli/command_line.h"
#include "runtime/checkpoint/run_directory.h"

namespace stiffit::internal {

// Options that were given, by name; what an option was given several times stands side by side.
void add_options(RunSettings& settings, const Arguments& arguments,
                 std::initializer_list<const char*> names);

// Version, command, seed, what was asked for and with which options, and the hashes below: where a
// result came from. Options that only say where results go, or how fast, are left out.
RunSettings run_provenance(const std::string& command, const Arguments& arguments);

// "input FILE" = SHA-256 for the files named on the command line and those that they name.
void add_input_hashes(RunSettings& settings, const Arguments& arguments);

}  // namespace stiffit::internal
