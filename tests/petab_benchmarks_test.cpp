// Problems of the PEtab benchmark collection, where they are at hand: log-likelihoods against
// published ones, gradients against differences. tools/nightly_gradients does the same for all.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/files/read_file.h"
#include "estimation/objective/gradient_check.h"
#include "estimation/objective/parameter_point.h"
#include "estimation/objective/problem_objective.h"
#include "io/petab/read_petab.h"
#include "places.h"

namespace stiffit::internal {
namespace {

const std::string folder = shared_path("petab-benchmarks");

ObjectiveOptions tight() {
  ObjectiveOptions options;
  options.integration.rtol = 1e-11;
  options.integration.atol = 1e-15;
  return options;
}

std::unique_ptr<ProblemObjective> load(const std::string& name, const ObjectiveOptions& options) {
  PetabReading reading = read_petab(folder + "/" + name + "/" + name + ".yaml", read_file);
  if (!reading.problem) {
    ADD_FAILURE() << reading.text();
    return nullptr;
  }
  return std::make_unique<ProblemObjective>(std::move(*reading.problem), options);
}

struct Known {
  const char* name;
  double llh;
};

class Benchmark : public testing::TestWithParam<Known> {
 protected:
  void SetUp() override { STIFFIT_NEEDS_SHARED("petab-benchmarks"); }
};

TEST_P(Benchmark, LikelihoodAtDefaultAndTightTolerances) {
  for (auto& [options, tolerance] : {std::pair{ObjectiveOptions{}, 1e-3}, {tight(), 1e-6}}) {
    ObjectiveOptions values = options;
    values.derivatives = false;
    auto objective = load(GetParam().name, values);
    ASSERT_TRUE(objective);
    const Evaluation e = objective->evaluate(objective->nominal(), Need::value);
    ASSERT_TRUE(e.ok()) << e.failure;
    EXPECT_NEAR(e.llh, GetParam().llh, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Converged, Benchmark,
                         testing::Values(Known{"Bachmann_MSB2011", 418.40572051},
                                         Known{"Boehm_JProteomeRes2014", -138.22199774},
                                         Known{"Borghans_BiophysChem1997", 83.32369542},
                                         Known{"Brannmark_JBC2010", -141.88920441},
                                         Known{"Elowitz_Nature2000", 63.20275042},
                                         Known{"Fujita_SciSignal2010", 53.08376678},
                                         Known{"Lucarelli_CellSystems2018", -1681.60598002}),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(BenchmarkGradient, AgreesWithDifferences) {
  STIFFIT_NEEDS_SHARED("petab-benchmarks");
  for (const char* name : {"Boehm_JProteomeRes2014", "Brannmark_JBC2010", "Zhao_QuantBiol2020",
                           "Perelson_Science1996", "Blasi_CellSystems2016"}) {
    SCOPED_TRACE(name);
    auto objective = load(name, tight());
    ASSERT_TRUE(objective);
    const std::vector<double> theta = parameter_point(*objective, "perturbed");
    const Evaluation e = objective->evaluate(theta, Need::fisher);
    ASSERT_TRUE(e.ok()) << e.failure;
    ObjectiveOptions backwards = tight();
    backwards.gradient = GradientMethod::adjoint;
    const Evaluation back = load(name, backwards)->evaluate(theta, Need::gradient);
    ASSERT_TRUE(back.ok()) << back.failure;
    const std::vector<Difference> differences = central_differences(*objective, theta, e.gradient);
    for (const std::vector<double>& gradient : {e.gradient, back.gradient})
      for (const GradientCheck& c : compare_gradient(gradient, differences))
        EXPECT_TRUE(c.passed) << objective->unknowns()[c.unknown].id << ": " << c.gradient << ", "
                              << c.difference;
  }
}

}  // namespace
}  // namespace stiffit::internal
