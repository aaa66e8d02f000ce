// From what the user calls PROBLEM to a fitting problem.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem/fit_problem.h"
#include "workbench/command_line.h"
#include "workbench/console.h"

namespace stiffit {

// The problem that the first positional argument names: a PEtab YAML file. Warnings go to the
// console; InputError, with all findings rendered, if there is an error.
FitProblem load_problem(const Arguments& arguments, const Console& console);

}  // namespace stiffit
