// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ode/reference_trial.h"

namespace stiffit::internal {
namespace {

// y' = -2 (y - sin t) + cos t: what the first steps of low order have done wrong is forgotten.
System forced_slowly() {
  System s;
  Graph& g = s.graph;
  NodeId y = g.state(0), t = g.time();
  NodeId f = g.add(g.mul(g.number(-2), g.sub(y, g.apply(Op::sin, t))), g.apply(Op::cos, t));
  s.states.push_back({"y", {}, false});
  s.initial.push_back(g.number(0));
  s.rates.push_back(f);
  s.rhs.push_back(f);
  s.terms.push_back({{0, g.number(1)}});
  return s;
}

TEST(Adams, OrderAtFixedStep) {
  System system = forced_slowly();
  Problem problem = make_problem(compile(system, {}));
  for (const char* method : {"adams-bashforth", "adams"})
    for (int order = 2; order <= 5; ++order) {
      double errors[2];
      for (int half = 0; half < 2; ++half) {
        IntegrationOptions options;
        options.method = method;
        options.max_order = order;
        options.fixed_step = half ? 1.0 / 64 : 1.0 / 32;
        Request request;  // between the steps too
        for (double t = 16; t <= 22; t += 0.51) request.times.push_back(t);
        const Trajectory run = simulate(problem, request, options);
        ASSERT_EQ(run.outcome.status, Status::done);
        errors[half] = 0;
        for (std::size_t k = 0; k < request.times.size(); ++k)
          errors[half] =
              std::max(errors[half], std::fabs(run.states[k] - std::sin(request.times[k])));
      }
      EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.2) << method << " " << order;
    }
}

TEST(Adams, LargestOrderIsKept) {
  System system = forced_slowly();
  Problem problem = make_problem(compile(system, {}));
  for (const char* method : {"adams-bashforth", "adams"}) {
    long before = 10000000;
    for (int order : {2, 4, 12}) {
      IntegrationOptions options;
      options.method = method;
      options.max_order = order;
      options.rtol = 1e-7;
      Request request;
      request.times = {10};
      const Trajectory run = simulate(problem, request, options);
      ASSERT_EQ(run.outcome.status, Status::done);
      EXPECT_NEAR(run.states[0], std::sin(10.0), 1e-6);
      EXPECT_LT(run.outcome.counters.steps, before) << method << " " << order;
      before = run.outcome.counters.steps;
    }
  }
}

}  // namespace
}  // namespace stiffit::internal
