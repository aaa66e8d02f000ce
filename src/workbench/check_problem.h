// `stiffit check` for a PEtab problem: every finding about its files, and what it holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/fit_problem.h"
#include "workbench/command_line.h"
#include "workbench/console.h"

namespace stiffit {

// The exit code: 1 if there is an error.
int check_petab_problem(const std::string& path, const Arguments& arguments,
                        const Console& console);

// A few lines that say what a problem holds: model, parameters, experiments, observables, data.
std::string problem_summary(const FitProblem& problem);

}  // namespace stiffit
