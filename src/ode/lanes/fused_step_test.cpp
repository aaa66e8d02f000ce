// SPDX-License-Identifier: Apache-2.0
#include "ode/lanes/fused_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ode/reference_trial.h"

namespace stiffit::internal {
namespace {

std::vector<double> run(const Problem& problem, const std::vector<double>& times,
                        const char* method, double step, Counters* counters = nullptr) {
  Request request;
  request.times = times;
  IntegrationOptions options;
  options.method = method;
  options.fixed_step = step;
  Trajectory result = simulate(problem, request, options);
  EXPECT_EQ(result.outcome.status, Status::done) << method;
  if (counters) *counters = result.outcome.counters;
  return result.states;
}

Problem without_fused_steps(Problem problem) {
  problem.steps = nullptr;
  return problem;
}

// In one kernel or put together: the same formulas, so that only rounding differs.
TEST(FusedStep, AgreesWithTheStepsPutTogether) {
  for (ReferenceProblem& p : reference_problems(""))
    for (int lanes : {1, 4, 8}) {
      ProgramOptions options;
      options.lanes = lanes;
      const Problem problem = make_problem(compile(p.system, {}, options));
      for (const char* method : {"rodas5p", "dopri5", "tsit5"}) {
        // Short enough for the explicit methods, whose steps the stiff water model limits.
        const double step = method == std::string("rodas5p") ? 1e-4 : 1e-7;
        const std::vector<double> times{5 * step, 12.3 * step, 30 * step};
        Counters whole, apart;
        const auto a = run(problem, times, method, step, &whole);
        const auto b = run(without_fused_steps(problem), times, method, step, &apart);
        EXPECT_EQ(whole.steps, apart.steps);
        EXPECT_EQ(whole.f, apart.f);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i)
          EXPECT_NEAR(a[i], b[i], 1e-11 * (std::fabs(b[i]) + 1))
              << p.name << " " << method << " lanes " << lanes;
      }
    }
}

TEST(FusedStep, IsUsedForSmallSystemsOnly) {
  if (best_isa() == Isa::portable) GTEST_SKIP() << "no machine code here";
  ReferenceProblem p = robertson_problem();
  const Problem problem = make_problem(compile(p.system, {}));
  ASSERT_TRUE(problem.steps);
  EXPECT_TRUE(problem.steps->rodas5p());
  EXPECT_TRUE(problem.steps->dopri5());
  EXPECT_TRUE(problem.steps->tsit5());
  EXPECT_EQ(problem.steps->rodas5p(), problem.steps->rodas5p());
  EXPECT_FALSE(make_problem(problem.program, LinearKind::klu).steps);
}

}  // namespace
}  // namespace stiffit::internal
