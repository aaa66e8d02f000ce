// Forward sensitivities against a reference solution and against differences.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/diagnostic.h"
#include "ode/method_registry.h"
#include "places.h"
#include "sensitivity/cvodes_sensitivities.h"
#include "sensitivity_trial.h"

namespace stiffit::internal {
namespace {

TEST(Sensitivity, LotkaAgreesWithTheReference) {
  std::ifstream file(reference_path("lotka_x_sens.csv"));
  ASSERT_TRUE(file);
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

TEST(Sensitivity, CvodesGivesTheSame) {
  for (const char* name : {"lotka", "oregonator", "repressilator", "water-stiff"}) {
    SensitivityTrial trial(resolve_library(name), even_times(name[0] == 'w' ? 0.1 : 20, 5));
    SensitivityOptions options;
    options.integration.rtol = 1e-9;
    options.error_control = true;
    const SensitivityTrajectory theirs =
        simulate_sensitivities_by_cvodes(*trial.problem, trial.request, options);
    ASSERT_EQ(theirs.trajectory.outcome.status, Status::done) << name;
    const SensitivityTrajectory ours = trial.forward(1e-11);
    EXPECT_LT(trial.distance(ours.sensitivities, theirs.sensitivities), 2e-4) << name;
  }
}

TEST(Sensitivity, ErrorControlHoldsTheirErrors) {
  SensitivityTrial trial(resolve_library("oregonator"), even_times(40, 10));
  const std::vector<double> expected = trial.forward(1e-12).sensitivities;
  const SensitivityTrajectory loose = trial.forward(1e-6),
                              held = trial.forward(1e-6, "rodas5p", true);
  EXPECT_GT(held.trajectory.outcome.counters.steps, loose.trajectory.outcome.counters.steps);
  EXPECT_LT(trial.distance(held.sensitivities, expected),
            trial.distance(loose.sensitivities, expected));
}

// Nothing moves, so the states alone would allow any step; x by k goes to -x/k all the same.
TEST(Sensitivity, HoldsFromASteadyState) {
  SensitivityTrial trial(resolve_varied("test", "x' = a - k*x^2; x = 2; a = 2; k = 0.5;"),
                         {0.3, 1, 3, 10}, {"k"});
  SensitivityOptions options;
  options.integration.rtol = 1e-8;
  const SensitivityTrajectory run = simulate_sensitivities(*trial.problem, trial.request, options);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(run.sensitivities[i], -2 * (1 - std::exp(-2 * trial.request.run.times[i])), 1e-6);
}

// The square root has no derivative at zero: the run fails and says by what.
TEST(Sensitivity, WhatIsNotFiniteIsAFailure) {
  SensitivityTrial trial(resolve_varied("test", "x' = sqrt(k)*x + 1; x = 0.5; k = 0;"), {1}, {"k"});
  SensitivityOptions options;
  const SensitivityTrajectory run = simulate_sensitivities(*trial.problem, trial.request, options);
  EXPECT_NE(run.trajectory.outcome.status, Status::done);
  EXPECT_NE(run.trajectory.outcome.detail.find("'k'"), std::string::npos)
      << run.trajectory.outcome.detail;
}

// Runs in memory that other runs have used, failed ones too, give what they give alone.
TEST(Sensitivity, ASimulatorRunsManyRequests) {
  SensitivityTrial trial(resolve_library("oregonator"), even_times(10, 5));
  SensitivityRequest fewer = trial.request, broken = trial.request;
  fewer.directions.resize(1);
  broken.run.initial.assign(3, NAN);
  auto simulator = make_sensitivity_simulator(*trial.problem);
  SensitivityTrajectory result;
  for (const MethodEntry& entry : method_entries()) {
    if (!entry.gives_sensitivities()) continue;
    const std::string method(entry.info.name);
    SensitivityOptions options;
    options.integration.method = method;
    simulator->run(broken, options, result);
    EXPECT_NE(result.trajectory.outcome.status, Status::done);
    for (const SensitivityRequest* request : {&trial.request, &fewer, &trial.request}) {
      simulator->run(*request, options, result);
      const SensitivityTrajectory alone = simulate_sensitivities(*trial.problem, *request, options);
      EXPECT_EQ(result.trajectory.states, alone.trajectory.states);
      EXPECT_EQ(result.sensitivities, alone.sensitivities);
    }
  }
}

// C and its derivatives grow from zero like a power of time: nothing says how small is small but
// how large they become.
TEST(Sensitivity, WhatGrowsFromZeroTakesFewSteps) {
  SensitivityTrial trial(
      resolve_varied("test", "A -> B; k*A; B -> C; q*B; A = 1; B = 0; C = 0; k = 0.5; q = 0.3;"),
      {10});
  for (const char* method : {"rodas5p", "bdf", "esdirk54"}) {
    const SensitivityTrajectory run = trial.forward(1e-6, method, true);
    EXPECT_LT(trial.distance(run.sensitivities, trial.forward(1e-12).sensitivities), 1e-3);
    EXPECT_LT(run.trajectory.outcome.counters.steps, 400) << method;
  }
}

class SmallModels : public ::testing::TestWithParam<SmallModel> {};

TEST_P(SmallModels, SensitivitiesAgreeWithDifferences) {
  const SmallModel& small = GetParam();
  SensitivityTrial trial(resolve_library(small.name), even_times(small.end, 7));
  trial.zero_step = 1e-4;
  const std::vector<double> expected = trial.differences();
  EXPECT_LT(trial.distance(trial.forward(1e-11).sensitivities, expected), 3e-5);
  EXPECT_LT(trial.adjoint_distance(1e-8), 1e-7);
  const double held = trial.distance(trial.forward(1e-11, "bdf", true).sensitivities, expected);
  EXPECT_LT(held, 1e-3);
}

// Steps that are differentiated as they are made: every method that says it gives sensitivities.
TEST_P(SmallModels, EveryMethodGivesTheSameSensitivities) {
  const SmallModel& small = GetParam();
  SensitivityTrial trial(resolve_library(small.name), even_times(small.end, 7));
  const std::vector<double> expected = trial.forward(1e-11).sensitivities;
  for (const MethodEntry& entry : method_entries()) {
    if (!entry.gives_sensitivities() || entry.role == MethodRole::standard) continue;
    const bool coarse = entry.order < 3;  // needs too many steps for a tight tolerance
    const SensitivityTrajectory run =
        trial.forward(coarse ? 1e-7 : 1e-9, std::string(entry.info.name), true);
    ASSERT_EQ(run.trajectory.outcome.status, Status::done) << entry.info.name;
    // Every jump of a relaxation oscillation multiplies what the tolerance leaves.
    const double allowed = (coarse ? 3e-3 : 1e-3) * (std::string(small.name) == "vdp1000" ? 30 : 1);
    EXPECT_LT(trial.distance(run.sensitivities, expected), allowed) << entry.info.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Library, SmallModels, ::testing::ValuesIn(small_library_models()),
                         [](const auto& model) { return test_name(model.param.name); });

}  // namespace
}  // namespace stiffit::internal
