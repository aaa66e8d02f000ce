// From what the user calls PROBLEM to a fitting problem.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/data/read_data.h"
#include "workbench/command_line.h"
#include "workbench/console.h"

namespace stiffit {

// The options that say what PROBLEM is; every command that takes one has them.
std::vector<OptionSpec> problem_options();

// The problem that the first positional argument names: a PEtab YAML file, or a model with the
// tables of --data and what --estimate and --observe say. Warnings go to the console; InputError
// (or UsageError if the options alone are wrong), with all findings rendered, if there is an error.
FitProblem load_problem(const Arguments& arguments, const Console& console);

struct LoadedProblem {
  FitProblem problem;
  std::string warnings;  // rendered; empty if there are none
};

// A PEtab YAML file and what it names, of its own folder only if that is asked for.
LoadedProblem load_petab(const std::string& path, bool only_beside = false);
// A model with tables; UsageError if only what is to be estimated and observed is wrong.
LoadedProblem load_data_problem(const std::shared_ptr<const Model>& model,
                                const DataRequest& request);
// Throws InputError that names all that cannot be read.
std::vector<DataFile> read_data_files(const std::vector<std::string>& names);

}  // namespace stiffit
