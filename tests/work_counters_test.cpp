// What integrations cost, counted: steps, evaluations and factorisations of every adaptive method
// on a few models, as they stand in tests/fixtures/work_counters.tsv. Where a change of them is
// meant, run this test once with STIFFIT_WRITE_FIXTURES=1 and give the reason in the commit.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "places.h"
#include "sanitized.h"
#include "stiffit/stiffit.h"

namespace stiffit::internal {
namespace {

// Without transcendental functions, which instruction sets round differently.
struct Counted {
  const char* name;
  bool stiff;
};
constexpr Counted models[] = {{"robertson", true},
                              {"oregonator", true},
                              {"escep", false},
                              {"water-moderate", true},
                              {"lotka", false}};

std::string counted() {
  std::ostringstream text;
  text << "model\tmethod\tstatus\tsteps\trejected\tf\tJ\tLU\tNewton\n";
  for (const auto& [model, stiff] : models) {
    const auto loaded = api::Model::load(model);
    for (const api::ListedMethod& method : api::methods()) {
      if (method.needs_step) continue;
      api::SimulateOptions options;
      options.method = method.name;
      options.points = 20;
      options.max_steps = 3000;
      const auto run = loaded.simulate(options);
      // At the limit of their stability explicit methods are rejected by the last bit.
      if (stiff && run.j == 0 && run.lu == 0) continue;
      text << model << '\t' << method.name << '\t' << run.status << '\t' << run.steps << '\t'
           << run.rejected << '\t' << run.f << '\t' << run.j << '\t' << run.lu << '\t' << run.newton
           << '\n';
    }
  }
  return text.str();
}

TEST(WorkCounters, AreThoseOfTheSnapshot) {
  if (sanitized) GTEST_SKIP() << "another optimisation level rounds differently";
  const std::string path = source_path("tests/fixtures/work_counters.tsv");
  const std::string now = counted();
  if (std::getenv("STIFFIT_WRITE_FIXTURES")) std::ofstream(path) << now;
  std::ifstream file(path);
  const std::string before{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(now, before);
}

}  // namespace
}  // namespace stiffit::internal
