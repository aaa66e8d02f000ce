// What happens where one period of an experiment ends and the next begins, sentence by sentence of
// the PEtab specification, on problems whose likelihood is known in closed form.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "estimation/objective/gradient_check.h"
#include "problem_maker.h"

namespace stiffit::internal {
namespace {

constexpr double never = -INFINITY;

// A model, one experiment, and predictions that must be met.
class Periods {
 public:
  explicit Periods(const std::string& text) : maker(text) { maker.parameter("free", 1); }

  Periods& observe(const std::string& name) {
    observables_[name] = maker.observable("obs_" + name, maker.symbol(name), maker.number(1e-3));
    return *this;
  }
  void measure(const std::string& name, double time, double truth) {
    maker.measure(observables_.at(name), time, truth);
  }
  // One measurement after the other, so that a failure says which.
  void expect_met() {
    const ProblemObjective objective = maker.make();
    const Evaluation e = objective.evaluate(objective.nominal(), Need::value);
    ASSERT_TRUE(e.ok()) << e.failure;
    EXPECT_LT(e.chi2, 1e-6 * static_cast<double>(maker.problem.measurements.size()));
    // The same in lanes.
    const std::vector<std::vector<double>> points(3, objective.nominal());
    for (const Evaluation& lane : objective.values(points, 1)) {
      ASSERT_TRUE(lane.ok()) << lane.failure;
      EXPECT_LT(lane.chi2, 1e-6 * static_cast<double>(maker.problem.measurements.size()));
    }
  }
  void expect_gradient() {
    const ProblemObjective objective = maker.make();
    const std::vector<double> theta = objective.nominal();
    const Evaluation e = objective.evaluate(theta, Need::fisher);
    ASSERT_TRUE(e.ok()) << e.failure;
    for (const GradientCheck& c : check_gradient(objective, theta, e.gradient, 1e-5))
      EXPECT_TRUE(c.passed) << objective.unknowns()[c.unknown].id << ": " << c.gradient
                            << " against " << c.difference;
  }

  Maker maker;

 private:
  std::map<std::string, int> observables_;
};

// An event by state and one by the clock, each counted.
const std::string counted =
    "A' = free - A\nA = 0\nfree = 1\nby_state = 0\nby_clock = 0\n"
    "at A > 0.5: by_state = by_state + 1\nat time > 5: by_clock = by_clock + 1\n";

TEST(Periods, TriggersAreNotArmedAgainAfterPreEquilibration) {
  Periods p(counted);
  p.observe("A").observe("by_state").observe("by_clock");
  p.maker.experiment({p.maker.period(never), p.maker.period(0)});
  p.measure("A", 0, 1);
  p.measure("A", 8, 1);
  p.measure("by_state", 0, 1);
  p.measure("by_state", 8, 1);
  p.measure("by_clock", 4, 1);  // time has begun anew
  p.measure("by_clock", 6, 2);
  p.expect_met();
}

TEST(Periods, NorAtAnyLaterOne) {
  Periods p(counted);
  p.observe("by_state").observe("by_clock");
  p.maker.experiment({p.maker.period(0), p.maker.period(7), p.maker.period(9)});
  p.measure("by_state", 12, 1);
  p.measure("by_clock", 12, 1);
  p.expect_met();
}

TEST(Periods, WhatAChangeSetsOffComesAfterIt) {
  Periods p("A = 0; n = 0; free = 1\nA' = 0*free\nat A > 3: n = n + A");
  p.observe("A").observe("n");
  p.maker.experiment({p.maker.period(0), p.maker.period(10, {{"A", p.maker.number(4)}}),
                      p.maker.period(20, {{"A", p.maker.number(1)}}),
                      p.maker.period(30, {{"A", p.maker.number(5)}})});
  p.measure("n", 9.9, 0);
  p.measure("n", 10, 4);
  p.measure("A", 10, 4);
  p.measure("n", 20, 4);
  p.measure("n", 30, 9);
  p.expect_met();
}

// Values of the moment of the trigger, or of the execution; both after a change on the way.
TEST(Periods, EventsWaitAcrossTheStartOfAPeriod) {
  Periods p(
      "A' = 0*free; B' = 0; C' = 0\nA = 1; B = 1; C = 1; free = 1\n"
      "at 5 after time > 8: A = A + 10\nat 5 after time > 8, fromTrigger = false: B = B + 10\n"
      "at 2 after time > 8: C = C + 10");
  p.observe("A").observe("B").observe("C");
  auto five = [&](const char* name) {
    return std::pair<std::string, ExprId>(name, p.maker.number(5));
  };
  p.maker.experiment({p.maker.period(0), p.maker.period(10, {five("A"), five("B"), five("C")}),
                      p.maker.period(11)});
  p.measure("A", 9, 1);
  p.measure("A", 12, 5);
  p.measure("A", 14, 11);
  p.measure("B", 12, 5);
  p.measure("B", 14, 15);
  p.measure("C", 10, 11);  // due at the very start of the period: after its change
  p.measure("C", 14, 11);
  p.expect_met();
}

TEST(Periods, AnEventThatMayFallAwayFallsAway) {
  Periods p(
      "A' = 0*free; n' = 0\nA = 4; n = 0; free = 1\n"
      "at 5 after A > 3, t0 = false, persistent = false: n = n + 1");
  p.observe("n");
  p.maker.experiment({p.maker.period(0), p.maker.period(2, {{"A", p.maker.number(1)}})});
  p.measure("n", 10, 0);
  p.maker.experiment({p.maker.period(0), p.maker.period(2, {{"A", p.maker.number(9)}})});
  p.measure("n", 4, 0);
  p.measure("n", 10, 1);
  p.expect_met();
}

// y' is what x was three units of time ago; x changes from outside.
TEST(Periods, DelaysLookBackAcrossTheStartOfAPeriod) {
  Periods p("x' = 0*free; y' = delay(x, 3)\nx = 1; y = 0; free = 1");
  p.observe("y");
  p.maker.experiment({p.maker.period(0), p.maker.period(10, {{"x", p.maker.number(5)}}),
                      p.maker.period(12, {{"x", p.maker.number(2)}})});
  p.measure("y", 10, 10);
  p.measure("y", 13, 13);
  p.measure("y", 14, 18);
  p.measure("y", 15, 23);
  p.measure("y", 20, 33);
  p.expect_met();
}

TEST(Periods, NamesKeepTheirValueWhenTheirCompartmentChanges) {
  Periods p(
      "compartment c = 2; species S in c = 3; substanceOnly species T in c = 4\n"
      "S -> ; k*S*c\nT -> ; k*T\nk = 0.1; free = 1; u' = 0*free; u = 1");
  p.observe("S").observe("T");
  p.maker.experiment({p.maker.period(0), p.maker.period(5, {{"c", p.maker.number(7)}}),
                      p.maker.period(8, {{"c", p.maker.number(1)}, {"S", p.maker.number(10)}})});
  p.measure("S", 4, 3 * std::exp(-0.4));
  p.measure("S", 5, 3 * std::exp(-0.5));
  p.measure("T", 5, 4 * std::exp(-0.5));
  p.measure("S", 7, 3 * std::exp(-0.7));
  p.measure("T", 7, 4 * std::exp(-0.7));
  p.measure("S", 8, 10);
  p.measure("S", 9, 10 * std::exp(-0.1));
  p.measure("T", 9, 4 * std::exp(-0.9));
  p.expect_met();
}

TEST(Periods, ValuesAreComputedBeforeAnyIsSetAndWithTheNewTime) {
  Periods p("A' = 0*free; B' = 0; C' = 0\nA = 1; B = 2; C = 0; free = 1");
  p.observe("A").observe("B").observe("C");
  const ExprId time = p.maker.symbol("time");
  p.maker.experiment(
      {p.maker.period(-3),
       p.maker.period(4, {{"A", p.maker.symbol("B")}, {"B", p.maker.symbol("A")}, {"C", time}})});
  p.measure("A", -3, 1);
  p.measure("A", 4, 2);
  p.measure("B", 4, 1);
  p.measure("C", 3.9, 0);
  p.measure("C", 4, 4);
  p.expect_met();
}

// From then on, not for as long as the period lasts.
TEST(Periods, ChangesStay) {
  Periods p("A' = k; A = 0; k = 1; free = 1; u' = 0*free; u = 0");
  p.observe("A");
  p.maker.experiment({p.maker.period(0), p.maker.period(10, {{"k", p.maker.number(3)}}),
                      p.maker.period(20), p.maker.period(30, {{"k", p.maker.number(0)}})});
  p.measure("A", 10, 10);
  p.measure("A", 25, 55);
  p.measure("A", 40, 70);
  p.expect_met();
}

// Initial assignments are made once, from what the first period sets.
TEST(Periods, InitialAssignmentsAreMadeOnce) {
  Periods p("A = 2*k; k = 1; free = 1; A' = 0*free");
  p.observe("A");
  p.maker.experiment({p.maker.period(0, {{"k", p.maker.number(4)}}),
                      p.maker.period(10, {{"k", p.maker.number(9)}})});
  p.measure("A", 5, 8);
  p.measure("A", 15, 8);
  p.expect_met();
}

// Each experiment has a time of its own to begin at; a pre-equilibration has the model's.
TEST(Periods, ExperimentsBeginAtTimesOfTheirOwn) {
  Periods p("A' = 0*free; n' = 0\nA = 3 + time; n = 0; free = 1\nat time > -10: n = n + 1");
  p.observe("A").observe("n");
  p.maker.experiment({p.maker.period(-20)});
  p.measure("A", 0, -17);
  p.measure("n", -15, 0);
  p.measure("n", 0, 1);
  p.maker.experiment({p.maker.period(never), p.maker.period(0)});
  p.measure("A", 1, 3);
  p.measure("n", 1, 0);
  p.maker.experiment({p.maker.period(7)});
  p.measure("A", 8, 10);
  p.measure("n", 8, 0);
  p.maker.experiment({p.maker.period(-20)});
  p.measure("A", 0, -17);
  p.expect_met();
}

// The state after the last change comes to rest, also if other times are measured.
TEST(Periods, RestComesAfterTheLastPeriod) {
  Periods p("A' = k - free*A; A = 0; k = 1; free = 1");
  p.observe("A");
  p.maker.experiment({p.maker.period(never, {{"k", p.maker.number(2)}}),
                      p.maker.period(0, {{"k", p.maker.number(5)}}),
                      p.maker.period(1, {{"k", p.maker.number(7)}})});
  p.measure("A", 0, 2);
  p.measure("A", 1, 5 - 3 * std::exp(-1));
  p.measure("A", 2, 7 + (5 - 3 * std::exp(-1) - 7) * std::exp(-1));
  p.measure("A", INFINITY, 7);
  p.expect_met();
  p.measure("A", 3, 1);  // away from the optimum
  p.expect_gradient();
}

// Fast and slow steps before the product: pre-equilibration waits for the slowest, and so does its
// gradient. X, Y and P are v/k, with k twelve decades apart.
TEST(Periods, SlowPreEquilibrationAndItsGradient) {
  for (double unit : {1.0, 1e-8, 1e8})
    for (double slow : {1e-4, 1e-8}) {
      Maker maker(
          "-> X; v\nX -> Y; kx*X\nY -> P; ky*Y\nP ->; kp*P\nX = 0; Y = 0; P = 0\n"
          "v = 1; kx = 1; ky = 1; kp = 1; on = 1");
      const double v = 2 * unit, kx = 1e4 * unit, ky = slow * unit, kp = unit;
      maker.parameter("v", v);
      maker.parameter("kx", kx);
      maker.parameter("ky", ky);
      maker.parameter("kp", kp);
      for (ProblemParameter& p : maker.problem.parameters) {
        p.lower = 1e-5 * p.nominal;
        p.upper = 1e5 * p.nominal;
      }
      const double x = v / kx, y = v / ky, product = v / kp, noise = 0.1;
      auto relative = [&](const char* name, double size) {
        return maker.apply(Op::div, maker.symbol(name), maker.number(size));
      };
      const int of_x = maker.observable("ox", relative("X", x), maker.number(noise));
      const int of_y = maker.observable("oy", relative("Y", y), maker.number(noise));
      const int of_p = maker.observable("op", relative("P", product), maker.number(noise));
      maker.experiment({maker.period(never), maker.period(0)});
      maker.measure(of_x, 0, 1.1);
      maker.measure(of_y, 0, 1.2);
      maker.measure(of_p, 0, 1.3);
      const ProblemObjective objective = maker.make();
      const Evaluation e = objective.evaluate(objective.nominal(), Need::fisher);
      ASSERT_TRUE(e.ok()) << e.failure;
      const double rx = -0.1 / noise, ry = -0.2 / noise, rp = -0.3 / noise;
      EXPECT_NEAR(e.chi2, rx * rx + ry * ry + rp * rp, 1e-6);
      // Every prediction is v/k in units of itself: d/d log10 v is ln 10, by its k it is -ln 10.
      const double ln10 = std::log(10);
      const double truth[4] = {(rx + ry + rp) / noise * ln10, -rx / noise * ln10,
                               -ry / noise * ln10, -rp / noise * ln10};
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(e.gradient[k], truth[k], 1e-6 * std::fabs(truth[k])) << k << " " << slow;
    }
}

// Where rest depends on the way, only the time course knows its derivative.
TEST(Periods, GradientOfARestThatDependsOnTheWay) {
  for (double unit : {1.0, 1e-6, 1e6}) {
    Maker maker(
        "A -> B; kb*A\nA -> C; kc*A\nA ->; kl*A\nA = 1; B = 0; C = 0\nkb = 1; kc = 1; kl = 1");
    maker.parameter("kb", 2 * unit);
    maker.parameter("kc", 3 * unit);
    maker.parameter("kl", 5 * unit);
    for (ProblemParameter& p : maker.problem.parameters) {
      p.lower = 1e-5 * p.nominal;
      p.upper = 1e5 * p.nominal;
    }
    const int b = maker.observable("ob", maker.symbol("B"), maker.number(0.1));
    maker.experiment({maker.period(never), maker.period(0)});
    maker.measure(b, 0, 0.5);
    const ProblemObjective objective = maker.make();
    const Evaluation e = objective.evaluate(objective.nominal(), Need::fisher);
    ASSERT_TRUE(e.ok()) << e.failure;
    const double residual = (0.2 - 0.5) / 0.1;
    EXPECT_NEAR(e.chi2, residual * residual, 1e-6);
    const double by_prediction = residual / 0.1, ln10 = std::log(10);
    const double slopes[3] = {2 * (0.1 - 0.02), -3 * 0.02, -5 * 0.02};  // of kb/(kb + kc + kl)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(e.gradient[k], by_prediction * slopes[k] * ln10, 1e-5) << k;
  }
}

}  // namespace
}  // namespace stiffit::internal
