// What a command line calls PROBLEM.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "stiffit/problem.h"

namespace stiffit::internal {

// The options that say what PROBLEM is; every command that takes one has them.
std::vector<OptionSpec> problem_options();

// The problem that the first positional argument names: a PEtab YAML file, or a model with the
// tables of --data and what --estimate and --observe say. Warnings go to the console;
// api::InputError, with all findings rendered, if there is an error.
api::Problem load_problem(const Arguments& arguments, const Console& console);

}  // namespace stiffit::internal
