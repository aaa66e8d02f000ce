// Experiments side by side in lanes: the same as one after another, whatever their conditions do.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <thread>

#include "base/files/read_file.h"
#include "estimation/objective/gradient_check.h"
#include "estimation/objective/parameter_point.h"
#include "io/petab/read_petab.h"
#include "places.h"
#include "problem_maker.h"

namespace stiffit::internal {
namespace {

// A series of doses: several periods, a pre-equilibration, an event, a measurement at rest, and
// experiments that share a course.
Maker doses() {
  Maker maker(
      "A -> B; k1*A\nB -> A; k2*B\n-> A; k3*u\nB -> ; k3*B\n"
      "A = 2; B = 0.5; k1 = 0.7; k2 = 0.3; k3 = 0.1\nu = 1; scale = 1\nat B > 1.9: A = A + k2");
  maker.parameter("k1", 0.7);
  maker.parameter("k2", 0.3);
  maker.parameter("k3", 0.1);
  maker.parameter("first", 1.5);
  const int seen = maker.observable(
      "seen", maker.apply(Op::mul, maker.symbol("scale"), maker.symbol("B")), maker.number(0.1));
  const int rest = maker.observable("rest", maker.symbol("A"), maker.number(0.2));
  for (double dose : {0.0, 0.3, 1.0, 3.0, 10.0}) {
    maker.experiment(
        {maker.period(0, {{"u", maker.number(dose)}}),
         maker.period(2, {{"u", maker.number(0.5 * dose)}}),
         maker.period(4, {{"A", maker.apply(Op::add, maker.symbol("B"), maker.symbol("first"))}})});
    for (double t : {0.0, 1.0, 2.0, 3.5, 4.0, 7.0}) maker.measure(seen, t, 0.5 + 0.1 * dose);
  }
  // Two that differ in an output only; one is measured at rest alone, the other on its way there.
  maker.experiment({maker.period(0, {{"scale", maker.symbol("first")}})});
  maker.measure(rest, INFINITY, 2);
  maker.experiment({maker.period(0)});
  maker.measure(seen, 3, 0.8);
  maker.measure(seen, 30, 0.8);
  for (double before : {0.2, 0.8}) {
    maker.experiment({maker.period(-INFINITY, {{"u", maker.number(before)}}),
                      maker.period(0, {{"u", maker.number(1)}})});
    maker.measure(seen, 2, 0.9);
    maker.measure(rest, INFINITY, 2);
  }
  return maker;
}

ProblemObjective make(const FitProblem& problem, bool side_by_side, double rtol = 1e-10) {
  ObjectiveOptions options;
  options.integration.rtol = rtol;
  options.side_by_side = side_by_side;
  return ProblemObjective(problem, options);
}

void expect_same(const Evaluation& a, const Evaluation& b, double tolerance) {
  EXPECT_EQ(a.failure, b.failure);
  ASSERT_EQ(a.ok(), b.ok());
  if (!a.ok()) return;
  EXPECT_NEAR(a.value, b.value, tolerance * (1 + std::fabs(b.value)));
  EXPECT_NEAR(a.llh, b.llh, tolerance * (1 + std::fabs(b.llh)));
  EXPECT_NEAR(a.chi2, b.chi2, tolerance * (1 + b.chi2));
  // In the same order, whatever was integrated first.
  ASSERT_EQ(a.residuals.size(), b.residuals.size());
  for (std::size_t k = 0; k < a.residuals.size(); ++k)
    EXPECT_NEAR(a.residuals[k], b.residuals[k], tolerance * (1 + std::fabs(b.residuals[k]))) << k;
}

TEST(Conditions, InLanesAsOneByOne) {
  Maker maker = doses();
  const ProblemObjective lanes = make(maker.problem_ready(), true);
  const ProblemObjective alone = make(maker.problem_ready(), false);
  EXPECT_EQ(lanes.experiment_count(), 9);
  EXPECT_EQ(lanes.course_count(), 8);
  std::vector<double> theta = lanes.nominal();
  for (double shift : {0.0, 0.05, -0.2}) {
    for (double& x : theta) x += shift;
    const Evaluation one = alone.evaluate(theta, Need::value);
    ASSERT_TRUE(one.ok()) << one.failure;
    ASSERT_EQ(one.residuals.size(), 37u);
    expect_same(lanes.evaluate(theta, Need::value), one, 1e-8);
    // The gradient's run sees the same.
    expect_same(lanes.evaluate(theta, Need::gradient), one, 1e-7);
    std::string failures[2];
    const std::vector<Prediction> p = lanes.predict(theta, failures[0]),
                                  q = alone.predict(theta, failures[1]);
    ASSERT_EQ(p.size(), q.size());
    for (std::size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(p[k].value, q[k].value, 1e-8) << k;
  }
}

// Many points at once, one at a time, on any number of threads and in any company: every bit.
TEST(Conditions, CompanyDoesNotMatter) {
  Maker maker = doses();
  const ProblemObjective objective = make(maker.problem_ready(), true, 1e-7);
  std::vector<std::vector<double>> points(7, objective.nominal());
  for (std::size_t k = 0; k < points.size(); ++k)
    for (double& x : points[k]) x += 0.03 * (static_cast<double>(k) - 2);
  const std::vector<Evaluation> many = objective.values(points, 1);
  std::vector<Evaluation> single(points.size());
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < points.size(); ++k)
    threads.emplace_back([&, k] { single[k] = objective.evaluate(points[k], Need::value); });
  for (std::thread& t : threads) t.join();
  for (int count : {2, 3, 8}) {
    const std::vector<Evaluation> other = objective.values(points, count);
    for (std::size_t k = 0; k < points.size(); ++k) {
      ASSERT_TRUE(many[k].ok()) << many[k].failure;
      EXPECT_EQ(many[k].value, other[k].value);
      EXPECT_EQ(many[k].residuals, other[k].residuals);
      EXPECT_EQ(many[k].value, single[k].value);
      EXPECT_EQ(many[k].residuals, single[k].residuals);
    }
  }
}

// One condition cannot be integrated: it is named, and other points are not touched by it.
TEST(Conditions, FailureIsOfItsCondition) {
  Maker maker("A -> 2 A; q*u*A^2\nA -> ; k*A\nA = 0.1; k = 1; q = 0.1; u = 1");
  maker.parameter("k", 1);
  maker.parameter("q", 0.1);
  const int seen = maker.observable("seen", maker.symbol("A"), maker.number(0.1));
  for (double dose : {0.1, 0.2, 0.3, 0.4, 40.0}) {
    maker.experiment({maker.period(0, {{"u", maker.number(dose)}})});
    maker.measure(seen, 3, 0.2);
  }
  const ProblemObjective lanes = make(maker.problem_ready(), true);
  const ProblemObjective alone = make(maker.problem_ready(), false);
  std::vector<double> good{0, -2}, bad{0, 0};
  const Evaluation failed = lanes.evaluate(bad, Need::value);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.failure.find("experiment 'e4'"), std::string::npos) << failed.failure;
  expect_same(failed, alone.evaluate(bad, Need::value), 0);
  const std::vector<Evaluation> both = lanes.values(std::vector{good, bad, good}, 2);
  expect_same(both[0], alone.evaluate(good, Need::value), 1e-8);
  EXPECT_EQ(both[1].failure, failed.failure);
  EXPECT_EQ(both[2].value, both[0].value);
}

// Each experiment follows the unknowns that its own measurements read: through a placeholder, a
// noise formula, a default that another parameter gives, or an assignment of a later period.
TEST(Conditions, EveryWayToAMeasurementIsFollowed) {
  Maker maker("A -> ; k*A\nA = 2; k = 0.5; gain = 1; shift = base; base = 0.3");
  maker.parameter("k", 0.5);
  maker.parameter("slope", 1.3);
  maker.parameter("sigma", 0.2);
  maker.parameter("late", 0.7);
  maker.parameter("base", 0.3);
  maker.added("slot");
  auto shifted = [&](const char* factor) {
    return maker.apply(Op::add, maker.apply(Op::mul, maker.symbol(factor), maker.symbol("A")),
                       maker.symbol("shift"));
  };
  const int by_slot = maker.observable("by_slot", shifted("slot"), maker.number(0.1),
                                       Transformation::none, NoiseKind::normal, {"slot"});
  const int by_gain = maker.observable("by_gain", shifted("gain"), maker.symbol("sigma"));
  maker.experiment({maker.period(0)});
  maker.measure(by_slot, 1, 1.4, {{1, not_set}});
  maker.experiment({maker.period(0), maker.period(2, {{"gain", maker.symbol("late")}})});
  maker.measure(by_gain, 1, 1.5);
  maker.measure(by_gain, 3, 0.9);
  const ProblemObjective objective = make(maker.problem_ready(), true, 1e-12);
  const std::vector<double> theta = objective.nominal();
  const Evaluation e = objective.evaluate(theta, Need::fisher);
  ASSERT_TRUE(e.ok()) << e.failure;
  for (std::size_t u = 0; u < theta.size(); ++u) {
    EXPECT_NE(e.gradient[u], 0) << objective.unknowns()[u].id;
    EXPECT_GT(e.fisher[u * theta.size() + u], 0) << objective.unknowns()[u].id;
  }
  for (const GradientCheck& c : check_gradient(objective, theta, e.gradient, 1e-6))
    EXPECT_TRUE(c.passed) << objective.unknowns()[c.unknown].id << ": " << c.gradient << " against "
                          << c.difference;
}

TEST(Conditions, OfBenchmarksInLanes) {
  const std::string folder = shared_path("petab-benchmarks/");
  STIFFIT_NEEDS_SHARED("petab-benchmarks");
  for (const std::string name : {"Fujita_SciSignal2010", "Brannmark_JBC2010", "Bachmann_MSB2011",
                                 "Lucarelli_CellSystems2018", "Raimundez_PCB2020",
                                 "Schwen_PONE2014", "Zhao_QuantBiol2020"}) {
    SCOPED_TRACE(name);
    PetabReading reading = read_petab(folder + name + "/" + name + ".yaml", read_file);
    ASSERT_TRUE(reading.problem) << reading.text();
    std::vector<Evaluation> results;
    for (bool side_by_side : {true, false}) {
      ObjectiveOptions options;
      options.derivatives = false;
      options.side_by_side = side_by_side;
      const ProblemObjective objective(*reading.problem, options);
      EXPECT_GE(objective.course_count(), 6);
      const std::vector<double> theta = parameter_point(objective, "perturbed");
      results.push_back(objective.evaluate(theta, Need::value));
      ASSERT_TRUE(results.back().ok()) << results.back().failure;
      EXPECT_EQ(results.back().value, objective.evaluate(theta, Need::value).value);
    }
    expect_same(results[0], results[1], 1e-6);
  }
}

}  // namespace
}  // namespace stiffit::internal
