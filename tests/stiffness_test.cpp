// The stiffness index: of the documents' models against reference curves, of small systems against
// eigenvalues known by hand, and Arnoldi's ends against all eigenvalues.
// SPDX-License-Identifier: Apache-2.0
#include "stiffness/stiffness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "compiled_model.h"

namespace stiffit {
namespace {

Stiffness stiffness_of(CompiledModel& model, const std::vector<double>& times, double span) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < model.resolved.system.rates.size(); ++r)
    names.push_back("r" + std::to_string(r));
  IntegrationOptions options;
  options.rtol = 1e-8;
  return find_stiffness(model.resolved.system, names, model.problem, model.request(times), options,
                        span);
}

struct Curve {
  std::string model, file;
  double span;
};
void PrintTo(const Curve& curve, std::ostream* out) { *out << curve.model; }

class StiffnessCurve : public testing::TestWithParam<Curve> {};

TEST_P(StiffnessCurve, AgreesWithTheReference) {
  const Curve& curve = GetParam();
  const std::string path = "reference/stiffness_" + curve.file + ".csv";
  if (!has_shared(path)) GTEST_SKIP() << "no reference at hand";
  std::ifstream in(shared_path(path));
  std::string line;
  std::getline(in, line);
  std::vector<double> times, low;
  double largest = 0;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string cell;
    std::vector<double> row;
    while (std::getline(cells, cell, ',')) row.push_back(std::stod(cell));
    times.push_back(row[0]);
    low.push_back(row[1]);
    largest = std::max(largest, -row[1] * curve.span);
  }
  CompiledModel model = compile_model(resolve_library(curve.model));
  Stiffness found = stiffness_of(model, times, curve.span);
  EXPECT_EQ(found.outcome.status, Status::done);
  ASSERT_EQ(found.rows.size(), times.size());
  EXPECT_NEAR(found.max_index, largest, 0.01 * largest);
  EXPECT_GE(found.peak.index, found.max_index);
  double worst = 0;
  for (double v : low) worst = std::max(worst, std::fabs(v));
  int apart = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    apart += std::fabs(found.rows[i].lambda_min - low[i]) > 1e-3 * worst;
  EXPECT_LE(apart, 1) << "rows in the jump of vdp1000 may differ";
}

INSTANTIATE_TEST_SUITE_P(Documents, StiffnessCurve,
                         testing::Values(Curve{"water-nonstiff", "water_nonstiff_H", 1},
                                         Curve{"water-moderate", "water_moderate_H", 0.1},
                                         Curve{"water-stiff", "water_stiff_H", 0.1},
                                         Curve{"vdp1", "vdp1", 6.66329},
                                         Curve{"vdp1000", "vdp1000", 1614.4},
                                         Curve{"oregonator", "oregonator", 5.5698},
                                         Curve{"repressilator", "repressilator", 200},
                                         Curve{"stiff1000", "stiff1000", 5}));

TEST(Stiffness, NamesWhatIsFast) {
  // a -> b with 1000/s, c -> d with 1/s: eigenvalues -1000, -1, and zeros of the moieties.
  CompiledModel model = compile_model(
      resolve_text("two.ant", "fastone: a -> b; 1000*a\nslow: c -> d; c\na = 1; c = 1"));
  Stiffness found = stiffness_of(model, even_times(1, 10), 10);
  EXPECT_NEAR(found.max_index, 10000, 1e-6);
  EXPECT_NEAR(found.peak.tau, 1e-3, 1e-12);
  EXPECT_NEAR(found.ratio, 1000, 1e-6);
  EXPECT_NEAR(found.explicit_steps, 500, 1e-6);
  EXPECT_EQ(found.verdict, Verdict::stiff);
  ASSERT_FALSE(found.species.empty());
  EXPECT_EQ(found.species.front().name, "a");
  ASSERT_EQ(found.reactions.size(), 1u);
  EXPECT_EQ(found.reactions.front().name, "r0");
}

TEST(Stiffness, SwitchesAreThoseOfTheMoment) {
  CompiledModel model =
      compile_model(resolve_text("switch.ant", "x = 1; x' = -piecewise(1, time < 2, 500)*x"));
  Stiffness found = stiffness_of(model, {0, 1, 3, 4}, 4);
  ASSERT_EQ(found.rows.size(), 4u);
  EXPECT_NEAR(found.rows[1].lambda_min, -1, 1e-9);
  EXPECT_NEAR(found.rows[2].lambda_min, -500, 1e-9);
}

TEST(Stiffness, GrowthAloneHasIndexZero) {
  CompiledModel model = compile_model(resolve_text("growth.ant", "x = 1; x' = x"));
  Stiffness found = stiffness_of(model, even_times(1, 4), 1);
  EXPECT_EQ(found.max_index, 0);
  EXPECT_TRUE(std::isinf(found.peak.tau));
  EXPECT_EQ(found.verdict, Verdict::non_stiff);
}

TEST(Stiffness, AlgebraicStatesFollow) {
  CompiledModel model =
      compile_model(resolve_text("dae.ant", "x = 1; var y = 1; x' = -20*y; 0 = y^3 + y - 2*x"));
  SpectrumFinder finder(model.problem);
  double states[2] = {1, 1};
  // y = 1 where x = 1; dy/dx = 2/(3 y^2 + 1) = 1/2.
  Spectrum s = finder.at(0, states, model.parameters({}));
  EXPECT_NEAR(s.lambda_min, -10, 1e-9);
}

TEST(Stiffness, ArnoldiFindsTheEndsOfLargeSystems) {
  CompiledModel model = compile_model(resolve_library("clock-size"));
  Trajectory run = simulate(model.problem, model.request({50}), {});
  SpectrumFinder all(model.problem, 1000), ends(model.problem, 10);
  Spectrum a = all.at(50, run.states.data(), model.parameters({}));
  Spectrum b = ends.at(50, run.states.data(), model.parameters({}));
  EXPECT_GT(a.all.size(), 10u);
  EXPECT_TRUE(b.all.empty());
  EXPECT_NEAR(b.lambda_min, a.lambda_min, 1e-6 * std::fabs(a.lambda_min));
}

}  // namespace
}  // namespace stiffit
