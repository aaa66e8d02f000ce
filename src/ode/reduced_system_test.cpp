// A system reduced by its moieties runs along the same curves as the whole one.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "ode/simulate.h"
#include "symbolic/moieties.h"

namespace stiffit::internal {
namespace {

struct Step {
  std::vector<std::pair<int, double>> change;
  std::vector<int> reactants;
  double k;
};

System network(const std::vector<double>& start, const std::vector<Step>& steps) {
  System s;
  Graph& g = s.graph;
  s.terms.resize(start.size());
  s.rhs.assign(start.size(), g.number(0));
  for (std::size_t i = 0; i < start.size(); ++i) {
    s.states.push_back({"x" + std::to_string(i), {}, false});
    s.parameters.push_back({"start" + std::to_string(i), {}, start[i], false});
    s.initial.push_back(g.parameter(static_cast<int>(i)));
  }
  for (std::size_t r = 0; r < steps.size(); ++r) {
    NodeId rate = g.number(steps[r].k);
    for (int x : steps[r].reactants) rate = g.mul(rate, g.state(x));
    s.rates.push_back(rate);
    for (auto& [state, by] : steps[r].change) {
      std::size_t i = state;
      s.terms[i].push_back({static_cast<int>(r), g.number(by)});
      s.rhs[i] = g.add(s.rhs[i], g.mul(g.number(by), rate));
    }
  }
  return s;
}

void expect_same_curves(System system, std::size_t moieties, const std::vector<double>& times) {
  auto found = conserved_moieties(system);
  ASSERT_EQ(found.size(), moieties);
  ReducedSystem reduced = reduce_by_moieties(system, found);
  const std::size_t n = system.states.size();
  ASSERT_EQ(reduced.system.states.size(), n - moieties);
  Problem whole = make_problem(compile(system, {}));
  Problem less = make_problem(compile(reduced.system, reduced.all_states(system)));
  Request request;
  request.times = times;
  for (int variant = 0; variant < 2; ++variant) {
    if (variant) {  // totals follow the parameters
      for (std::size_t i = 0; i < n; ++i)
        request.parameters.push_back(system.parameters[i].value * (1.5 + 0.1 * double(i)));
    }
    for (const char* method : {"bdf", "rodas5p"}) {
      IntegrationOptions options;
      options.method = method;
      options.rtol = 1e-9;
      Trajectory a = simulate(whole, request, options), b = simulate(less, request, options);
      ASSERT_EQ(a.outcome.status, Status::done);
      ASSERT_EQ(b.outcome.status, Status::done);
      for (std::size_t i = 0; i < n; ++i) {
        double largest = 0;
        for (std::size_t k = 0; k < times.size(); ++k)
          largest = std::max(largest, std::fabs(a.states[k * n + i]));
        for (std::size_t k = 0; k < times.size(); ++k)
          EXPECT_NEAR(a.states[k * n + i], b.outputs[k * n + i], 3e-7 * largest)
              << method << " x" << i << " at " << times[k];
      }
    }
  }
}

TEST(ReducedSystem, Enzyme) {
  expect_same_curves(network({0.01, 1, 0, 0}, {{{{0, -1}, {1, -1}, {2, 1}}, {0, 1}, 100},
                                               {{{0, 1}, {1, 1}, {2, -1}}, {2}, 10},
                                               {{{0, 1}, {2, -1}, {3, 1}}, {2}, 5}}),
                     2, {0.01, 0.1, 1, 10, 100});
}

TEST(ReducedSystem, Robertson) {
  expect_same_curves(network({1, 0, 0}, {{{{0, -1}, {1, 1}}, {0}, 0.04},
                                         {{{0, 1}, {1, -1}}, {1, 2}, 1e4},
                                         {{{1, -1}, {2, 1}}, {1, 1}, 3e7}}),
                     1, {0.1, 1, 10, 100, 1000});
}

TEST(ReducedSystem, Lotka) {
  expect_same_curves(network({1, 0.001, 0.001, 0}, {{{{0, -1}, {1, 1}}, {0, 1}, 1},
                                                    {{{1, -1}, {2, 1}}, {1, 2}, 1.5},
                                                    {{{2, -1}, {3, 1}}, {2}, 0.1}}),
                     1, {1, 5, 10, 15, 20});
}

TEST(ReducedSystem, StiffWater) {
  auto both = [](std::vector<int> from, std::vector<int> to, double forward, double backward) {
    std::vector<Step> steps(2);
    steps[0] = {{}, from, forward};
    steps[1] = {{}, to, backward};
    for (int sign : {0, 1}) {
      for (int x : from) steps[std::size_t(sign)].change.emplace_back(x, sign ? 1 : -1);
      for (int x : to) steps[std::size_t(sign)].change.emplace_back(x, sign ? -1 : 1);
    }
    return steps;
  };
  std::vector<Step> steps;
  for (auto& pair : {both({0, 2}, {3, 4}, 1000.3, 1.2), both({3, 1}, {2, 4}, 1.4, 0.6),
                     both({0, 4}, {5, 3}, 1.0, 1.3)})
    steps.insert(steps.end(), pair.begin(), pair.end());
  expect_same_curves(network({1e4, 3, 4, 5, 6, 7}, steps), 3, {1e-7, 1e-6, 1e-4, 1e-2, 0.1, 1});
}

}  // namespace
}  // namespace stiffit::internal
