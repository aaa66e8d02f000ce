// SPDX-License-Identifier: Apache-2.0
#include "stiffit/conform.h"

#include "analysis/pipeline/simulation_options.h"
#include "api/conform/conform_petab.h"
#include "api/conform/conform_sbml.h"
#include "api/impl.h"

namespace stiffit {
inline namespace api {

CaseRanges case_ranges(const std::string& text) {
  return at_border(nullptr, [&] { return parse_case_ranges(text); });
}

std::vector<SbmlSuiteResult> conform_sbml(const std::string& folder, const CaseRanges& cases,
                                          const RunOptions& run) {
  return at_border(run.interrupt, [&] {
    SbmlSuiteOptions options;
    options.cases = cases;
    options.threads = threads_of(run);
    options.integration.interrupt = run.interrupt;
    options.progress = [&](std::size_t done, std::size_t all) {
      const auto at = static_cast<double>(done), last = static_cast<double>(all);
      if (run.progress) run.progress(at / last);
      if (run.stage) run.stage({0, last, at, "cases", done == all});
    };
    return internal::conform_sbml(folder, options);
  });
}

std::vector<PetabSuiteResult> conform_petab(const std::string& folder, const RunOptions& run) {
  return at_border(run.interrupt, [&] {
    IntegrationOptions integration = internal::ObjectiveOptions::default_integration();
    integration.interrupt = run.interrupt;
    return internal::conform_petab(folder, integration);
  });
}

}  // namespace api
}  // namespace stiffit
