// The objective on small problems made here: likelihoods by hand, gradients against differences,
// through pre-equilibration, periods, events, placeholders and every kind of noise.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <thread>

#include "estimation/objective/gradient_check.h"
#include "estimation/objective/likelihood.h"
#include "estimation/objective/prior_density.h"
#include "estimation/objective/projected_objective.h"
#include "ode/method_registry.h"
#include "problem_maker.h"

namespace stiffit::internal {
namespace {

// Values in lanes are those of single evaluations, for any number of threads.
void expect_side_by_side(const ProblemObjective& objective) {
  std::vector<std::vector<double>> points(11, objective.nominal());
  for (std::size_t k = 0; k < points.size(); ++k)
    for (double& x : points[k]) x += 0.01 * (static_cast<double>(k) - 4);
  points[3][0] = INFINITY;
  const std::vector<Evaluation> many = objective.values(points, 1);
  const std::vector<Evaluation> threads = objective.values(points, 3);
  ASSERT_EQ(many.size(), points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Evaluation one = objective.evaluate(points[k], Need::value);
    EXPECT_EQ(many[k].failure, one.failure);
    EXPECT_EQ(many[k].ok(), k != 3) << many[k].failure;
    if (k == 3) continue;
    EXPECT_NEAR(many[k].value, one.value, 1e-6 * (1 + std::fabs(one.value)));
    EXPECT_NEAR(many[k].chi2, one.chi2, 1e-6 * (1 + one.chi2));
    EXPECT_EQ(many[k].value, threads[k].value);
  }
}

void expect_gradient(const ProblemObjective& objective) {
  expect_side_by_side(objective);
  const std::vector<double> theta = objective.nominal();
  const Evaluation e = objective.evaluate(theta, Need::fisher);
  ASSERT_TRUE(e.ok()) << e.failure;
  for (const GradientCheck& c : check_gradient(objective, theta, e.gradient, 1e-6))
    EXPECT_TRUE(c.passed) << objective.unknowns()[c.unknown].id << ": " << c.gradient << " against "
                          << c.difference;
}

TEST(Likelihood, TermsAreTheStatedDensities) {
  const double m = 1.7, h = 1.3, s = 0.4;
  const double ln = std::log(m / h), l10 = std::log10(m / h), pi = std::numbers::pi;
  auto llh = [&](Transformation t, NoiseKind k) { return likelihood_term(t, k, m, h, s).llh; };
  EXPECT_NEAR(llh(Transformation::none, NoiseKind::normal),
              std::log(1 / (std::sqrt(2 * pi) * s) * std::exp(-0.5 * std::pow((m - h) / s, 2))),
              1e-14);
  EXPECT_NEAR(llh(Transformation::log, NoiseKind::normal),
              std::log(1 / (std::sqrt(2 * pi) * s * m) * std::exp(-0.5 * ln * ln / s / s)), 1e-14);
  EXPECT_NEAR(
      llh(Transformation::log10, NoiseKind::normal),
      std::log(1 / (std::sqrt(2 * pi) * s * m * std::log(10)) * std::exp(-0.5 * l10 * l10 / s / s)),
      1e-14);
  EXPECT_NEAR(llh(Transformation::none, NoiseKind::laplace),
              std::log(1 / (2 * s) * std::exp(-std::fabs(m - h) / s)), 1e-14);
  EXPECT_NEAR(llh(Transformation::log, NoiseKind::laplace),
              std::log(1 / (2 * s * m) * std::exp(-std::fabs(ln) / s)), 1e-14);
}

// Numeric integration of every density, cut off or not, gives one; slopes are differences.
TEST(Priors, AreDensities) {
  for (PriorKind kind :
       {PriorKind::uniform, PriorKind::normal, PriorKind::laplace, PriorKind::log_normal,
        PriorKind::log_laplace, PriorKind::log_uniform, PriorKind::cauchy, PriorKind::chi_squared,
        PriorKind::exponential, PriorKind::gamma, PriorKind::rayleigh}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Prior prior;
    prior.kind = kind;
    prior.a = 1.2;
    prior.b = 2.5;
    prior.low = 0.7;
    prior.high = 4;
    double sum = 0;
    const int steps = 20000;
    for (int i = 0; i < steps; ++i) {
      const double x = 0.7 + (i + 0.5) * 3.3 / steps;
      sum += std::exp(prior_density(prior, x, Scale::lin).log_density) * 3.3 / steps;
    }
    EXPECT_NEAR(sum, 1, 1e-4);
    const double x = 2.1, h = 1e-5;
    EXPECT_NEAR(prior_density(prior, x, Scale::lin).slope,
                (prior_density(prior, x + h, Scale::lin).log_density -
                 prior_density(prior, x - h, Scale::lin).log_density) /
                    (2 * h),
                1e-7);
    EXPECT_EQ(prior_density(prior, 4.5, Scale::lin).log_density, -INFINITY);
  }
}

TEST(Objective, ExponentialDecayByHand) {
  Maker maker("A -> ; k*A\nA = 3; k = 0.5");
  maker.parameter("k", 0.5);
  const int o = maker.observable("obs", maker.symbol("A"), maker.number(0.2));
  maker.experiment({maker.period(0)});
  maker.measure(o, 1, 1.5);
  maker.measure(o, 2, 1.2);
  ProblemObjective objective = maker.make();
  EXPECT_TRUE(objective.least_squares());
  EXPECT_EQ(objective.data_count(), 2);
  const Evaluation e = objective.evaluate(objective.nominal(), Need::fisher);
  ASSERT_TRUE(e.ok()) << e.failure;
  const double r1 = (3 * std::exp(-0.5) - 1.5) / 0.2, r2 = (3 * std::exp(-1.0) - 1.2) / 0.2;
  EXPECT_NEAR(e.chi2, r1 * r1 + r2 * r2, 1e-8);
  EXPECT_NEAR(e.llh, -0.5 * e.chi2 - 2 * std::log(0.2 * std::sqrt(2 * std::numbers::pi)), 1e-8);
  EXPECT_EQ(e.value, -e.llh);
  const double d1 = -3 * std::exp(-0.5) / 0.2, d2 = -6 * std::exp(-1.0) / 0.2;
  const double chain = 0.5 * std::log(10.0);
  EXPECT_NEAR(e.gradient[0], (r1 * d1 + r2 * d2) * chain, 1e-6);
  EXPECT_NEAR(e.fisher[0], (d1 * d1 + d2 * d2) * chain * chain, 1e-5);
  EXPECT_NEAR(e.residuals[1], r2, 1e-8);
  EXPECT_NEAR(e.jacobian[1], d2 * chain, 1e-6);
}

// Whatever integrates: the same value and gradient, through an event.
TEST(Objective, EveryIntegratorWithSensitivitiesServes) {
  Maker maker(
      "A -> B; k1*A\nB -> ; k2*B\nA = 2; B = 0; k1 = 0.7; k2 = 0.3\nat B > 0.8: A = A + k2");
  maker.parameter("k1", 0.7);
  maker.parameter("k2", 0.3);
  const int o = maker.observable("obs", maker.symbol("B"), maker.number(0.2));
  maker.experiment({maker.period(0)});
  for (double t : {0.5, 2.0, 4.0}) maker.measure(o, t, 0.6);
  const Evaluation expected = [&] {
    const ProblemObjective objective = maker.make();
    return objective.evaluate(objective.nominal(), Need::gradient);
  }();
  ASSERT_TRUE(expected.ok()) << expected.failure;
  for (const MethodEntry& entry : method_entries()) {
    if (!entry.gives_sensitivities()) continue;
    ObjectiveOptions options;
    options.integration.method = entry.info.name;
    options.integration.rtol = entry.order < 3 ? 1e-7 : 1e-9;
    const ProblemObjective objective = maker.make_with(options);
    const Evaluation e = objective.evaluate(objective.nominal(), Need::gradient);
    ASSERT_TRUE(e.ok()) << entry.info.name << " " << e.failure;
    EXPECT_NEAR(e.value, expected.value, 1e-5) << entry.info.name;
    for (std::size_t i = 0; i < e.gradient.size(); ++i)
      EXPECT_NEAR(e.gradient[i], expected.gradient[i], 1e-4) << entry.info.name;
  }
}

TEST(Objective, GradientThroughEverything) {
  Maker maker(
      "A -> B; k1*A\nB -> A; k2*B\nB -> ; k3*B*u\nA = 2; B = 0.5; k1 = 0.7; k2 = 0.3; k3 = 0.1\n"
      "u = 1\nat B > 1.4: A = A + k2");
  maker.parameter("k1", 0.7);
  maker.parameter("k2", 0.3, Scale::log);
  maker.parameter("k3", 0.1, Scale::lin);
  maker.parameter("start_A", 1.8);
  maker.parameter("scale", 1.5);
  maker.parameter("sigma", 0.3);
  maker.added("slot");
  const int plain = maker.observable("plain", maker.symbol("A"), maker.symbol("sigma"));
  const int scaled =
      maker.observable("scaled", maker.apply(Op::mul, maker.symbol("slot"), maker.symbol("B")),
                       maker.apply(Op::mul, maker.number(0.2), maker.symbol("sigma")),
                       Transformation::log10, NoiseKind::normal, {"slot"});
  const int lap = maker.observable("lap", maker.symbol("B"), maker.symbol("sigma"),
                                   Transformation::log, NoiseKind::laplace);
  // Pre-equilibrated, then another input and a pulse that depends on the state.
  maker.experiment(
      {maker.period(-INFINITY, {{"u", maker.number(0)}, {"A", maker.symbol("start_A")}}),
       maker.period(0, {{"u", maker.number(1)}}),
       maker.period(3, {{"A", maker.apply(Op::add, maker.symbol("B"), maker.symbol("scale"))}})});
  for (double t : {0.0, 1.0, 3.0, 5.0}) {
    maker.measure(plain, t, 0.6 + 0.1 * t);
    maker.measure(scaled, t, 1.3, {{4, not_set}});
    maker.measure(scaled, t, 1.1, {{-1, 0.9}});
    maker.measure(lap, t, 1.05 - 0.07 * t);
  }
  maker.experiment({maker.period(0, {{"B", maker.symbol("scale")}})});
  maker.measure(plain, 2, 1.4);
  maker.measure(lap, INFINITY, 0.01);
  maker.problem.measurements.pop_back();  // everything drains away: its logarithm tells nothing
  ProblemObjective objective = maker.make();
  EXPECT_FALSE(objective.least_squares());
  expect_gradient(objective);
  // The same from several threads.
  const std::vector<double> theta = objective.nominal();
  const Evaluation once = objective.evaluate(theta, Need::gradient);
  std::vector<Evaluation> results(4);
  std::vector<std::thread> threads;
  for (Evaluation& r : results)
    threads.emplace_back([&] { r = objective.evaluate(theta, Need::gradient); });
  for (std::thread& t : threads) t.join();
  for (const Evaluation& r : results) {
    EXPECT_EQ(r.value, once.value);
    EXPECT_EQ(r.gradient, once.gradient);
  }
}

// Experiments that differ in a scale, in times, or in nothing share an integration; one that
// differs in a rate, or from the second period on, does not. Counted, and the same as one by one.
TEST(Objective, ExperimentsShareTheCourseOfTheirStates) {
  Maker maker("A -> B; k*u*A\nB -> ; q*B\nA = 1; B = 0; k = 0.7; q = 0.2; u = 1; scale = 1");
  maker.parameter("k", 0.7);
  maker.parameter("q", 0.2);
  maker.parameter("first", 1.5);
  maker.parameter("second", 0.8);
  const int seen = maker.observable(
      "seen", maker.apply(Op::mul, maker.symbol("scale"), maker.symbol("B")), maker.number(0.1));
  for (const char* scale : {"first", "second", "second"}) {
    maker.experiment({maker.period(0, {{"scale", maker.symbol(scale)}}),
                      maker.period(3, {{"u", maker.number(0.5)}})});
    const auto n = static_cast<double>(maker.problem.experiments.size());
    for (double t : {0.5 * n, 2.0, 3.0, 4 + n}) maker.measure(seen, t, 0.3 + 0.05 * n);
  }
  maker.experiment(
      {maker.period(0, {{"u", maker.number(2)}}), maker.period(3, {{"u", maker.number(0.5)}})});
  maker.measure(seen, 4, 0.2);
  maker.experiment({maker.period(0), maker.period(3, {{"u", maker.number(0.6)}})});
  maker.measure(seen, 4, 0.2);

  class Counting final : public SensitivitySimulator {
   public:
    Counting(const SensitivityProblem& problem, int& runs)
        : own_(make_sensitivity_simulator(problem)), runs_(runs) {}
    void run(const SensitivityRequest& request, const SensitivityOptions& options,
             SensitivityTrajectory& result) override {
      ++runs_;
      own_->run(request, options, result);
    }

   private:
    std::unique_ptr<SensitivitySimulator> own_;
    int& runs_;
  };
  int runs[2] = {};
  std::vector<Evaluation> results;
  for (bool share : {false, true}) {
    ObjectiveOptions options = Maker::options();
    options.gradient = GradientMethod::forward;
    options.share_courses = share;
    options.simulator = [&](const SensitivityProblem& problem) {
      return std::make_unique<Counting>(problem, runs[share]);
    };
    ProblemObjective objective(maker.problem_ready(), options);
    objective.evaluate(objective.nominal(), Need::gradient);
    runs[share] = 0;
    results.push_back(objective.evaluate(objective.nominal(), Need::gradient));
    std::string failure;
    ASSERT_TRUE(results.back().ok()) << results.back().failure;
    const Evaluation value = objective.evaluate(objective.nominal(), Need::value);
    EXPECT_NEAR(value.value, results.back().value, 1e-8);
  }
  EXPECT_EQ(runs[0], 10);
  EXPECT_EQ(runs[1], 6);
  EXPECT_NEAR(results[0].value, results[1].value, 1e-9);
  for (std::size_t u = 0; u < 4; ++u)
    EXPECT_NEAR(results[0].gradient[u], results[1].gradient[u], 1e-8) << u;
  expect_gradient(maker.make());
}

TEST(Objective, AdjointAgreesWithForward) {
  Maker maker(
      "A -> B; k1*A\nB -> A; k2*B\nB -> ; k3*B*u\nA = 2; B = 0.5; k1 = 0.7; k2 = 0.3; k3 = 0.1\n"
      "u = 1\nat B > 1: A = A + k2");
  maker.parameter("k1", 0.7);
  maker.parameter("k2", 0.3, Scale::log);
  maker.parameter("k3", 0.1, Scale::lin);
  maker.parameter("start_A", 1.8);
  maker.parameter("sigma", 0.3);
  const int a = maker.observable("a", maker.apply(Op::mul, maker.symbol("A"), maker.symbol("k2")),
                                 maker.apply(Op::add, maker.symbol("sigma"), maker.symbol("B")),
                                 Transformation::log);
  maker.experiment(
      {maker.period(-INFINITY, {{"u", maker.number(0)}, {"A", maker.symbol("start_A")}}),
       maker.period(0, {{"u", maker.number(1)}})});
  maker.measure(a, 0, 0.2);
  maker.measure(a, 2, 0.25);
  maker.experiment({maker.period(0)});
  maker.measure(a, 1, 0.3);
  maker.measure(a, 4, 0.2);
  ObjectiveOptions options = Maker::options();
  Evaluation results[2];
  for (int k = 0; k < 2; ++k) {
    options.gradient = k == 0 ? GradientMethod::forward : GradientMethod::adjoint;
    const ProblemObjective objective(maker.problem_ready(), options);
    results[k] = objective.evaluate(objective.nominal(), Need::gradient);
    ASSERT_TRUE(results[k].ok()) << results[k].failure;
  }
  for (std::size_t u = 0; u < 5; ++u)
    EXPECT_NEAR(results[0].gradient[u], results[1].gradient[u],
                1e-7 * std::fabs(results[0].gradient[u]))
        << u;
}

TEST(Objective, LeastSquaresGoBackwardsToo) {
  Maker maker("A -> B; k1*A\nB -> ; k2*B\nA = 3; B = 0; k1 = 0.3; k2 = 0.1");
  maker.parameter("k1", 0.3);
  maker.parameter("k2", 0.1);
  const int o = maker.observable("obs", maker.symbol("B"), maker.number(0.1));
  maker.experiment({maker.period(0)});
  maker.measure(o, 1, 0.5);
  maker.measure(o, 5, 1.2);
  ObjectiveOptions options = Maker::options();
  options.gradient = GradientMethod::adjoint;
  const ProblemObjective objective(maker.problem_ready(), options);
  ASSERT_TRUE(objective.least_squares());
  EXPECT_EQ(objective.experiment_count(), 1);
  EXPECT_EQ(objective.adjoint_count(), 1);
  const Evaluation back = objective.evaluate(objective.nominal(), Need::gradient);
  const Evaluation full = objective.evaluate(objective.nominal(), Need::fisher);
  ASSERT_TRUE(back.ok() && full.ok());
  EXPECT_EQ(back.residuals.size(), 2u);
  EXPECT_TRUE(back.jacobian.empty());
  EXPECT_EQ(full.jacobian.size(), 4u);
  for (std::size_t u = 0; u < 2; ++u)
    EXPECT_NEAR(back.gradient[u], full.gradient[u], 1e-7 * std::fabs(full.gradient[u]));
}

// The states rest, only their derivatives move: steps that suit the states are far too long.
TEST(Objective, AdjointFromRestKnowsThatItIsWrong) {
  Maker maker("-> A; u*k1\nA -> ; k2*A\nA = 0; u = 1; k1 = 2; k2 = 0.5");
  maker.parameter("input", 1);
  const int o = maker.observable("obs", maker.symbol("A"), maker.number(0.1));
  maker.experiment({maker.period(-INFINITY, {{"u", maker.number(1)}}),
                    maker.period(0, {{"u", maker.symbol("input")}})});
  const std::vector<double> times{0.5, 1, 3};
  for (double t : times) maker.measure(o, t, 3.5);
  ObjectiveOptions options;
  options.gradient = GradientMethod::adjoint;
  const ProblemObjective objective(maker.problem_ready(), options);
  ASSERT_EQ(objective.adjoint_count(), 1);
  const Evaluation e = objective.evaluate(objective.nominal(), Need::gradient);
  ASSERT_TRUE(e.ok()) << e.failure;
  double expected = 0;  // A stays at 4, dA/dinput = k1/k2 (1 - exp(-k2 t)); on a log10 scale
  for (double t : times)
    expected += (4 - 3.5) / 0.01 * 4 * (1 - std::exp(-0.5 * t)) * std::log(10.0);
  EXPECT_NEAR(e.gradient[0], expected, 1e-6 * expected);
  EXPECT_EQ(objective.adjoint_retreats().forward, 1);
  options.gradient = GradientMethod::forward;
  const ProblemObjective forward(maker.problem_ready(), options);
  EXPECT_NEAR(forward.evaluate(objective.nominal(), Need::gradient).gradient[0], expected,
              1e-6 * expected);
}

TEST(Objective, SteadyStateMeasurements) {
  Maker maker("-> A; k1\nA -> ; k2*A\nA = 0; k1 = 2; k2 = 0.5");
  maker.parameter("k1", 2);
  maker.parameter("k2", 0.5);
  const int o = maker.observable("obs", maker.symbol("A"), maker.number(0.1));
  maker.experiment({maker.period(0)});
  maker.measure(o, INFINITY, 3.9);
  maker.measure(o, 1, 1.5);
  ProblemObjective objective = maker.make();
  std::string failure;
  const auto predictions = objective.predict(objective.nominal(), failure);
  EXPECT_NEAR(predictions[0].value, 4, 1e-10);
  EXPECT_NEAR(predictions[1].value, 4 * (1 - std::exp(-0.5)), 1e-9);
  expect_gradient(objective);
}

TEST(Objective, InitialAssignmentsSeeTheFirstPeriod) {
  Maker maker("A -> ; k*A\nA = 2*c; k = c/10; c = 3");
  maker.parameter("c2", 5);
  const int o = maker.observable("obs", maker.symbol("A"), maker.number(1));
  maker.experiment({maker.period(0, {{"c", maker.symbol("c2")}})});
  maker.measure(o, 0, 1);
  maker.measure(o, 2, 1);
  // Later periods do not compute k anew.
  maker.experiment({maker.period(0), maker.period(1, {{"c", maker.symbol("c2")}})});
  maker.measure(o, 3, 1);
  ProblemObjective objective = maker.make();
  std::string failure;
  const auto p = objective.predict(objective.nominal(), failure);
  EXPECT_NEAR(p[0].value, 10, 1e-12);
  EXPECT_NEAR(p[1].value, 10 * std::exp(-0.5 * 2), 1e-8);
  EXPECT_NEAR(p[2].value, 6 * std::exp(-0.3 * 3), 1e-8);
  expect_gradient(objective);
}

TEST(Objective, UnknownNoiseIsEstimated) {
  Maker maker("A -> ; k*A\nA = 3; k = 0.5");
  maker.parameter("k", 0.5);
  const int o = maker.observable("obs", maker.symbol("A"), maker.number(1));
  maker.experiment({maker.period(0)});
  maker.measure(o, 1, 1.5);
  maker.measure(o, 2, 1.2);
  maker.problem.unknown_noise = true;
  ProblemObjective objective = maker.make();
  const Evaluation e = objective.evaluate(objective.nominal(), Need::gradient);
  EXPECT_NEAR(e.value, 0.5 * e.chi2, 1e-14);
  EXPECT_NEAR(e.llh, -(std::log(2 * std::numbers::pi * e.chi2 / 2) + 1), 1e-12);
  expect_gradient(objective);
}

// Scales, an offset and noise levels solved inside: the best of the whole problem, for any value
// of what is left.
TEST(Objective, ProjectionFindsTheInnerOptimum) {
  Maker maker("A -> B; k1*A\nA = 1; B = 0; k1 = 0.4");
  maker.parameter("k1", 0.4);
  maker.parameter("scale", 1);
  maker.parameter("offset", 0.1, Scale::lin);
  maker.parameter("factor", 2);
  maker.parameter("sigma", 0.5);
  maker.parameter("tau", 0.5);
  const int a =
      maker.observable("a",
                       maker.apply(Op::add, maker.symbol("offset"),
                                   maker.apply(Op::mul, maker.symbol("scale"), maker.symbol("A"))),
                       maker.symbol("sigma"));
  const int b =
      maker.observable("b", maker.apply(Op::mul, maker.symbol("factor"), maker.symbol("B")),
                       maker.symbol("tau"), Transformation::log10);
  maker.experiment({maker.period(0)});
  const double data[] = {2.9, 2.2, 1.9, 1.35, 1.2};
  for (int i = 0; i < 5; ++i) {
    maker.measure(a, i + 0.5, data[i]);
    maker.measure(b, i + 0.5, 3 * (1 - std::exp(-0.3 * (i + 0.5))) + 0.05 * (i % 2));
  }
  auto whole = std::make_shared<const ProblemObjective>(maker.problem_ready(), maker.options());
  ProjectedObjective projected(whole);
  ASSERT_EQ(projected.projected().size(), 5u);
  ASSERT_EQ(projected.unknowns().size(), 1u);
  const std::vector<double> theta{std::log10(0.35)};
  std::string failure;
  const std::vector<double> full = projected.complete(theta, failure);
  const Evaluation at = whole->evaluate(full, Need::gradient);
  for (std::size_t u = 1; u < full.size(); ++u) EXPECT_NEAR(at.gradient[u], 0, 1e-6) << u;
  const Evaluation e = projected.evaluate(theta, Need::fisher);
  ASSERT_TRUE(e.ok()) << e.failure;
  for (const GradientCheck& c : check_gradient(projected, theta, e.gradient, 1e-6))
    EXPECT_TRUE(c.passed) << c.gradient << " against " << c.difference;
  EXPECT_GT(e.fisher[0], 0);
}

// Offsets and scales under a logarithm, the commonest form of blots; one of each shared by two
// observables with their own noise.
TEST(Objective, ProjectionSolvesUnderLogarithms) {
  Maker maker("A -> B; k1*A\nA = 1; B = 0; k1 = 0.4");
  maker.parameter("k1", 0.4);
  maker.parameter("scale", 1);
  maker.parameter("offset", 0.1);
  maker.parameter("other", 0.1);
  maker.parameter("sigma", 0.5);
  maker.parameter("tau", 0.5);
  auto affine = [&](const char* offset, const char* state) {
    return maker.apply(Op::add, maker.symbol(offset),
                       maker.apply(Op::mul, maker.symbol("scale"), maker.symbol(state)));
  };
  const int a =
      maker.observable("a", affine("offset", "A"), maker.symbol("sigma"), Transformation::log10);
  const int b =
      maker.observable("b", affine("other", "B"), maker.symbol("tau"), Transformation::log);
  maker.experiment({maker.period(0)});
  const double data[] = {2.9, 2.2, 1.9, 1.35, 1.2, 0.8};
  for (int i = 0; i < 6; ++i) {
    maker.measure(a, i + 0.5, data[i]);
    maker.measure(b, i + 0.5, 3.2 - 0.9 * data[i] + 0.1 * (i % 2));
  }
  auto whole = std::make_shared<const ProblemObjective>(maker.problem_ready(), maker.options());
  ProjectedObjective projected(whole);
  ASSERT_EQ(projected.projected().size(), 5u);
  for (double k1 : {0.35, 0.02, 5.0}) {
    const std::vector<double> theta{std::log10(k1)};
    std::string failure;
    const std::vector<double> full = projected.complete(theta, failure);
    const Evaluation at = whole->evaluate(full, Need::gradient);
    for (std::size_t u = 1; u < full.size(); ++u) {
      const EstimatedParameter& unknown = whole->unknowns()[u];
      if (full[u] > unknown.lower && full[u] < unknown.upper) {
        EXPECT_NEAR(at.gradient[u], 0, 1e-6) << unknown.id << " at " << k1;
      }
    }
    const Evaluation value = projected.evaluate(theta, Need::value);
    EXPECT_NEAR(value.value, at.value, 1e-9);
    EXPECT_NEAR(value.llh, at.llh, 1e-9);
    EXPECT_NEAR(value.chi2, at.chi2, 1e-7);
    const Evaluation e = projected.evaluate(theta, Need::fisher);
    for (const GradientCheck& c : check_gradient(projected, theta, e.gradient, 1e-6))
      EXPECT_TRUE(c.passed) << c.gradient << " against " << c.difference << " at " << k1;
  }
}

TEST(Objective, ProjectionKeepsToBounds) {
  Maker maker("A -> ; k1*A\nA = 1; k1 = 0.4");
  maker.parameter("k1", 0.4);
  maker.parameter("scale", 1);
  maker.parameter("offset", 0.1, Scale::lin);
  maker.problem.parameters[1].upper = 1.5;
  const int a =
      maker.observable("a",
                       maker.apply(Op::add, maker.symbol("offset"),
                                   maker.apply(Op::mul, maker.symbol("scale"), maker.symbol("A"))),
                       maker.number(0.1));
  maker.experiment({maker.period(0)});
  for (int i = 0; i < 5; ++i) maker.measure(a, i, 0.5 + 2 * std::exp(-0.4 * i));
  auto whole = std::make_shared<const ProblemObjective>(maker.problem_ready(), maker.options());
  ProjectedObjective projected(whole);
  const std::vector<double> theta{std::log10(0.3)};
  std::string failure;
  const std::vector<double> full = projected.complete(theta, failure);
  EXPECT_NEAR(full[1], std::log10(1.5), 1e-12);
  EXPECT_NEAR(whole->evaluate(full, Need::gradient).gradient[2], 0, 1e-6);
  const Evaluation e = projected.evaluate(theta, Need::gradient);
  for (const GradientCheck& c : check_gradient(projected, theta, e.gradient, 1e-6))
    EXPECT_TRUE(c.passed) << c.gradient << " against " << c.difference;
}

TEST(Objective, FailuresSayWhereAndWhy) {
  Maker maker("A' = k*A^2\nA = 1; k = 1");
  maker.parameter("k", 1);
  const int o = maker.observable("obs", maker.symbol("A"), maker.number(1));
  maker.experiment({maker.period(0)});
  maker.measure(o, 2, 1);
  ProblemObjective objective = maker.make();
  const Evaluation e = objective.evaluate(objective.nominal(), Need::value);
  EXPECT_FALSE(e.ok());
  EXPECT_TRUE(std::isnan(e.value));
  EXPECT_NE(e.failure.find("experiment 'e0'"), std::string::npos) << e.failure;
  EXPECT_NE(e.failure.find("at time "), std::string::npos) << e.failure;
}

TEST(Objective, ZeroOnALogarithmicScale) {
  Maker maker("A -> ; k*A\nA = 3; k = 0.5");
  maker.parameter("k", 0);
  const int o = maker.observable("obs", maker.symbol("A"), maker.number(1));
  maker.experiment({maker.period(0)});
  maker.measure(o, 2, 1);
  ProblemObjective objective = maker.make();
  EXPECT_EQ(objective.unknowns()[0].start, -5);
  EXPECT_NEAR(objective.evaluate(objective.nominal(), Need::value).chi2, 4, 1e-9);
}

}  // namespace
}  // namespace stiffit::internal
