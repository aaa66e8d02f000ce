// The method an ensemble takes by itself: by what the first samples cost, and never a failure that
// the default would not have had.
// SPDX-License-Identifier: Apache-2.0
#include "analysis/ensemble/method_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/ensemble/ensemble.h"
#include "compiled_model.h"
#include "model/library/generated_network.h"
#include "ode/methods/automatic/automatic_choice.h"

namespace stiffit::internal {
namespace {

const char* cycles = "species x, y; x' = a*x - x*y; y' = x*y - y; a = 1; x = 1; y = 0.5;\n";

EnsemblePlan plan_for(ResolvedSystem resolved, double end, const char* sampled, double median,
                      double sigma) {
  ProgramOptions wide;
  wide.lanes = 4;
  CompiledModel model = compile_model(std::move(resolved), wide);
  EnsemblePlan plan;
  plan.problem = model.problem;
  plan.times = even_times(end, 10);
  plan.samples = 40;
  plan.sampled.push_back({model.resolved.system.parameter_index(sampled),
                          {Distribution::Kind::lognormal, median, sigma}});
  return plan;
}

std::vector<double> curves(Ensemble& ensemble) {
  std::vector<double> all;
  while (!ensemble.finished())
    ensemble.advance([&](long, const SampleRun& run) {
      EXPECT_EQ(run.failure, "");
      all.insert(all.end(), run.table.begin(), run.table.end());
    });
  return all;
}

TEST(MethodSelection, StiffSamplesStayWithTheDefault) {
  Ensemble ensemble(plan_for(resolve_library("robertson"), 1000, "k1", 0.04, 0.2));
  EXPECT_FALSE(curves(ensemble).empty());
  EXPECT_EQ(ensemble.integration().method, "automatic");
}

TEST(MethodSelection, OthersTakeTheExplicitMethodToTheSameAccuracy) {
  EnsemblePlan plan = plan_for(resolve_text("cycles", cycles), 20, "a", 1, 0.2);
  EnsemblePlan asked = plan;
  asked.integration.method = "rodas5p";
  asked.integration.rtol = 1e-10;
  Ensemble chosen(std::move(plan)), trusted(std::move(asked));
  const std::vector<double> a = curves(chosen), b = curves(trusted);
  EXPECT_EQ(chosen.integration().method, "dopri5");
  EXPECT_EQ(trusted.integration().method, "rodas5p");
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4 * std::fabs(b[i]) + 1e-5);
}

// z follows x the more stiffly the larger k is; as many steps are allowed as the explicit method
// needs for the samples that decide and the default for any. Later samples are stiffer.
TEST(MethodSelection, WhatTheExplicitMethodCannotEndTheDefaultDoes) {
  const std::string text = std::string(cycles) + "species z; z' = k*(x - z); k = 1; z = 1;\n";
  EnsemblePlan plan = plan_for(resolve_text("follower", text), 20, "k", 3, 1.5);
  plan.samples = 200;
  const Ensemble draws(plan);
  std::vector<Request> requests(static_cast<std::size_t>(plan.samples));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].times = plan.times;
    requests[i].parameters = draws.parameters(static_cast<long>(i));
  }
  auto most_steps = [&](std::size_t count, const IntegrationOptions& options) {
    long most = 0;
    for (const Trajectory& run :
         simulate_many(plan.problem, {requests.data(), count}, options, 1)) {
      EXPECT_EQ(run.outcome.status, Status::done);
      most = std::max(most, run.outcome.counters.steps + run.outcome.counters.rejected);
    }
    return most;
  };
  const IntegrationOptions chosen = select_method(plan.problem, requests, plan.integration);
  ASSERT_EQ(chosen.method, "dopri5");
  plan.integration.max_steps =
      1 + std::max(most_steps(16, chosen), most_steps(requests.size(), plan.integration));
  ASSERT_GT(most_steps(requests.size(), chosen), plan.integration.max_steps);
  Ensemble ensemble(plan);
  EXPECT_FALSE(curves(ensemble).empty());
  EXPECT_EQ(ensemble.integration().method, "dopri5");
  EXPECT_EQ(ensemble.failures(), 0);
}

// A network whose Jacobian is full: of the counts below the Rosenbrock method's LU are the dearer
// ones; with few species it is the BDF's iterations.
TEST(MethodSelection, TheBdfPaysWhereTheLuIsMostOfAStep) {
  auto full = [](int n) {
    auto program = std::make_shared<Program>();
    program->lanes = 4;
    program->states = n;
    program->pattern.n = n;
    for (int column = 0; column < n; ++column) {
      for (int row = 0; row < n; ++row) program->pattern.row.push_back(row);
      program->pattern.column_start.push_back(program->pattern.nonzeros());
    }
    LinearOptions options;
    options.lanes = 4;
    Problem problem;
    problem.linear = plan_linear(program->pattern, options);
    problem.program = std::move(program);
    return problem;
  };
  Counters rosenbrock, bdf;
  rosenbrock.steps = rosenbrock.j = rosenbrock.lu = 100;
  rosenbrock.f = 800;
  bdf.steps = 500;
  bdf.f = bdf.newton = 600;
  bdf.j = bdf.lu = 20;
  const Problem large = full(400), small = full(30);
  EXPECT_TRUE(bdf_may_pay(large));
  EXPECT_FALSE(bdf_may_pay(small));
  EXPECT_LT(1.3 * bdf_cost(large, bdf), rosenbrock_cost(large, rosenbrock));
  EXPECT_GT(bdf_cost(small, bdf), rosenbrock_cost(small, rosenbrock));
}

TEST(MethodSelection, NetworksOfFortySpeciesStayWithTheDefault) {
  Ensemble ensemble(
      plan_for(resolve_text("network-40", generated_benchmark_network(40)), 10, "kf9", 1, 0.2));
  EXPECT_FALSE(curves(ensemble).empty());
  EXPECT_EQ(ensemble.integration().method, "automatic");
}

}  // namespace
}  // namespace stiffit::internal
