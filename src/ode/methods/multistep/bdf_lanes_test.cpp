// The BDF with several trajectories side by side: each as accurate as alone, and the same whoever
// runs beside it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "ode/reference_trial.h"
#include "places.h"

namespace stiffit::internal {
namespace {

IntegrationOptions bdf(double rtol) {
  IntegrationOptions options;
  options.method = "bdf";
  options.rtol = rtol;
  return options;
}

Problem in_lanes(System& system, int lanes, Isa isa = best_isa()) {
  ProgramOptions wide;
  wide.lanes = lanes;
  wide.isa = isa;
  return make_problem(compile(system, {}, wide));
}

TEST(BdfInLanes, AsAccurateAsAlone) {
  auto problems = reference_problems(reference_path(""));
  ASSERT_FALSE(problems.front().times.empty());
  const double floor = 1e-10;  // of rounding, as in bdf_test.cpp
  for (ReferenceProblem& p : problems) {
    Request request;
    request.times = p.times;
    const Problem scalar = in_lanes(p.system, 1);
    for (double rtol : {1e-4, 1e-7, 1e-10}) {
      const Trajectory alone = simulate(scalar, request, bdf(rtol));
      IntegrationOptions theirs = bdf(rtol);
      theirs.method = "cvodes";
      const double cvodes = p.error(simulate(scalar, request, theirs).states);
      for (int lanes : {4, 8}) {
        const std::vector<Request> requests(static_cast<std::size_t>(lanes) + 1, request);
        const auto runs = simulate_many(in_lanes(p.system, lanes), requests, bdf(rtol), 1);
        for (const Trajectory& run : runs) {
          ASSERT_EQ(run.outcome.status, Status::done) << p.name << " " << rtol;
          EXPECT_EQ(run.states, runs[0].states) << p.name << " " << rtol;
        }
        EXPECT_LT(p.error(runs[0].states), 2 * p.error(alone.states) + floor)
            << p.name << " " << rtol << " " << lanes << " lanes";
        EXPECT_LT(p.error(runs[0].states), 1.5 * cvodes + floor) << p.name << " " << rtol;
        EXPECT_NEAR(static_cast<double>(runs[0].outcome.counters.steps),
                    static_cast<double>(alone.outcome.counters.steps),
                    10 + 0.1 * static_cast<double>(alone.outcome.counters.steps))
            << p.name << " " << rtol;
      }
    }
  }
}

// y' = -a (y - sin t) + cos t from b: what the first steps of low order have done wrong is
// forgotten, in each lane at its own rate. a and b are parameters.
System forced_per_lane() {
  System s;
  Graph& g = s.graph;
  NodeId y = g.state(0), t = g.time(), a = g.parameter(0);
  NodeId f = g.add(g.mul(g.neg(a), g.sub(y, g.apply(Op::sin, t))), g.apply(Op::cos, t));
  s.parameters.push_back({"a", {}, 10});
  s.parameters.push_back({"b", {}, 0});
  s.states.push_back({"y", {}, false});
  s.initial.push_back(g.parameter(1));
  s.rates.push_back(f);
  s.rhs.push_back(f);
  s.terms.push_back({{0, g.number(1)}});
  return s;
}

std::vector<Request> forced_requests(const std::vector<double>& times) {
  std::vector<Request> requests(11);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].times = times;
    requests[i].parameters = {10 + 2.0 * static_cast<double>(i), 0.3 * static_cast<double>(i)};
  }
  return requests;
}

TEST(BdfInLanes, OrderAtFixedStep) {
  System system = forced_per_lane();
  const Problem problem = in_lanes(system, 4);
  std::vector<double> times;
  for (double t = 16; t <= 22; t += 0.5) times.push_back(t);
  const std::vector<Request> requests = forced_requests(times);
  for (int order = 1; order <= 6; ++order) {
    std::vector<double> errors[2];
    for (int half = 0; half < 2; ++half) {
      IntegrationOptions options = bdf(1e-12);
      options.max_order = order;
      options.fixed_step = half ? 1.0 / 64 : 1.0 / 32;
      for (const Trajectory& run : simulate_many(problem, requests, options, 1)) {
        ASSERT_EQ(run.outcome.status, Status::done);
        double worst = 0;
        for (std::size_t k = 0; k < times.size(); ++k)
          worst = std::max(worst, std::fabs(run.states[k] - std::sin(times[k])));
        errors[half].push_back(worst);
      }
    }
    for (std::size_t i = 0; i < requests.size(); ++i)
      EXPECT_NEAR(std::log2(errors[0][i] / errors[1][i]), order, 0.2) << order << " run " << i;
  }
}

// Lanes that begin a trajectory are of order one while others are of order five, and one fails.
TEST(BdfInLanes, NeighboursOfAnyOrderChangeNothing) {
  System system = forced_per_lane();
  for (Isa isa : {Isa::portable, best_isa()})
    for (int lanes : {4, 8}) {
      const Problem problem = in_lanes(system, lanes, isa);
      std::vector<Request> requests;
      for (std::size_t i = 0; Request request : forced_requests({5, 10})) {
        for (double& t : request.times) t *= 1 + static_cast<double>(i % 3);
        if (i++ == 4) request.parameters[0] = NAN;
        requests.push_back(std::move(request));
      }
      const auto together = simulate_many(problem, requests, bdf(1e-7), 1);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        const auto alone = simulate_many(problem, {&requests[i], 1}, bdf(1e-7), 1);
        EXPECT_EQ(together[i].outcome.counters.steps, alone[0].outcome.counters.steps) << i;
        if (i == 4) {
          EXPECT_EQ(together[i].outcome.status, Status::not_finite);
          continue;
        }
        ASSERT_EQ(together[i].outcome.status, Status::done) << i;
        EXPECT_EQ(together[i].states, alone[0].states) << i << ", " << lanes << " lanes";
        EXPECT_NEAR(together[i].states[1], std::sin(requests[i].times[1]), 1e-5);
      }
    }
}

}  // namespace
}  // namespace stiffit::internal
