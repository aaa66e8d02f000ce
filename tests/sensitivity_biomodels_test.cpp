// Sensitivities of the curated models at hand: forward against differences, adjoint against
// forward. The first parameters of each, over a short time, where differences can still be trusted.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "biomodel_names.h"
#include "io/files/load_model.h"
#include "places.h"
#include "sensitivity_trial.h"
#include "symbolic/system_builder.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_states = 40, most_directions = 6;

// Not reached yet: a derivative is not finite at the start. The run ends with that reason, and no
// number is given.
const std::string not_reached = "BIOMD0000000632";
// Tighter than this, its derivatives ask for steps of 1e-11 at the start.
const std::string loose = "BIOMD0000000589";

class BiomodelSensitivity : public testing::TestWithParam<std::string> {};

TEST_P(BiomodelSensitivity, AgreesWithDifferencesAndAdjoint) {
  LoadedModel loaded = load_model(shared_path("biomodels/" + GetParam() + ".xml"));
  SystemOptions options;
  options.start_time = 0;
  ResolvedSystem resolved = resolve(loaded.model, options);
  if (!resolved.system.delays.empty()) GTEST_SKIP() << "delays";
  if (resolved.system.states.size() > most_states) GTEST_SKIP() << "too large for differences";
  // Every third parameter: rate constants, compartments and initial values all come by.
  std::vector<std::string> names;
  const auto& parameters = resolved.system.parameters;
  for (std::size_t i = 0; i < parameters.size() && names.size() < most_directions; i += 3)
    if (parameters[i].value != 0 && std::isfinite(parameters[i].value))
      names.push_back(parameters[i].name);
  if (names.empty()) GTEST_SKIP() << "no parameters";
  options.varied.insert(names.begin(), names.end());
  SensitivityTrial trial(resolve(loaded.model, options), {0, 0.5, 2.1, 5.3}, names);
  if (GetParam() == not_reached) {
    SensitivityOptions limited;
    limited.integration.max_steps = 5000;
    const SensitivityTrajectory failed =
        simulate_sensitivities(*trial.problem, trial.request, limited);
    EXPECT_NE(failed.trajectory.outcome.status, Status::done);
    EXPECT_TRUE(std::isnan(failed.sensitivities.back()));
    return;
  }
  EXPECT_LT(trial.adjoint_distance(1e-8), 1e-6);
  const SensitivityTrajectory run =
      trial.forward(GetParam() == loose ? 1e-6 : 1e-9, "rodas5p", true);
  EXPECT_LT(trial.distance(run.sensitivities, trial.differences()), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Curated, BiomodelSensitivity, testing::ValuesIn(biomodel_names()),
                         [](const auto& one) { return test_name(one.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BiomodelSensitivity);

}  // namespace
}  // namespace stiffit::internal
