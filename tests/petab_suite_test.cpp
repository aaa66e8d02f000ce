// The PEtab test suite, where it is at hand.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "api/conform/conform_petab.h"
#include "estimation/objective/problem_objective.h"
#include "places.h"

namespace stiffit::internal {
namespace {

class PetabSuite : public testing::TestWithParam<const char*> {};

TEST_P(PetabSuite, EveryCase) {
  const std::string folder = std::string("petab-suite/") + GetParam();
  STIFFIT_NEEDS_SHARED(folder);
  const auto results = conform_petab(shared_path(folder), ObjectiveOptions::default_integration());
  EXPECT_GE(results.size(), 15u);
  for (const PetabSuiteResult& r : results) EXPECT_TRUE(r.passed) << r.case_id << ": " << r.reason;
}

INSTANTIATE_TEST_SUITE_P(Versions, PetabSuite, testing::Values("v1.0.0", "v2.0.0"),
                         [](const auto& p) { return std::string(p.param).substr(0, 2); });

}  // namespace
}  // namespace stiffit::internal
