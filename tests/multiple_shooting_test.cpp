// A course in pieces: the same problem where the gaps are closed, and the way from far away.
// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/multiple_shooting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "estimation/objective/problem_objective.h"
#include "estimation/strategies/reduced_fit.h"
#include "estimation/strategies/shooting_fit.h"
#include "io/petab/petab_for_test.h"

namespace stiffit::internal {
namespace {

// Prey and predators, the prey measured; the data are those of the model itself with a = b = 1.
FitProblem lotka(const std::string& events = "") {
  TestFiles files = conversion_v1();
  files["model.ant"] = "x' = a*x - x*y; y' = b*x*y - y\nx = 1.5; y = 0.4; a = 1; b = 1\n" + events;
  files["p.tsv"] = table(
      "parameterId,parameterScale,lowerBound,upperBound,nominalValue,estimate\n"
      "a,log10,1e-2,1e2,1,1\nb,log10,1e-2,1e2,1,1\n");
  files["o.tsv"] = table("observableId,observableFormula,noiseFormula\nobs,x,0.05\n");
  std::string rows = "observableId,simulationConditionId,time,measurement\n";
  for (int i = 1; i <= 60; ++i) rows += "obs,c0," + std::to_string(0.4 * i) + ",1\n";
  files["m.tsv"] = table(rows);
  PetabReading reading = read_files(files);
  EXPECT_FALSE(reading.has_errors()) << reading.text();
  FitProblem problem = *reading.problem;
  std::string failure;
  const std::vector<Prediction> truth =
      ProblemObjective(problem).predict(std::vector<double>{0, 0}, failure);
  EXPECT_EQ(failure, "");
  for (Measurement& m : problem.measurements)
    m.value = truth[static_cast<std::size_t>(m.row)].value;
  return problem;
}

const std::vector<double> times{4.1, 8.2, 12.3, 20};

TEST(MultipleShooting, ClosedGapsAddNothingButTheirConstant) {
  const FitProblem problem = lotka();
  const double gap = 0.1;
  std::optional<ShootingProblem> cut = cut_into_pieces(problem, times, gap);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->added, 2 * times.size());
  ObjectiveOptions options;
  options.integration.rtol = 1e-10;
  const ProblemObjective whole(problem, options), pieces(cut->pieces, options),
      cuts(cut->cuts, options);
  for (const std::vector<double>& point :
       std::vector<std::vector<double>>{{0, 0}, {0.1, -0.05}, {-0.3, 0.2}}) {
    std::vector<double> x = point;
    std::string failure;
    for (const Prediction& state : cuts.predict(point, failure))
      x.push_back(std::log10(state.value));
    ASSERT_EQ(failure, "");
    const Evaluation a = whole.evaluate(point, Need::gradient), b = pieces.evaluate(x, Need::value);
    ASSERT_TRUE(a.ok() && b.ok()) << a.failure << b.failure;
    const double constant =
        static_cast<double>(cut->added) * (std::log(gap) + 0.5 * std::log(2 * std::numbers::pi));
    EXPECT_NEAR(b.value - constant, a.value, 1e-5 * (1 + std::fabs(a.value)));
    // An open gap costs what it is in units of its deviation.
    const double width = 0.01;
    x.back() += width;
    const Evaluation open = pieces.evaluate(x, Need::gradient);
    x.back() += 1e-5;
    const double above = pieces.evaluate(x, Need::value).value;
    x.back() -= 2e-5;
    const double below = pieces.evaluate(x, Need::value).value;
    ASSERT_TRUE(open.ok());
    EXPECT_NEAR(open.gradient.back(), (above - below) / 2e-5,
                1e-4 * (1 + std::fabs(open.gradient.back())));
    EXPECT_GT(open.value, b.value);
  }
}

TEST(MultipleShooting, WhatCannotBeCutIsNotCut) {
  EXPECT_FALSE(cut_into_pieces(lotka("E: at x > 100: y = 1\n"), times, 0.1));
  EXPECT_FALSE(cut_into_pieces(lotka(), {}, 0.1));
  EXPECT_FALSE(cut_into_pieces(lotka(), {100}, 0.1));  // after the last measurement
  FitProblem rest = lotka();
  rest.measurements.back().time = INFINITY;
  EXPECT_FALSE(cut_into_pieces(rest, times, 0.1));
}

// Plain descents from the same points end out of step.
TEST(MultipleShooting, ComesIntoStepFromFarAway) {
  const FitProblem problem = lotka();
  auto whole = std::make_shared<const ProblemObjective>(problem);
  const ProjectedObjective end(whole);
  std::unique_ptr<ShootingFit> shooting =
      ShootingFit::make(problem, cut_times(problem), ObjectiveOptions(), end);
  ASSERT_TRUE(shooting);
  int plain_arrive = 0, arrive = 0;
  LocalFit last;
  for (const std::vector<double>& far : std::vector<std::vector<double>>{
           {0.4, 0.1}, {0.5, -0.2}, {-0.4, 0.3}, {-0.3, -0.3}, {0.3, 0.3}, {0.6, 0.2}}) {
    plain_arrive += fit_reduced(end, far, LocalOptions()).at.chi2 < 1e-3;
    const LocalFit shot = shooting->fit(far, LocalOptions());
    EXPECT_TRUE(shot.usable()) << shot.message;
    if (!(shot.at.chi2 < 1e-3)) continue;
    ++arrive;
    EXPECT_NEAR(shot.x[0], 0, 1e-4);
    EXPECT_NEAR(shot.x[1], 0, 1e-4);
    last = shot;
  }
  EXPECT_GE(arrive, 5);
  EXPECT_LE(plain_arrive, 2);
  // A basin hop from there finds the way back.
  const LocalFit back = shooting->basin_hop(last.x, 5, LocalOptions());
  ASSERT_TRUE(back.usable());
  EXPECT_LT(back.at.chi2, 1e-3);
}

}  // namespace
}  // namespace stiffit::internal
