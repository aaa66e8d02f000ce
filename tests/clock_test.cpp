// Switches that depend on time alone, however bent: every one is found, at its time, whatever the
// output grid and wherever the run ends. The oracle is the closed form of each condition's windows.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "base/splitmix.h"
#include "compiled_model.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

using std::numbers::pi;

// A condition, and the windows in which it holds: window k from begin(k) to finish(k), ascending.
struct Periodic {
  std::string text;
  std::function<double(int)> begin, finish;
};

double uniform(SplitMix& random, double low, double high) {
  return low + (high - low) * random.unit();
}

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return x < 0 ? "(" + std::string(text) + ")" : text;
}

Periodic random_condition(SplitMix& random, int kind) {
  const double period = std::exp(uniform(random, std::log(0.3), std::log(20)));
  const double shift = uniform(random, 0, period);
  // How narrow: from half of the period down to a hundred-thousandth of it.
  const double half = 0.25 * period * std::pow(10, uniform(random, -4, 0));
  const std::string w = number(2 * pi / period), t0 = "(time - " + number(shift) + ")";
  const double level = std::cos(2 * pi * half / period);
  auto windows = [](double first, double gap, double before, double after) {
    return std::pair<std::function<double(int)>, std::function<double(int)>>(
        [=](int k) { return first + k * gap - before; },
        [=](int k) { return first + k * gap + after; });
  };
  Periodic result;
  auto around = [&](const std::string& text, double first, double gap) {
    result.text = text;
    std::tie(result.begin, result.finish) = windows(first, gap, half, half);
  };
  switch (kind) {
    case 0:
      around("cos(" + w + "*" + t0 + ") > " + number(level), shift, period);
      break;
    case 1:
      around(
          "sin(" + w + "*" + t0 + ")^2 <= " + number(std::pow(std::sin(2 * pi * half / period), 2)),
          shift, period / 2);
      break;
    case 2:
      around("!(abs(sin(" + w + "*" + t0 + ")) > " + number(std::sin(2 * pi * half / period)) + ")",
             shift, period / 2);
      break;
    case 3:  // the saw's distance to its tooth
      around("abs(" + t0 + "/" + number(period) + " - floor(" + t0 + "/" + number(period) +
                 " + 0.5)) < " + number(half / period),
             shift, period);
      break;
    case 4:  // quicker and quicker: (t/period)^2 whole
      result.text = "cos(2*pi*(time/" + number(period) + ")^2) >= " + number(level);
      result.begin = [=](int k) { return period * std::sqrt(std::max(0.0, k - half / period)); };
      result.finish = [=](int k) { return period * std::sqrt(k + half / period); };
      break;
    case 5:  // slower and slower
      result.text = "sin(2*pi*ln(1 + time/" + number(period) + ")) > " + number(level);
      result.begin = [=](int k) { return period * std::expm1(k + 0.25 - half / period); };
      result.finish = [=](int k) { return period * std::expm1(k + 0.25 + half / period); };
      break;
    case 6:
      around("max(cos(" + w + "*" + t0 + "), -exp(-time)) > " + number(std::max(level, 0.01)),
             shift, period);
      if (level < 0.01) {
        const double wide = period / (2 * pi) * std::acos(0.01);
        std::tie(result.begin, result.finish) = windows(shift, period, wide, wide);
      }
      break;
    case 7:  // a bell that comes back
      around("exp(-((rem(time, " + number(period) + ") - " + number(period / 2) + ")/" +
                 number(half) + ")^2) > " + number(std::exp(-1)),
             period / 2, period);
      break;
    default:
      around("piecewise(tan(" + w + "/4*(time - " + number(period) + "*floor(time/" +
                 number(period) + ") - " + number(period / 2) + "))^2, time >= 0, 1) < " +
                 number(std::pow(std::tan(2 * pi / period / 4 * half), 2)),
             period / 2, period);
  }
  return result;
}

// The share of [0, t] in which the condition holds, in time, and how often it turned true.
std::pair<double, int> truth(const Periodic& condition, double t) {
  double held = 0;
  int turned = 0;
  for (int k = -2;; ++k) {
    const double begin = condition.begin(k), finish = condition.finish(k);
    if (begin >= t) return {held, turned};
    if (!(finish > 0)) continue;
    held += std::min(finish, t) - std::max(begin, 0.0);
    turned += begin > 0;
  }
}

constexpr int kinds = 9;

TEST(Clocks, FindEveryWindowOfRandomConditions) {
  SplitMix random(20261117);
  long windows = 0;
  double worst = 0;
  for (int trial = 0; trial < (sanitized ? 18 : 180); ++trial) {
    const Periodic condition = random_condition(random, trial % kinds);
    const int last = uniform(random, 0, 1) < 0.1 && trial % kinds != 5 ? 300 : 7;
    const double end = 0.5 * (condition.finish(last) + condition.begin(last + 1));
    const std::string text = "species x; x = 0; x' = piecewise(1, " + condition.text +
                             ", 0)\nvar n = 0\nE: at " + condition.text + ": n = n + 1\n";
    const CompiledModel model = compile_model(resolve_text("clock", text));
    IntegrationOptions options;
    options.method = trial % 4 == 0 ? "bdf" : trial % 4 == 1 ? "cvodes" : "automatic";
    const Trajectory run = simulate(model.problem, model.request({end}), options);
    ASSERT_EQ(run.outcome.status, Status::done) << condition.text;
    const auto [held, turned] = truth(condition, end);
    ASSERT_EQ(run.events.size(), static_cast<std::size_t>(turned))
        << condition.text << " to " << end;
    const int first = condition.begin(0) > 0 ? (condition.begin(-1) > 0 ? -1 : 0) : 1;
    for (std::size_t i = 0; i < run.events.size(); ++i) {
      const double expected = condition.begin(first + static_cast<int>(i));
      worst = std::max(worst, std::fabs(run.events[i].time - expected) / end);
      EXPECT_NEAR(run.events[i].time, expected, 1e-9 * end) << condition.text;
    }
    EXPECT_NEAR(run.states[0], held, 1e-7 * held + 1e-10 * end) << condition.text;
    windows += turned;
  }
  std::printf("%ld windows, times within %.1e of the run\n", windows, worst);
}

// Where a run ends and which rows it shows changes no bit of it.
TEST(Clocks, NeitherEndNorGridMatter) {
  SplitMix random(7);
  long compared = 0;
  for (int trial = 0; trial < (sanitized ? 9 : 54); ++trial) {
    const Periodic condition = random_condition(random, trial % kinds);
    const std::string text = "species x, y; x = 0; y = 1; x' = piecewise(1, " + condition.text +
                             ", -x)\ny' = -x*y + 0.1\n";
    const CompiledModel model = compile_model(resolve_text("clock", text));
    const double unit = condition.begin(3) / 8;
    auto run = [&](std::vector<double> times) {
      Trajectory made = simulate(model.problem, model.request(times), {});
      EXPECT_EQ(made.outcome.status, Status::done) << condition.text;
      return made;
    };
    const Trajectory all = run({unit, 2 * unit, 3 * unit, 5 * unit, 8 * unit});
    const Trajectory ends[] = {run({3 * unit}), run({0.3 * unit, 2 * unit, 5 * unit}),
                               run({3 * unit, 37 * unit}), run({5 * unit, 211 * unit})};
    const std::size_t of_all[] = {2, 3, 2, 3}, row[] = {0, 2, 0, 0};
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(ends[k].states[2 * row[k] + i], all.states[2 * of_all[k] + i])
            << condition.text << " run " << k;
        ++compared;
      }
  }
  std::printf("%ld comparisons\n", compared);
}

TEST(Clocks, ThousandsOfPeriods) {
  const CompiledModel model = compile_model(
      resolve_text("clock",
                   "species x; x = 0; x' = piecewise(1, sin(2*pi*time) > 0, 0)\nvar n = 0\n"
                   "E: at cos(2*pi*(time - 0.5)) > 0.9999: n = n + 1\n"));
  const double end = sanitized ? 300.25 : 5000.25;
  const Trajectory run = simulate(model.problem, model.request({end}), {});
  ASSERT_EQ(run.outcome.status, Status::done);
  EXPECT_EQ(run.events.size(), static_cast<std::size_t>(end));
  EXPECT_NEAR(run.states[0], std::floor(end) / 2 + 0.25, 1e-8 * end);
}

// What events set is part of the clock until the next one.
TEST(Clocks, EventsMaySetThem) {
  const CompiledModel model = compile_model(
      resolve_text("clock",
                   "species x; x = 0; x' = 0.001*x\nvar phase = 0\n"
                   "E: at cos(2*pi*(time - phase)) < -0.99999: phase = phase + 0.3\n"));
  const Trajectory run = simulate(model.problem, model.request({50}), {});
  ASSERT_EQ(run.outcome.status, Status::done);
  // It turns true half a period after its phase, less the window's half; each time the phase moves.
  const double half = std::acos(0.99999) / (2 * pi);
  double expected = 0.5 - half;
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    EXPECT_NEAR(run.events[i].time, expected, 1e-11) << i;
    expected += i == 0 ? 0.3 : 0.3;
    while (expected <= run.events[i].time) expected += 1;
  }
  EXPECT_EQ(run.events.size(), 166u);
}

// A condition that is met for a single moment, and one that is only touched.
TEST(Clocks, TouchedEdges) {
  const CompiledModel model = compile_model(
      resolve_text("clock",
                   "species x; x = 0; x' = 1\nvar n = 0; var m = 0\n"
                   "E: at (time - 5)^2 <= 0: n = n + 1\nF: at -(time - 5)^2 > 0: m = m + 1\n"
                   "G: at (time - 7)^3 > 0: n = n + 10\n"));
  const Trajectory run = simulate(model.problem, model.request({4, 20}), {});
  ASSERT_EQ(run.outcome.status, Status::done);
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_EQ(run.events[0].time, 5);
  EXPECT_NEAR(run.events[1].time, 7, 1e-12);
}

}  // namespace
}  // namespace stiffit::internal
