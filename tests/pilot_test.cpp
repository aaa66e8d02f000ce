// The method an ensemble takes by itself: by what the first samples cost, and never a failure that
// the default would not have had.
// SPDX-License-Identifier: Apache-2.0
#include "ensemble/pilot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiled_model.h"
#include "ensemble/ensemble.h"

namespace stiffit {
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
    ensemble.advance([&](long, const Request&, const Trajectory& run) {
      EXPECT_EQ(run.outcome.status, Status::done);
      all.insert(all.end(), run.outputs.begin(), run.outputs.end());
    });
  return all;
}

TEST(Pilot, StiffSamplesStayWithTheDefault) {
  Ensemble ensemble(plan_for(resolve_library("robertson"), 1000, "k1", 0.04, 0.2));
  EXPECT_FALSE(curves(ensemble).empty());
  EXPECT_EQ(ensemble.integration().method, "automatic");
}

TEST(Pilot, OthersTakeTheExplicitMethodToTheSameAccuracy) {
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

// As many steps are allowed as the explicit method needs for the samples that decide; some of the
// later ones take it more.
TEST(Pilot, WhatTheExplicitMethodCannotEndTheDefaultDoes) {
  EnsemblePlan plan = plan_for(resolve_text("cycles", cycles), 20, "a", 1, 0.5);
  plan.samples = 200;
  const Ensemble draws(plan);
  std::vector<Request> requests(static_cast<std::size_t>(plan.samples));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].times = plan.times;
    requests[i].parameters = draws.parameters(static_cast<long>(i));
  }
  const IntegrationOptions chosen = pilot(plan.problem, requests, plan.integration);
  ASSERT_EQ(chosen.method, "dopri5");
  long of_first = 0, of_all = 0;
  const std::vector<Trajectory> runs = simulate_many(plan.problem, requests, chosen, 1);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Counters& c = runs[i].outcome.counters;
    of_all = std::max(of_all, c.steps + c.rejected);
    if (i < 16) of_first = of_all;
  }
  ASSERT_GT(of_all, of_first + 1);
  plan.integration.max_steps = of_first + 1;
  Ensemble ensemble(plan);
  EXPECT_FALSE(curves(ensemble).empty());
  EXPECT_EQ(ensemble.integration().method, "dopri5");
  EXPECT_EQ(ensemble.failures(), 0);
}

}  // namespace
}  // namespace stiffit
