// What a network keeps, a run keeps: conserved sums hold to 1e-12 along every trajectory.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "compiled_model.h"

namespace stiffit {
namespace {

struct Kept {
  std::string model;
  double end = 0;
  std::map<std::string, double> weights;
};
const std::vector<Kept> kept{
    {"lotka", 20, {{"x1", 1}, {"x2", 1}, {"x3", 1}, {"x4", 1}}},
    {"robertson", 1e5, {{"A", 1}, {"B", 1}, {"C", 1}}},
    {"escep", 2000, {{"E", 1}, {"C", 1}}},
    {"escep", 2000, {{"S", 1}, {"C", 1}, {"P", 1}}},
    {"water-nonstiff", 1, {{"H2", 2}, {"H", 1}, {"OH", 1}, {"H2O", 2}}},
    {"water-nonstiff", 1, {{"O2", 2}, {"O", 1}, {"OH", 1}, {"H2O", 1}}},
    {"water-moderate", 1, {{"H2", 2}, {"H", 1}, {"OH", 1}, {"H2O", 2}}},
    {"water-moderate", 1, {{"O2", 2}, {"O", 1}, {"OH", 1}, {"H2O", 1}}},
    {"water-stiff", 0.1, {{"H2", 2}, {"H", 1}, {"OH", 1}, {"H2O", 2}}},
    {"water-stiff", 0.1, {{"O2", 2}, {"O", 1}, {"OH", 1}, {"H2O", 1}}},
};

double largest_change(const Kept& k, const std::string& method, double rtol) {
  CompiledModel model = compile_model(resolve_library(k.model));
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  options.max_steps = 2'000'000;
  std::vector<double> times{0};
  for (double t = 1e-9 * k.end; t < k.end; t *= 1.3) times.push_back(t);
  times.push_back(k.end);
  const Trajectory run = simulate(model.problem, model.request(times), options);
  EXPECT_EQ(run.outcome.status, Status::done);
  const auto& names = model.program().state_names;
  double first = 0, worst = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    double sum = 0;
    for (std::size_t s = 0; s < names.size(); ++s)
      if (auto w = k.weights.find(names[s]); w != k.weights.end())
        sum += w->second * run.states[i * names.size() + s];
    if (i == 0) first = sum;
    double change = std::fabs(sum / first - 1);
    if (!(change <= worst)) worst = change;
  }
  return worst;
}

class Moieties : public testing::TestWithParam<const char*> {};

TEST_P(Moieties, AreKept) {
  for (const Kept& k : kept) {
    if (std::string(GetParam()) != "rodas5p" &&
        (k.model == "robertson" || k.model == "water-stiff"))
      continue;  // explicit methods need millions of steps, and as many roundings
    for (double rtol : {1e-4, 1e-6, 1e-9})
      EXPECT_LE(largest_change(k, GetParam(), rtol), 1e-12) << k.model << ", rtol " << rtol;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Moieties, testing::Values("rodas5p", "dopri5", "rkf45"));

}  // namespace
}  // namespace stiffit
