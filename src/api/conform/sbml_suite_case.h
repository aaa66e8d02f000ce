// One case of the SBML semantic suite: settings.txt and results.csv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

struct SbmlSuiteCase {
  std::string id;
  double start = 0, duration = 0;
  long steps = 0;
  double absolute = 0, relative = 0;
  std::vector<std::string> variables, amounts, concentrations;
  std::vector<std::string> columns;           // of the results, without time
  std::vector<double> times;                  // of the results
  std::vector<std::vector<double>> expected;  // [row][column]
  std::vector<std::string> models;            // paths, by level and version
};

// Throws InputError for what is missing or cannot be read.
SbmlSuiteCase read_suite_case(const std::string& folder);

// The level and version in a model's file name: "l3v2".
std::string level_of(const std::string& path);

}  // namespace stiffit::internal
