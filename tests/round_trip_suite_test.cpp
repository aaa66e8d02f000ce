// Models of others, written and read again: the SBML semantic suite and BioNetGen networks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/fba/solve_flux_balance.h"
#include "api/conform/sbml_suite_case.h"
#include "base/diagnostic.h"
#include "places.h"
#include "round_trip.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;
const std::string shared = shared_path("");

std::vector<std::string> case_folders() {
  std::vector<std::string> folders;
  std::error_code none;
  for (auto& entry : fs::directory_iterator(shared + "/sbml-suite/semantic", none))
    if (entry.is_directory()) folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  return folders;
}

TEST(RoundTripSuite, EveryTenthCase) {
  std::vector<std::string> folders = case_folders();
  STIFFIT_NEEDS_SHARED("sbml-suite");
  ASSERT_FALSE(folders.empty());
  int stride = 10, compared = 0;
  if (const char* asked = std::getenv("STIFFIT_ROUND_TRIP_STRIDE")) stride = std::atoi(asked);
  for (std::size_t i = 0; i < folders.size(); i += static_cast<std::size_t>(stride)) {
    SbmlSuiteCase c = read_suite_case(folders[i]);
    if (c.steps == 0 || c.models.empty()) continue;  // flux balance
    SCOPED_TRACE(c.models.back());
    SharedModel model = model_file(c.models.back());
    double end = c.start + c.duration;
    for (auto through : {through_text, through_sbml}) {
      try {
        EXPECT_EQ(first_difference(model, through(model), end, 1e-9), "")
            << (through == through_text ? "text" : "SBML");
        ++compared;
      } catch (const InputError& trouble) {
        ADD_FAILURE() << trouble.what();
      }
    }
  }
  EXPECT_GT(compared, 150);
}

TEST(RoundTripSuite, FluxBalance) {
  std::vector<std::string> folders = case_folders();
  STIFFIT_NEEDS_SHARED("sbml-suite");
  ASSERT_FALSE(folders.empty());
  int compared = 0;
  for (const std::string& folder : folders) {
    SbmlSuiteCase c = read_suite_case(folder);
    if (c.steps != 0 || c.models.empty()) continue;
    SharedModel model = model_file(c.models.back());
    if (!model->flux_balance) continue;
    SCOPED_TRACE(c.models.back());
    SharedModel again = through_sbml(model);
    ASSERT_TRUE(again->flux_balance);
    FluxBalanceSolution one = solve_flux_balance(model), two = solve_flux_balance(again);
    ASSERT_EQ(one.objectives.size(), two.objectives.size());
    for (std::size_t i = 0; i < one.objectives.size(); ++i) {
      EXPECT_EQ(model->flux_balance->objectives[i].id, again->flux_balance->objectives[i].id);
      if (std::isnan(one.objectives[i]) && std::isnan(two.objectives[i])) continue;
      EXPECT_NEAR(one.objectives[i], two.objectives[i], 1e-9);
    }
    ++compared;
  }
  EXPECT_GT(compared, 5);
}

TEST(RoundTripSuite, Networks) {
  STIFFIT_NEEDS_SHARED("bng-net");
  int compared = 0;
  for (auto& entry : fs::recursive_directory_iterator(shared + "/bng-net")) {
    if (entry.path().extension() != ".net") continue;
    SCOPED_TRACE(entry.path().string());
    SharedModel model = model_file(entry.path().string());
    EXPECT_EQ(first_difference(model, through_sbml(model), 10, 1e-9), "");
    EXPECT_EQ(first_difference(model, through_text(model), 10, 1e-9), "");
    EXPECT_EQ(first_difference(model, through_net(model), 10, 1e-6), "");
    ++compared;
  }
  EXPECT_GT(compared, 5);
}

}  // namespace
}  // namespace stiffit::internal
