// The stiffness index: of the documents' models against reference curves, of small systems against
// eigenvalues known by hand, and Arnoldi's ends against all eigenvalues.
// SPDX-License-Identifier: Apache-2.0
#include "analysis/stiffness/stiffness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "places.h"
#include "reference_problems.h"

namespace stiffit::internal {
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
  std::ifstream in(reference_path("stiffness_" + curve.file + ".csv"));
  ASSERT_TRUE(in);
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

// As far as the summary looks: some indices grow to the very end.
double end_of(const std::string& name) {
  if (name.starts_with("water")) return name.find("nonstiff") != std::string::npos ? 1 : 0.1;
  for (const SmallModel& model : small_library_models())
    if (model.name == name) return model.end;
  ADD_FAILURE() << name;
  return 1;
}

// Every row of the summary, its model being the one that the method table runs.
TEST(StiffnessSummary, IsMetToAPercent) {
  std::ifstream in(reference_path("stiffness_summary.csv"));
  std::string line;
  std::getline(in, line);
  int rows = 0;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string name, cell;
    std::getline(cells, name, ',');
    std::vector<double> row;  // T, S_max, t_at_max, S_initial, S_final
    while (std::getline(cells, cell, ',')) row.push_back(std::stod(cell));
    const auto& problems = reference_problems();
    auto problem = std::find_if(problems.begin(), problems.end(),
                                [&](const ReferenceProblem& p) { return p.name == name; });
    ASSERT_NE(problem, problems.end()) << name;
    CompiledModel model = compile_problem(*problem);
    const Stiffness found = stiffness_of(model, even_times(end_of(name), 800), row[0]);
    ASSERT_EQ(found.outcome.status, Status::done) << name;
    EXPECT_NEAR(found.max_index, row[1], 0.01 * row[1]) << name;
    EXPECT_NEAR(found.rows.front().index, row[3], 0.01 * row[3]) << name;
    ++rows;
  }
  EXPECT_EQ(rows, 11);
}

TEST(Stiffness, NamesWhatIsFast) {
  // a -> b with 1000/s, c -> d with 1/s: eigenvalues -1000, -1, and zeros of the moieties.
  CompiledModel model = compile_model(
      resolve_text("two.rxn", "fastone: a -> b; 1000*a\nslow: c -> d; c\na = 1; c = 1"));
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
      compile_model(resolve_text("switch.rxn", "x = 1; x' = -piecewise(1, time < 2, 500)*x"));
  Stiffness found = stiffness_of(model, {0, 1, 3, 4}, 4);
  ASSERT_EQ(found.rows.size(), 4u);
  EXPECT_NEAR(found.rows[1].lambda_min, -1, 1e-9);
  EXPECT_NEAR(found.rows[2].lambda_min, -500, 1e-9);
}

TEST(Stiffness, GrowthAloneHasIndexZero) {
  CompiledModel model = compile_model(resolve_text("growth.rxn", "x = 1; x' = x"));
  Stiffness found = stiffness_of(model, even_times(1, 4), 1);
  EXPECT_EQ(found.max_index, 0);
  EXPECT_TRUE(std::isinf(found.peak.tau));
  EXPECT_EQ(found.verdict, Verdict::non_stiff);
}

TEST(Stiffness, AlgebraicStatesFollow) {
  CompiledModel model =
      compile_model(resolve_text("dae.rxn", "x = 1; var y = 1; x' = -20*y; 0 = y^3 + y - 2*x"));
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

// x_i' = x_{i-1} - 2 x_i + x_{i+1} - d_i x_i: one species decays fast, next to diffusion.
TEST(Stiffness, ArnoldiNamesTheFastSpeciesOfALargeSystem) {
  constexpr int n = 300, fast = 123;
  std::string text;
  for (int i = 0; i < n; ++i) {
    const std::string x = "x" + std::to_string(i);
    text += "species " + x + " = 1; " + x + "' = -" + (i == fast ? "5000" : "2") + "*" + x;
    if (i > 0) text += " + x" + std::to_string(i - 1);
    if (i + 1 < n) text += " + x" + std::to_string(i + 1);
    text += "\n";
  }
  CompiledModel model = compile_model(resolve_text("chain", text));
  const Stiffness found = stiffness_of(model, even_times(1, 2), 1);
  ASSERT_EQ(found.outcome.status, Status::done);
  EXPECT_TRUE(found.at_peak.empty());
  // -5000 - 2/(5000 - ...): the neighbours push it a little.
  EXPECT_NEAR(found.peak.lambda_min, -5000.0004, 1e-4);
  ASSERT_FALSE(found.species.empty());
  EXPECT_EQ(found.species.front().name, "x" + std::to_string(fast));
  EXPECT_GT(found.species.front().share, 0.99);
  EXPECT_EQ(found.recommended, "bdf");
}

TEST(Stiffness, ArnoldiAgreesWithAllEigenvaluesOfAPublishedNetwork) {
  STIFFIT_NEEDS_SHARED("scale/egfr_net.net");
  CompiledModel model = compile_model(resolve_net(shared_path("scale/egfr_net.net")));
  Trajectory run = simulate(model.problem, model.request({1}), {});
  SpectrumFinder all(model.problem, 1000), ends(model.problem);
  Spectrum a = all.at(1, run.states.data(), model.parameters({}), {false, true});
  Spectrum b = ends.at(1, run.states.data(), model.parameters({}), {true, false});
  EXPECT_EQ(a.all.size(), 356u);
  EXPECT_NEAR(b.lambda_min, a.lambda_min, 1e-6 * std::fabs(a.lambda_min));
}

}  // namespace
}  // namespace stiffit::internal
