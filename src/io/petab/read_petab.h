// PEtab problems, version 1 and 2: a YAML file that names a model and tables -> FitProblem. What is
// understood and what is checked is listed in docs/petab.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "model/fit_problem.h"

namespace stiffit::internal {

// The text of a file, without a byte order mark. Throws InputError if it cannot be had.
using FileReader = std::function<std::string(const std::string& path)>;

struct PetabReading {
  std::optional<FitProblem> problem;  // nothing if there is an error
  std::vector<Diagnostics> findings;  // one per file, in the order the files were opened

  bool has_errors() const;
  std::string text() const;  // of all findings, as a person reads them
};

// Reads the problem and everything it names. All mistakes are findings; only the YAML file itself
// must be there, else InputError.
PetabReading read_petab(const std::string& yaml_path, const FileReader& read);

// By its ending: .yaml or .yml.
bool is_petab_name(std::string_view path);

}  // namespace stiffit::internal
