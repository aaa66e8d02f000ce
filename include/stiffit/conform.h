// The field's own test suites: whether the library gives what their cases expect.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stiffit/options.h"

namespace stiffit {
inline namespace api {

// One model file of one case of the SBML semantic suite.
struct SbmlSuiteResult {
  std::string case_id;  // "00001"
  std::string level;    // "l3v2"
  bool passed = false;
  bool skipped = false;  // its model names a file that the suite does not hold
  std::string reason;    // why not passed, in one line
  // CPU seconds; `read` is ours, `parse` is libSBML's part of it.
  double parse = 0, read = 0, compile = 0, integrate = 0;
};

// One problem of the PEtab suite.
struct PetabSuiteResult {
  std::string case_id;  // "0001"
  bool passed = false;
  std::string reason;  // why not, in one line
  double llh = 0, chi2 = 0;
  double seconds = 0;
};

using CaseRanges = std::vector<std::pair<int, int>>;  // both ends included
CaseRanges case_ranges(const std::string& text);      // "1-20,35"; throws InputError

// In the order of cases and levels. `cases` empty: all of the folder. Throw InputError if it holds
// no case, and Interrupted.
std::vector<SbmlSuiteResult> conform_sbml(const std::string& folder, const CaseRanges& cases = {},
                                          const RunOptions& run = {});
std::vector<PetabSuiteResult> conform_petab(const std::string& folder, const RunOptions& run = {});

}  // namespace api
}  // namespace stiffit
