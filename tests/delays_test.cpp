// What goes through delays arrives: pulses, ramps, jumps and kinks, by one delay, by two, by delays
// of delays and by delays that vary, against closed forms.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/number.h"
#include "compiled_model.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

constexpr double patience = 100;  // times rtol, as everywhere

std::string text(double x) { return format_number(x); }

Trajectory run(const std::string& model, std::vector<double> times,
               const std::string& method = "automatic", double rtol = 1e-6) {
  CompiledModel compiled = compile_model(resolve_text("test", model));
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  Trajectory result = simulate(compiled.problem, compiled.request(std::move(times)), options);
  EXPECT_EQ(result.outcome.status, Status::done)
      << describe(result.outcome, compiled.program().state_names) << "\n"
      << model;
  return result;
}

// x' = u - k x, y' = x(t - lag) - m y after u has stepped from 0 to 1, T after that.
double first(double k, double T) { return T <= 0 ? 0 : (1 - std::exp(-k * T)) / k; }
double second(double k, double m, double T) {
  if (T <= 0) return 0;
  return ((1 - std::exp(-m * T)) / m - (std::exp(-k * T) - std::exp(-m * T)) / (m - k)) / k;
}

// Random pulses into a system at rest, through one delay and on through another.
TEST(Delays, PulsesArriveThroughTwo) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  const int models = sanitized ? 6 : 60;
  for (int i = 0; i < models; ++i) {
    const double from = 1 + 20 * unit(random), width = std::pow(10, -4 + 4.5 * unit(random)),
                 lag = 0.1 + 10 * unit(random), more = 0.1 + 10 * unit(random),
                 k = std::pow(10, -1 + 2 * unit(random)), m = k * (1.5 + unit(random)),
                 a = std::pow(10, -6 + 12 * unit(random)), to = from + width;
    const std::string model = "u := piecewise(" + text(a) + ", time >= " + text(from) +
                              " && time < " + text(to) + ", 0);\nx' = delay(u, " + text(lag) +
                              ") - " + text(k) + "*x; x = 0;\ny' = delay(x, " + text(more) +
                              ") - " + text(m) + "*y; y = 0;\nz' = delay(delay(u, " + text(lag) +
                              "), " + text(more) + ") - " + text(k) + "*z; z = 0;";
    std::vector<double> times{0};
    const double start = from + lag;
    for (int j = 0; j <= 40; ++j) times.push_back(start + 0.25 * j * (width + more) / 5);
    const std::string method = i % 4 == 0   ? "automatic"
                               : i % 4 == 1 ? "bdf"
                               : i % 4 == 2 ? "dopri5"
                                            : "radau";
    const Trajectory course = run(model, times, method);
    double most[3] = {}, apart[3] = {};
    for (std::size_t r = 0; r < times.size(); ++r) {
      const double T = times[r] - start;
      const double exact[3] = {a * (first(k, T) - first(k, T - width)),
                               a * (second(k, m, T - more) - second(k, m, T - more - width)),
                               a * (first(k, T - more) - first(k, T - more - width))};
      for (std::size_t c = 0; c < 3; ++c) {
        most[c] = std::max(most[c], std::fabs(exact[c]));
        apart[c] = std::max(apart[c], std::fabs(course.states[3 * r + c] - exact[c]));
      }
    }
    for (int c = 0; c < 3; ++c)
      EXPECT_LE(apart[c], patience * 1e-6 * most[c]) << c << " " << method << "\n" << model;
  }
}

// A ramp is a kink at both ends, as of a table.
TEST(Delays, RampsArrive) {
  const std::string model =
      "u := piecewise(0, time < 3, (time - 3)/0.02, time < 3.02, 1);\n"
      "x' = delay(u, 7); x = 0;";
  const Trajectory course = run(model, {9, 10.01, 10.02, 30});
  EXPECT_NEAR(course.states[0], 0, 1e-12);
  EXPECT_NEAR(course.states[1], 0.0025, 1e-7);
  EXPECT_NEAR(course.states[2], 0.01, 1e-7);
  EXPECT_NEAR(course.states[3], 20 - 0.01, 2e-5);
}

// The delayed step itself, seen at its moment and on both sides of it.
TEST(Delays, AStepIsSeenAtItsMoment) {
  const std::string model = "u := piecewise(1, time >= 0.3, 0); w := delay(u, 0.4); x' = w; x = 0;";
  CompiledModel compiled = compile_model(resolve_text("test", model));
  const Trajectory course =
      simulate(compiled.problem, compiled.request({0.699999, 0.7, 0.700001}), {});
  const std::size_t columns = compiled.program().output_names.size();
  for (std::size_t c = 0; c < columns; ++c)
    if (compiled.program().output_names[c] == "w") {
      EXPECT_EQ(course.outputs[c], 0);
      EXPECT_EQ(course.outputs[columns + c], 1);
      EXPECT_EQ(course.outputs[2 * columns + c], 1);
    }
}

// Before the start states stand still, but time goes on: a pulse of then arrives too.
TEST(Delays, PulsesFromBeforeTheStartArrive) {
  const std::string model =
      "u := piecewise(1, time > -3 && time < -2.5, 0); x' = delay(u, 5); x = 0;\n"
      "y' = delay(delay(u, 1), 5); y = 0;";
  const Trajectory course = run(model, {1.9, 2.2, 3.1, 10});
  const double x[] = {0, 0.2, 0.5, 0.5}, y[] = {0, 0, 0.1, 0.5};
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_NEAR(course.states[2 * r], x[r], 1e-6) << r;
    EXPECT_NEAR(course.states[2 * r + 1], y[r], 1e-6) << r;
  }
}

// Delays that change with time, or with a state, find the pulse where it is.
TEST(Delays, DelaysThatVarySeeThePulse) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < (sanitized ? 4 : 40); ++i) {
    const double from = 2 + 20 * unit(random), width = std::pow(10, -3 + 3 * unit(random)),
                 pace = 0.2 + 0.7 * unit(random), lag = 0.5 + unit(random);
    const std::string pulse =
        "u := piecewise(1, time >= " + text(from) + " && time < " + text(from + width) + ", 0);\n";
    // t - lag(t) = pace t - lag: the pulse lasts 1/pace times as long.
    const double end = (from + width + lag) / pace + 5;
    for (const std::string& model :
         {pulse + "x' = delay(u, " + text(lag) + " + " + text(1 - pace) + "*time); x = 0;",
          pulse + "x' = delay(u, " + text(lag) + " + s); x = 0; s' = " + text(1 - pace) +
              "; s = 0;"}) {
      const Trajectory course =
          run(model, {(from + lag) / pace - 0.01, end}, i % 2 ? "bdf" : "automatic");
      const std::size_t n = course.states.size() / 2;
      EXPECT_NEAR(course.states[0], 0, 1e-9 * width) << model;
      EXPECT_NEAR(course.states[n], width / pace, patience * 1e-6 * width / pace) << model;
    }
  }
}

// An event changes how long ago: what is seen jumps there, and in a delay of it again.
TEST(Delays, ADelayMayJump) {
  const std::string model =
      "tau = 1; x' = delay(time, tau); x = 0; y' = delay(w, 2); y = 0; w := delay(time, tau);\n"
      "at (time >= 5): tau = 3;";
  const Trajectory course = run(model, {5, 10});
  // x' = t - 1 to 5, then t - 3; y' the same, two later, and as of before the start until then.
  auto upto = [](double t) { return t * t / 2 - t - (t > 5 ? 2 * (t - 5) : 0); };
  const std::size_t n = course.states.size() / 2;
  std::size_t x = 0, y = 0;
  CompiledModel compiled = compile_model(resolve_text("test", model));
  for (std::size_t i = 0; i < n; ++i) {
    if (compiled.program().state_names[i] == "x") x = i;
    if (compiled.program().state_names[i] == "y") y = i;
  }
  EXPECT_NEAR(course.states[x], upto(5), 1e-4);
  EXPECT_NEAR(course.states[n + x], upto(10), 1e-4);
  EXPECT_NEAR(course.states[n + y], upto(8) - upto(-2), 1e-4);
}

// x' = -x(t - 1), x = 1 before 0: a polynomial in each unit of time, and smoother in each.
TEST(Delays, TheMethodOfSteps) {
  auto exact = [](double t) {
    double sum = 0, factorial = 1;
    for (int k = 0; k <= std::floor(t) + 1; ++k) {
      if (k > 0) factorial *= k;
      sum += (k % 2 ? -1 : 1) * std::pow(t - (k - 1), k) / factorial;
    }
    return sum;
  };
  for (const char* method : {"automatic", "bdf", "radau", "dopri5", "dop853", "adams", "cvodes"})
    for (double rtol : {1e-4, 1e-6, 1e-9}) {
      std::vector<double> times;
      for (int i = 0; i < 60; ++i) times.push_back(0.17 * i);
      const Trajectory course = run("x' = -delay(x, 1); x = 1;", times, method, rtol);
      for (std::size_t r = 0; r < times.size(); ++r)
        EXPECT_NEAR(course.states[r], exact(times[r]), patience * rtol)
            << method << " " << rtol << " at " << times[r];
    }
}

// A condition on a state inside a delay: u = [s > 0.5] with s = t/10, seen two later.
TEST(Delays, ConditionsOnStatesArrive) {
  for (const char* method : {"automatic", "bdf", "dopri5"}) {
    const Trajectory course =
        run("s' = 0.1; s = 0; u := piecewise(1, s > 0.5, 0); x' = delay(u, 2); x = 0;", {7, 20},
            method);
    EXPECT_NEAR(course.states[1], 0, 1e-9) << method;
    EXPECT_NEAR(course.states[3], 13, 1e-5) << method;
  }
}

// A dose, and what it does later: jump, kink, bend.
TEST(Delays, JumpsOfStatesArrive) {
  const Trajectory course = run(
      "d' = 0; d = 0; x' = delay(d, 3); x = 0; y' = delay(x, 4); y = 0;\nat (time >= 2): d = 1;",
      {5, 9, 9.5, 15});
  const double x[] = {0, 4, 4.5, 10}, y[] = {0, 0, 0.125, 18};
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_NEAR(course.states[3 * r + 1], x[r], 1e-5) << r;
    EXPECT_NEAR(course.states[3 * r + 2], y[r], 1e-5) << r;
  }
}

TEST(Delays, ANegativeDelayIsNamedWithItsTime) {
  CompiledModel model =
      compile_model(resolve_text("test", "x' = delay(x, tau) - x; x = 1; tau := 2 - 0.5*time;"));
  const Trajectory course = simulate(model.problem, model.request({0, 10}), {});
  EXPECT_NE(course.outcome.status, Status::done);
  const std::string words = describe(course.outcome, model.program().state_names);
  EXPECT_NE(words.find("delay(x, tau)"), std::string::npos) << words;
  EXPECT_NEAR(course.outcome.time, 4, 1e-3) << words;
}

}  // namespace
}  // namespace stiffit::internal
