// Forward sensitivities against a reference solution and against differences.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/diagnostic.h"
#include "sensitivity_trial.h"

namespace stiffit {
namespace {

TEST(Sensitivity, LotkaAgreesWithTheReference) {
  std::ifstream file(shared_path("reference/lotka_x_sens.csv"));
  if (!file) GTEST_SKIP() << "no reference solutions here";
  std::vector<double> times, expected;
  std::string line, cell;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::getline(cells, cell, ',');
    times.push_back(std::stod(cell));
    for (int i = 0; i < 4; ++i) std::getline(cells, cell, ',');
    while (std::getline(cells, cell, ',')) expected.push_back(std::stod(cell));
  }
  SensitivityTrial trial(resolve_library("lotka"), times, {"k1", "k2", "k3"});
  ASSERT_EQ(trial.names.size(), 3u);
  const SensitivityTrajectory run = trial.forward(1e-13);
  ASSERT_EQ(run.sensitivities.size(), expected.size());
  EXPECT_LT(trial.distance(run.sensitivities, expected), 1e-9);
  EXPECT_LT(trial.distance(trial.forward(1e-6).sensitivities, expected), 1e-3);
}

class SmallModels : public ::testing::TestWithParam<SmallModel> {};

TEST_P(SmallModels, SensitivitiesAgreeWithDifferences) {
  const SmallModel& small = GetParam();
  SensitivityTrial trial(resolve_library(small.name), even_times(small.end, 7));
  trial.zero_step = 1e-4;
  const std::vector<double> expected = trial.differences();
  EXPECT_LT(trial.distance(trial.forward(1e-11).sensitivities, expected), 3e-5);
  EXPECT_LT(trial.adjoint_distance(1e-8), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Library, SmallModels, ::testing::ValuesIn(small_library_models()),
                         [](const auto& model) { return test_name(model.param.name); });

}  // namespace
}  // namespace stiffit
