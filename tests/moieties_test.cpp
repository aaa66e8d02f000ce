// What a network keeps, a run keeps: conserved sums hold to 1e-12 along every trajectory of every
// library model that has any.
// SPDX-License-Identifier: Apache-2.0
#include "symbolic/moieties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiled_model.h"

namespace stiffit::internal {
namespace {

class Moieties : public testing::TestWithParam<SmallModel> {};

TEST_P(Moieties, AreKeptAlongARun) {
  CompiledModel model = compile_model(resolve_library(GetParam().name));
  const std::vector<Moiety> moieties = conserved_moieties(model.resolved.system);
  if (moieties.empty()) GTEST_SKIP() << "keeps nothing";
  const double end = GetParam().end;
  std::vector<double> times{0};
  for (double t = 1e-9 * end; t < end; t *= 1.3) times.push_back(t);
  times.push_back(end);
  const auto n = model.resolved.system.states.size();
  for (const char* method : {"rodas5p", "bdf", "dopri5", "rkf45"})
    for (double rtol : {1e-4, 1e-6, 1e-9}) {
      IntegrationOptions options;
      options.method = method;
      options.rtol = rtol;
      options.max_steps = 20'000;
      const Trajectory run = simulate(model.problem, model.request(times), options);
      if (run.outcome.status != Status::done) {
        // Explicit methods need millions of steps where it is stiff, and round as often.
        EXPECT_NE(std::string(method), "rodas5p");
        EXPECT_NE(std::string(method), "bdf");
        continue;
      }
      for (const Moiety& moiety : moieties) {
        double first = 0, worst = 0;
        for (std::size_t i = 0; i < times.size(); ++i) {
          double sum = 0;
          for (auto& [state, coefficient] : moiety.terms)
            sum += coefficient * run.states[i * n + static_cast<std::size_t>(state)];
          if (i == 0) first = sum;
          double change = std::fabs(sum - first);
          if (!(change <= worst)) worst = change;
        }
        ASSERT_NE(first, 0);
        EXPECT_LE(worst, 1e-12 * std::fabs(first))
            << method << ", rtol " << rtol << ", the one of "
            << model.program().state_names[static_cast<std::size_t>(moiety.terms[0].first)];
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Every, Moieties, testing::ValuesIn(small_library_models()),
                         [](const testing::TestParamInfo<SmallModel>& test) {
                           return test_name(test.param.name);
                         });

// What the library's descriptions promise is found.
TEST(MoietiesOfTheLibrary, AreTheKnownOnes) {
  const std::map<std::string, std::size_t> counts{
      {"lotka", 1},          {"robertson", 1},   {"escep", 2},      {"water-nonstiff", 3},
      {"water-moderate", 3}, {"water-stiff", 3}, {"oregonator", 0}, {"lotka-volterra", 0}};
  for (const auto& [name, count] : counts)
    EXPECT_EQ(conserved_moieties(resolve_library(name).system).size(), count) << name;
}

}  // namespace
}  // namespace stiffit::internal
