// Work against precision, and stability regions from the methods' own steps.
// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/compare/stability.h"
#include "compiled_model.h"

namespace stiffit::internal {
namespace {

TEST(Stability, LimitsAreThoseOfTheStabilityFunctions) {
  EXPECT_NEAR(StabilityTrial("euler").real_limit(), 2, 1e-4);
  EXPECT_NEAR(StabilityTrial("modified-euler").real_limit(), 2, 1e-4);
  StabilityTrial rk4("rk4");
  EXPECT_NEAR(rk4.real_limit(), 2.785294, 1e-4);
  EXPECT_NEAR(rk4.imaginary_limit(), 2 * std::sqrt(2), 1e-3);
  EXPECT_TRUE(std::isinf(StabilityTrial("rodas5p").real_limit()));
  EXPECT_TRUE(std::isinf(StabilityTrial("backward-euler").real_limit()));
}

TEST(Stability, GrowthIsThatOfOneStep) {
  const std::complex<double> z(-0.7, 0.9);
  EXPECT_NEAR(StabilityTrial("euler").growth(z), std::abs(1.0 + z), 1e-9);
  EXPECT_NEAR(StabilityTrial("backward-euler").growth(z), std::abs(1.0 / (1.0 - z)), 1e-6);
  EXPECT_LT(StabilityTrial("rodas5p").growth(-1e5), 0.1);
}

TEST(Compare, FindsTheCheapestRunThatReachesTheError) {
  CompiledModel model = compile_model(resolve_library("vdp1"));
  ReferenceSolution reference =
      solve_reference(model.problem, model.request(even_times(20, 50)), nullptr);
  ASSERT_EQ(reference.outcome.status, Status::done);
  EXPECT_LT(reference.agreement, 1e-8);
  CompareOptions options;
  options.methods = {"rodas5p", "dopri5", "rk4", "euler"};
  options.targets = {1e-2, 1e-5};
  options.most_steps = 50'000;
  options.repetitions = 1;
  const CompareResult result = compare_methods(model.problem, reference, options);
  ASSERT_EQ(result.table.size(), 8u);
  for (const Comparison& c : result.table) {
    if (c.method == "euler" && c.target == 1e-5) {
      EXPECT_FALSE(c.best);
      EXPECT_EQ(c.why_not, "not reached");
      continue;
    }
    ASSERT_TRUE(c.best) << c.method << c.target;
    EXPECT_LE(c.best->error, c.target);
    // Its error is real: the run repeated gives it again.
    IntegrationOptions again;
    again.method = c.method;
    again.scaled_atol = 0.01;
    if (c.method == "rk4" || c.method == "euler")
      again.fixed_step = c.best->setting;
    else
      again.rtol = c.best->setting;
    EXPECT_EQ(true_error(reference, simulate(model.problem, reference.request, again)),
              c.best->error);
  }
  // A fixed step 2 % larger does not serve.
  const WorkPoint& rk4 = *result.table[5].best;
  IntegrationOptions larger;
  larger.method = "rk4";
  larger.fixed_step = 1.02 * rk4.setting;
  EXPECT_GT(true_error(reference, simulate(model.problem, reference.request, larger)), 1e-5);
}

}  // namespace
}  // namespace stiffit::internal
