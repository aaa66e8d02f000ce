// From the files of a fitting problem to the problem.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/data/read_data.h"

namespace stiffit::internal {

struct LoadedProblem {
  FitProblem problem;
  std::string warnings;  // rendered; empty if there are none
};

// A PEtab YAML file and what it names, of its own folder only if that is asked for.
LoadedProblem load_petab(const std::string& path, bool only_beside = false);
// A model with tables; OptionError if only what is to be estimated and observed is wrong.
LoadedProblem load_data_problem(const std::shared_ptr<const Model>& model,
                                const DataRequest& request);
// Throws InputError that names all that cannot be read.
std::vector<DataFile> read_data_files(const std::vector<std::string>& names);

}  // namespace stiffit::internal
