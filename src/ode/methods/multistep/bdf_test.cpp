// The BDF against reference solutions and CVODES, and its order at fixed steps.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "ode/reference_trial.h"
#include "places.h"

namespace stiffit::internal {
namespace {

IntegrationOptions with(const std::string& method, double rtol) {
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  return options;
}

Request until(std::vector<double> times) {
  Request request;
  request.times = std::move(times);
  return request;
}

TEST(Bdf, MoreAccurateThanCvodesForAboutItsSteps) {
  auto problems = reference_problems(reference_path(""));
  ASSERT_FALSE(problems.front().times.empty());
  // One run against one run: the errors of each scatter by a factor of two.
  const double allowed = 1.5;
  // Rounding of 10,000 H2 in the species that are few, for any method.
  const double floor = 1e-10;
  double log_steps = 0, log_errors = 0;
  int count = 0;
  for (ReferenceProblem& p : problems) {
    Problem problem = make_problem(compile(p.system, {}));
    double before = 1;
    for (double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      Trajectory ours = simulate(problem, until(p.times), with("bdf", rtol));
      Trajectory theirs = simulate(problem, until(p.times), with("cvodes", rtol));
      ASSERT_EQ(ours.outcome.status, Status::done) << p.name << " " << rtol;
      const double error = p.error(ours.states), their_error = p.error(theirs.states);
      EXPECT_LT(error, allowed * their_error + floor) << p.name << " " << rtol;
      EXPECT_LT(error, 0.3 * before + floor) << p.name << " " << rtol;
      before = error;
      const Counters &c = ours.outcome.counters, &d = theirs.outcome.counters;
      const auto steps = static_cast<double>(c.steps), their_steps = static_cast<double>(d.steps);
      EXPECT_LT(steps, 1.6 * their_steps) << p.name << " " << rtol;
      log_steps += std::log(steps / their_steps);
      log_errors += std::log(error / their_error);
      ++count;
    }
  }
  EXPECT_LT(std::exp(log_steps / count), 1.22);
  EXPECT_LT(std::exp(log_errors / count), 0.3);
}

TEST(Bdf, RobertsonCosts) {
  ReferenceProblem p = robertson_problem();
  Problem problem = make_problem(compile(p.system, {}));
  Trajectory run = simulate(problem, until(p.times), with("bdf", 1e-6));
  ASSERT_EQ(run.outcome.status, Status::done);
  // What it costs is in tests/fixtures/work_counters.tsv. (CVODES: 843 steps, 71 rejected.)
  const Counters& c = run.outcome.counters;
  EXPECT_LT(c.steps, 843);
  EXPECT_LT(c.rejected, 71);
  for (std::size_t k = 0; k < p.times.size(); ++k)
    EXPECT_NEAR(run.states[3 * k] + run.states[3 * k + 1] + run.states[3 * k + 2], 1, 1e-5);
}

// y' = -10 (y - sin t) + cos t: what the first steps of low order have done wrong is forgotten.
System forced() {
  System s;
  Graph& g = s.graph;
  NodeId y = g.state(0), t = g.time();
  NodeId f = g.add(g.mul(g.number(-10), g.sub(y, g.apply(Op::sin, t))), g.apply(Op::cos, t));
  s.states.push_back({"y", {}, false});
  s.initial.push_back(g.number(0));
  s.rates.push_back(f);
  s.rhs.push_back(f);
  s.terms.push_back({{0, g.number(1)}});
  return s;
}

TEST(Bdf, OrderAtFixedStep) {
  System system = forced();
  Problem problem = make_problem(compile(system, {}));
  for (int order = 1; order <= 6; ++order) {
    double errors[2];
    for (int half = 0; half < 2; ++half) {
      IntegrationOptions options = with("bdf", 1e-12);
      options.max_order = order;
      options.fixed_step = half ? 1.0 / 64 : 1.0 / 32;
      std::vector<double> times;
      for (double t = 16; t <= 22; t += 0.5) times.push_back(t);
      Trajectory run = simulate(problem, until(times), options);
      ASSERT_EQ(run.outcome.status, Status::done);
      errors[half] = 0;
      for (std::size_t k = 0; k < times.size(); ++k)
        errors[half] = std::max(errors[half], std::fabs(run.states[k] - std::sin(times[k])));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.2) << order;
  }
}

TEST(Bdf, LargestOrderIsKept) {
  System system = forced();
  Problem problem = make_problem(compile(system, {}));
  long before = 1000000;
  for (int order : {1, 2, 3, 5, 6}) {
    IntegrationOptions options = with("bdf", 1e-7);
    options.max_order = order;
    Trajectory run = simulate(problem, until({10}), options);
    ASSERT_EQ(run.outcome.status, Status::done);
    EXPECT_NEAR(run.states[0], std::sin(10.0), 1e-5);
    EXPECT_LT(run.outcome.counters.steps, before) << order;
    before = run.outcome.counters.steps;
  }
}

TEST(Bdf, AnotherGridGivesTheSameValues) {
  ReferenceProblem p = robertson_problem();
  Problem problem = make_problem(compile(p.system, {}));
  std::vector<double> fine;
  for (int i = 1; i <= 400; ++i) fine.push_back(i * 0.25);
  Trajectory a = simulate(problem, until({50, 100}), with("bdf", 1e-6));
  Trajectory b = simulate(problem, until(fine), with("bdf", 1e-6));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(a.states[i], b.states[199 * 3 + i]);
    EXPECT_EQ(a.states[3 + i], b.states[399 * 3 + i]);
  }
}

TEST(Bdf, BlowUpEndsWithAnOutcome) {
  System s;
  Graph& g = s.graph;
  NodeId f = g.mul(g.state(0), g.state(0));
  s.states.push_back({"x", {}, false});
  s.initial.push_back(g.number(1));
  s.rates.push_back(f);
  s.rhs.push_back(f);
  s.terms.push_back({{0, g.number(1)}});
  Problem problem = make_problem(compile(s, {}));
  Trajectory run = simulate(problem, until({0.5, 2}), with("bdf", 1e-6));
  EXPECT_NE(run.outcome.status, Status::done);
  EXPECT_EQ(run.rows_reached, 1u);
  EXPECT_NEAR(run.outcome.time, 1, 1e-3);
  EXPECT_NEAR(run.states[0], 2, 1e-4);
}

}  // namespace
}  // namespace stiffit::internal
