// The SBML semantic test suite: every case folder NNNNN with its settings, its expected results and
// its model in one or more levels. A value passes if |result - expected| <= absolute +
// relative*|expected|, tolerances as the case says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ode/options.h"
#include "stiffit/conform.h"

namespace stiffit::internal {

struct SbmlSuiteOptions {
  std::vector<std::pair<int, int>> cases;  // ranges, both ends included; empty: all
  int threads = 1;
  IntegrationOptions integration = suite_integration();
  std::function<void(std::size_t done, std::size_t all)> progress;  // from any thread, one at once

  // The product's own settings but for the tolerances: some cases ask for 1e-9.
  static IntegrationOptions suite_integration();
};

// In the order of cases and levels, whatever the number of threads. Throws InputError if `folder`
// holds no case.
std::vector<SbmlSuiteResult> conform_sbml(const std::string& folder,
                                          const SbmlSuiteOptions& options = {});

// "1-20,35" -> ranges. Throws InputError.
std::vector<std::pair<int, int>> parse_case_ranges(const std::string& text);

}  // namespace stiffit::internal
