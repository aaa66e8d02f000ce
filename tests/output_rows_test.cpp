// Rows between the ends of steps, of networks too large for a step in one piece of code: as good as
// the steps, and as true to what a network keeps.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiled_model.h"
#include "model/library/generated_network.h"
#include "ode/observed_simulator.h"

namespace stiffit::internal {
namespace {

struct NothingElse final : StepsObserver {
  void begin(const LaneGroup&) override {}
  double passed(const LaneGroup&, const Stepper&) override { return 0; }
  void accepted() override {}
  void landed(double) override {}
};

std::vector<double> six_decades(double end) {
  std::vector<double> times;
  for (int i = 1; i <= 100; ++i) times.push_back(end * std::pow(10, 0.06 * (i - 100)));
  return times;
}

double worst_error(const std::vector<double>& rows, const std::vector<double>& exact, int n) {
  const auto states = static_cast<std::size_t>(n);
  std::vector<double> largest(states);
  for (std::size_t i = 0; i < exact.size(); ++i)
    largest[i % states] = std::max(largest[i % states], std::fabs(exact[i]));
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    worst = std::max(
        worst, std::fabs(rows[i] - exact[i]) / (std::fabs(exact[i]) + 1e-3 * largest[i % states]));
  return worst;
}

// What goes along with a run (derivatives) is given the interpolant itself.
TEST(OutputRows, OfStiffNetworksAreBetterThanTheInterpolant) {
  // With 100 species the steps themselves have most of the error.
  for (const auto& [species, share] : {std::pair(40, 0.7), std::pair(100, 1.0)}) {
    CompiledModel model =
        compile_model(resolve_text("network", generated_benchmark_network(species)));
    const Request request = model.request(six_decades(100));
    IntegrationOptions tight, options;
    tight.method = options.method = "rodas5p";
    tight.rtol = 1e-10;
    options.rtol = 1e-5;
    const Trajectory exact = simulate(model.problem, request, tight),
                     rows = simulate(model.problem, request, options);
    NothingElse observer;
    Trajectory interpolated;
    ObservedSimulator(model.problem, options).run(request, observer, interpolated);
    ASSERT_EQ(rows.outcome.status, Status::done);
    EXPECT_EQ(rows.outcome.counters.steps, interpolated.outcome.counters.steps);
    const double mended = worst_error(rows.states, exact.states, species),
                 plain = worst_error(interpolated.states, exact.states, species);
    EXPECT_LT(mended, share * plain) << species;
    EXPECT_LT(mended, 2e-4) << species;
  }
}

TEST(OutputRows, KeepWhatTheNetworkKeeps) {
  std::string text;
  constexpr int species = 40;
  for (int i = 0; i < species; ++i) {
    const int next = (i + 1) % species, far = (i * 7 + 3) % species;
    const auto s = [](int k) { return "S" + std::to_string(k); };
    text += s(i) + " -> " + s(next) + "; " + std::to_string(std::pow(10, i % 7 - 2)) + "*" + s(i) +
            "\n";
    if (far != i)
      text += s(far) + " + " + s(i) + " -> 2 " + s(i) + "; " + std::to_string(1 + i % 3) + "*" +
              s(far) + "*" + s(i) + "\n";
    text += s(i) + " = " + std::to_string(i % 5) + "\n";
  }
  CompiledModel model = compile_model(resolve_text("ring", text));
  ASSERT_EQ(model.program().states, species);
  IntegrationOptions options;
  options.method = "rodas5p";
  options.rtol = 1e-4;
  const Trajectory run = simulate(model.problem, model.request(six_decades(10)), options);
  ASSERT_EQ(run.outcome.status, Status::done);
  for (std::size_t row = 0; row < 100; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < species; ++i) sum += run.states[row * species + i];
    EXPECT_NEAR(sum, 80, 1e-11) << row;
  }
}

}  // namespace
}  // namespace stiffit::internal
