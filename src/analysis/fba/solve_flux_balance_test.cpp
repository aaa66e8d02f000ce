// SPDX-License-Identifier: Apache-2.0
#include "analysis/fba/solve_flux_balance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

// -> A -> out twice as fast, with bounds on both.
std::shared_ptr<Model> chain() {
  auto m = std::make_shared<Model>();
  Species a;
  a.id = "A";
  a.initial = 0;
  m->species.push_back(a);
  Parameter limit;
  limit.id = "limit";
  limit.value = 3;
  m->parameters.push_back(limit);
  Reaction in, out;
  in.id = "in";
  in.products.push_back({0, 1, -1, {}});
  out.id = "out";
  out.reactants.push_back({0, 2, -1, {}});
  m->reactions = {in, out};
  FluxBalance& problem = m->flux_balance.emplace();
  problem.bounds.push_back({0, FluxBound::Side::upper, 0, 0});  // in <= limit
  problem.bounds.push_back({1, FluxBound::Side::lower, -1, 0.5});
  problem.objectives.push_back({"most", true, {{1, 10}}});
  problem.objectives.push_back({"least", false, {{0, 1}}});
  return m;
}

TEST(FluxBalance, BestFluxesWithinBounds) {
  auto m = chain();
  FluxBalanceSolution most = solve_flux_balance(m);
  EXPECT_NEAR(most.fluxes[0], 3, 1e-9);
  EXPECT_NEAR(most.fluxes[1], 1.5, 1e-9);
  EXPECT_NEAR(most.objectives[0], 15, 1e-9);
  m->flux_balance->active = 1;
  FluxBalanceSolution least = solve_flux_balance(m);
  EXPECT_NEAR(least.fluxes[0], 1, 1e-9);
  EXPECT_NEAR(least.objectives[1], 1, 1e-9);
}

TEST(FluxBalance, NoSolutionIsSaid) {
  auto m = chain();
  m->flux_balance->bounds.push_back({1, FluxBound::Side::both, -1, 7});
  FluxBalanceSolution none = solve_flux_balance(m);
  EXPECT_EQ(none.trouble, "no fluxes satisfy the balances and the bounds");
  EXPECT_TRUE(std::isnan(none.objectives[0]));
  m->flux_balance->bounds.clear();
  EXPECT_EQ(solve_flux_balance(m).trouble, "the objective grows without limit within the bounds");
  m->flux_balance.reset();
  EXPECT_THROW(solve_flux_balance(m), InputError);
}

}  // namespace
}  // namespace stiffit::internal
