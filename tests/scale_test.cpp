// Large published networks: all load and compile, and run with default settings.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/inner_threads.h"
#include "base/splitmix.h"
#include "base/thresholds.h"
#include "compiled_model.h"
#include "model/library/generated_network.h"
#include "places.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

struct LargeNetwork {
  std::string name;
  double end = 0;  // 0: only loaded
  std::size_t states = 0, reactions = 0;
  bool against_cvodes = false;
};
void PrintTo(const LargeNetwork& network, std::ostream* out) { *out << network.name; }

class Scale : public testing::TestWithParam<LargeNetwork> {
 protected:
  void SetUp() override { STIFFIT_NEEDS_SHARED("scale"); }
  static std::string path() { return shared_path("scale/" + GetParam().name + ".net"); }
};

// The largest memory this process has held, in megabytes.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kilobytes = 0;
      status >> kilobytes;
      return kilobytes / 1024;
    }
  return 0;
}

TEST_P(Scale, LoadsAndCompilesInBoundedMemory) {
  CompiledModel model = compile_model(resolve_net(path()));
  EXPECT_EQ(model.program().state_names.size(), GetParam().states);
  EXPECT_EQ(model.resolved.system.rates.size(), GetParam().reactions);
  if (!sanitized) {  // the sanitizers keep freed memory
    EXPECT_LT(peak_memory(), 500);
  }
}

TEST_P(Scale, RunsWithDefaultSettings) {
  const LargeNetwork& network = GetParam();
  if (network.end == 0) GTEST_SKIP() << "asked only to load";
  if (sanitized && network.states > 500) GTEST_SKIP() << "too slow under the sanitizers";
  CompiledModel model = compile_model(resolve_net(path()));
  const Request request = model.request(even_times(network.end, 20));
  const Trajectory run = simulate(model.problem, request, {});
  ASSERT_EQ(run.outcome.status, Status::done) << describe(run.outcome, model.program().state_names);
  for (double value : run.outputs) ASSERT_TRUE(std::isfinite(value));
  if (!network.against_cvodes) return;
  IntegrationOptions trusted;
  trusted.method = "cvodes";
  trusted.rtol = 1e-8;
  const Trajectory expected = simulate(model.problem, request, trusted);
  ASSERT_EQ(expected.outcome.status, Status::done);
  const std::size_t outputs = model.program().output_names.size();
  for (std::size_t k = 0; k < outputs; ++k) {
    double largest = 0, apart = 0;
    for (std::size_t i = k; i < run.outputs.size(); i += outputs) {
      largest = std::max(largest, std::fabs(expected.outputs[i]));
      apart = std::max(apart, std::fabs(run.outputs[i] - expected.outputs[i]));
    }
    EXPECT_LE(apart, 1e-4 * largest) << model.program().output_names[k];
  }
}

// Species that bind at random partners: L + U fills up, so that a factorisation is expensive.
std::string entangled_network(int n) {
  SplitMix random(4);
  std::string text = "model entangled\n";
  auto species = [](int i) { return "s" + std::to_string(i); };
  for (int i = 0; i < n; ++i) {
    text += species(i) + " = " + std::to_string(1 + random.below(9)) + "\n";
    const std::string rates = "; " + std::to_string(1 + random.below(9)) + "e-" +
                              std::to_string(random.below(4)) + ", 1\n";
    text +=
        species(i) + " + " + species(random.below(n)) + " <-> " + species(random.below(n)) + rates;
    text += species(i) + " <-> " + species(random.below(n)) + rates;
  }
  return text + "end\n";
}

TEST(LargeOwn, KeepsItsMatrixAndAgreesWithCvodes) {
  CompiledModel model = compile_model(resolve_text("entangled", entangled_network(150)));
  const Request request = model.request(even_times(20, 10));
  IntegrationOptions options, trusted;
  options.method = "bdf";
  const Trajectory run = simulate(model.problem, request, options);
  ASSERT_EQ(run.outcome.status, Status::done) << describe(run.outcome, model.program().state_names);
  const Counters& c = run.outcome.counters;
  EXPECT_EQ(c.j, c.lu);  // both are renewed together
  EXPECT_LT(8 * c.lu, c.steps);
  trusted.method = "cvodes";
  trusted.rtol = 1e-9;
  const Trajectory expected = simulate(model.problem, request, trusted);
  const auto n = static_cast<std::size_t>(model.program().states);
  for (std::size_t i = 0; i < run.states.size(); ++i)
    ASSERT_NEAR(run.states[i], expected.states[i], 1e-5 + 1e-4 * std::fabs(expected.states[i]))
        << model.program().state_names[i % n];
}

TEST(LargeOwn, GivesTheSameBitsOnAnyNumberOfThreads) {
  const int species = sanitized ? 450 : 700;
  CompiledModel model = compile_model(resolve_text("entangled", entangled_network(species)));
  const Request request = model.request(even_times(0.1, 2));
  IntegrationOptions options;
  options.method = "bdf";
  const Trajectory one = simulate(model.problem, request, options);
  ASSERT_EQ(one.outcome.status, Status::done) << describe(one.outcome, model.program().state_names);
  const InnerThreads threads(2);
  const Trajectory two = simulate(model.problem, request, options);
  EXPECT_EQ(one.states, two.states);
}

// f, LU and solves from tables, each shared by threads.
TEST(LargeOwn, TreesGiveTheSameBitsOnAnyNumberOfThreads) {
  CompiledModel model = compile_model(resolve_text("tree", generate_module_tree(400, 1)));
  ASSERT_EQ(model.problem.linear->kind(), LinearKind::level_scheduled);
  ASSERT_GT(model.problem.linear->fill(), Thresholds{}.entries_for_threads);
  const Request request = model.request(even_times(0.2, 2));
  IntegrationOptions options;
  options.method = "bdf";
  const Trajectory one = simulate(model.problem, request, options);
  ASSERT_EQ(one.outcome.status, Status::done) << describe(one.outcome, model.program().state_names);
  for (int count : {2, 3}) {
    const InnerThreads threads(count);
    const Trajectory more = simulate(model.problem, request, options);
    EXPECT_EQ(one.states, more.states);
    EXPECT_EQ(one.outcome.counters.newton, more.outcome.counters.newton);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Scale,
                         testing::Values(LargeNetwork{"multistate", 20, 9, 18, true},
                                         LargeNetwork{"multisite2", 2, 66, 288, true},
                                         LargeNetwork{"egfr_net", 10, 356, 3749, true},
                                         LargeNetwork{"bcr", 20000, 1122, 24388, false},
                                         LargeNetwork{"fceri_gamma2", 0.1, 3744, 58276, false}),
                         [](const testing::TestParamInfo<LargeNetwork>& test) {
                           return test.param.name;
                         });

}  // namespace
}  // namespace stiffit::internal
