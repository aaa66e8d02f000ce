// A model, tables of measurements and what is unknown -> a fitting problem. The way in for a person
// with curves from a photometer; docs/data-tables.md describes the tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/fit_problem.h"

namespace stiffit::internal {

struct DataFile {
  std::string name;  // as the user calls it
  std::string text;
};

struct DataRequest {
  std::vector<DataFile> files;
  std::vector<std::string> estimates;    // name[=start][:low:high[:log|lin]],...
  std::vector<std::string> observes;     // NAME = formula
  std::vector<std::string> noises = {};  // NAME[@EXPERIMENT] = formula, @each: one for each of them
  std::string weights = {};              // absolute (default) or relative: what columns sd(...) are
  std::string noise_distribution = {};   // normal (default), laplace or student-t[:FREEDOM|:?]
};

struct DataProblem {
  std::optional<FitProblem> problem;  // nothing if there is an error
  std::string findings;               // rendered: all errors and warnings
  bool only_options_wrong = false;    // no error is in a table
};

DataProblem read_data(const std::shared_ptr<const Model>& model, const DataRequest& request);

}  // namespace stiffit::internal
