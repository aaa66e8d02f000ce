// The order of every method, measured with fixed steps on a smooth problem, and that of its dense
// output between the steps.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "compiled_model.h"
#include "ode/method_registry.h"
#include "places.h"

namespace stiffit::internal {
namespace {

// Nonlinear, non-autonomous, solution known (Hairer, Norsett, Wanner I, II.4):
// y1 = exp(sin t^2), y2 = exp(5 sin t^2), y3 = 1 + sin t^2, y4 = cos t^2.
constexpr const char* smooth_text = R"(model smooth
  species y1, y2, y3, y4;
  y1' = 2*time*y2^0.2*y4;
  y2' = 10*time*exp(5*(y3 - 1))*y4;
  y3' = 2*time*y4;
  y4' = -2*time*ln(y1);
  y1 = 1; y2 = 1; y3 = 1; y4 = 1;
end
)";
std::vector<double> exact(double t) {
  const double s = std::sin(t * t);
  return {std::exp(s), std::exp(5 * s), 1 + s, std::cos(t * t)};
}

// The orders are those of the registry.
struct MethodOrder {
  const char* name;
  int steps, dense_steps;  // of the coarser of the two runs compared
  const MethodEntry& entry() const { return *find_method(name); }
};
const MethodOrder orders[] = {
    {"euler", 2560, 256},
    {"modified-euler", 640, 256},
    {"rk4", 320, 64},
    {"rkf45", 160, 64},
    {"dopri5", 160, 64},
    {"tsit5", 160, 64},
    {"automatic", 160, 64},  // of fixed steps: Rodas5P
    {"rodas5p", 160, 64},
    {"dop853", 40, 8},
    {"taylor", 40, 32},  // the order of the default tolerance
    {"bs32", 320, 64},
    {"radau", 80, 64},
    {"trbdf2", 640, 256},
    {"esdirk54", 160, 64},
    {"rkc", 640, 256},
    {"rk-imaginary", 640, 256},
    {"exponential-rosenbrock", 5120, 64},
    {"liniger-willoughby-1", 640, 256},
    {"liniger-willoughby-2", 640, 64},
    {"fitted-rosenbrock", 2560, 256},
    {"fitted-rk", 640, 256},
    {"fowler-warten", 640, 256},
    {"backward-euler", 2560, 256},
    {"trapezoidal", 640, 256},
    {"trapezoidal-smoothed", 640, 256},
    {"trapezoidal-extrapolated", 320, 64},
};

// The end of the Lotka chain's run to 20 (../shared/reference/problems.md 2.1).
constexpr double lotka_end = 20;
const double lotka_exact[] = {4.37457227641958e-03, 3.72459741711332e-04, 4.67743371495473e-01,
                              5.29509596486396e-01};

class Order : public testing::TestWithParam<MethodOrder> {};

double error_at_end(const CompiledModel& lotka, const std::string& method, int steps) {
  IntegrationOptions options;
  options.method = method;
  options.fixed_step = lotka_end / steps;
  Trajectory run = simulate(lotka.problem, lotka.request({lotka_end}), options);
  EXPECT_EQ(run.outcome.status, Status::done);
  double worst = 0;
  for (std::size_t k = 0; k < std::size(lotka_exact); ++k)
    worst = std::max(worst, std::fabs(run.outputs[k] / lotka_exact[k] - 1));
  return worst;
}

TEST_P(Order, IsThatOfTheory) {
  CompiledModel lotka = compile_model(resolve_library("lotka"));
  const MethodOrder& m = GetParam();
  const double coarse = error_at_end(lotka, m.name, m.steps);
  const double fine = error_at_end(lotka, m.name, 2 * m.steps);
  EXPECT_NEAR(std::log2(coarse / fine), m.entry().order, 0.2) << coarse << " " << fine;
}

// The largest relative error between the steps, which end at 1.
double error_between(const CompiledModel& model, const std::string& method, int steps) {
  IntegrationOptions options;
  options.method = method;
  options.fixed_step = 1.0 / steps;
  std::vector<double> times;
  for (int i = 0; i < steps; ++i)
    for (double theta : {0.15, 0.5, 0.8}) times.push_back((i + theta) / steps);
  Trajectory run = simulate(model.problem, model.request(times), options);
  EXPECT_EQ(run.outcome.status, Status::done);
  double worst = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::vector<double> y = exact(times[i]);
    for (std::size_t k = 0; k < y.size(); ++k) {
      double here = std::fabs(run.outputs[i * y.size() + k] / y[k] - 1);
      if (!(here <= worst)) worst = here;
    }
  }
  return worst;
}

TEST_P(Order, HoldsBetweenTheSteps) {
  CompiledModel model = compile_model(resolve_text("smooth", smooth_text));
  const MethodOrder& m = GetParam();
  const double coarse = error_between(model, m.name, m.dense_steps);
  const double fine = error_between(model, m.name, 2 * m.dense_steps);
  EXPECT_GT(std::log2(coarse / fine), m.entry().dense_order - 0.3) << coarse << " " << fine;
}

INSTANTIATE_TEST_SUITE_P(All, Order, testing::ValuesIn(orders),
                         [](const testing::TestParamInfo<MethodOrder>& test) {
                           return test_name(test.param.name);
                         });

// Multistep methods at every order, with what their first steps have done wrong kept for ever:
// y' = y cos t, y = exp(sin t), forgets nothing. Started by a method of lower order than its own,
// none of them would have its order here.
struct MultistepOrder {
  const char* name;
  int order;
};
std::vector<MultistepOrder> multistep_orders() {
  std::vector<MultistepOrder> all;
  for (const MethodEntry& entry : method_entries())
    if (entry.info.family == "multistep" && entry.fixed_steps)
      for (int order = 1; order <= entry.largest_order; ++order)
        all.push_back({entry.info.name.data(), order});
  return all;
}

double error_of_memory(const CompiledModel& model, const MultistepOrder& m, int steps,
                       bool between) {
  constexpr double end = 6;
  IntegrationOptions options;
  options.method = m.name;
  options.max_order = m.order;
  options.rtol = 1e-13;  // of Newton
  options.fixed_step = end / steps;
  std::vector<double> times;
  for (double share = 0.05; share <= 1; share += 0.05)
    times.push_back((std::round(share * steps) - (between ? 0.4 : 0)) * options.fixed_step);
  const Trajectory run = simulate(model.problem, model.request(times), options);
  EXPECT_EQ(run.outcome.status, Status::done) << m.name << " " << m.order;
  double worst = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    worst = std::max(worst, std::fabs(run.states[i] - std::exp(std::sin(times[i]))));
  return worst;
}

TEST(OrderTable, MultistepMethodsHaveEveryOrderFromTheirFirstStepOn) {
  const CompiledModel model =
      compile_model(resolve_text("memory", "species y; y' = y*cos(time); y = 1;\n"));
  for (const MultistepOrder& m : multistep_orders())
    for (bool between : {false, true}) {
      // The finest pair of steps whose errors are above rounding.
      double coarse = error_of_memory(model, m, 48, between), measured = 0;
      bool stable = false;  // Adams-Bashforth methods of high order bear very short steps only
      for (int steps = 96; steps <= 1536; steps *= 2) {
        const double fine = error_of_memory(model, m, steps, between);
        if (fine < 4e-13) break;
        measured = std::log2(coarse / fine);
        stable = coarse < 1e-4;
        coarse = fine;
      }
      EXPECT_GT(measured, m.order - 0.7) << m.name << " " << m.order << " " << between;
      if (between || !stable) continue;
      EXPECT_LT(measured, m.order + 1.3) << m.name << " " << m.order;
    }
}

TEST(OrderTable, HasEveryMethodOfFixedSteps) {
  for (const MethodEntry& entry : method_entries()) {
    if (entry.info.family == "multistep") continue;
    if (entry.info.name == "taylor-guaranteed") continue;  // with fixed steps it is taylor
    EXPECT_TRUE(std::any_of(std::begin(orders), std::end(orders), [&](const MethodOrder& m) {
      return entry.info.name == m.name;
    })) << entry.info.name;
  }
}

TEST(OrderTable, EveryMethodHasItsEntryInTheDocs) {
  std::ifstream file(source_path("docs/methods.md"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(text.empty());
  for (const MethodEntry& entry : method_entries())
    EXPECT_NE(text.find("**" + std::string(entry.info.name) + "**"), std::string::npos)
        << entry.info.name;
}

// From a state of nothing but zeros the first step is all df/dt, in any unit.
TEST(OrderTable, ExponentialRosenbrockIsExactFromAZeroState) {
  for (double unit : {1.0, 1e-12, 1e9}) {
    const std::string u =
        std::to_string(unit == 1e-12 ? 1.0 : unit) + (unit == 1e-12 ? "e-12" : "");
    CompiledModel model = compile_model(
        resolve_text("ramp", "species y, z; y' = " + u + "*time - y; z' = y - z; y = 0; z = 0;\n"));
    IntegrationOptions options;
    options.method = "exponential-rosenbrock";
    options.fixed_step = 0.1;
    Trajectory run = simulate(model.problem, model.request({0.1}), options);
    ASSERT_EQ(run.outcome.status, Status::done);
    const double t = 0.1, y = t - 1 + std::exp(-t), z = t - 2 + (t + 2) * std::exp(-t);
    EXPECT_NEAR(run.outputs[0] / unit, y, 1e-10);
    EXPECT_NEAR(run.outputs[1] / unit, z, 1e-11);
  }
}

// Non-autonomous stiff methods are easily wrong only where df/dt matters: a problem that is
// nothing but time.
TEST(OrderTable, RodasIsExactOnAPolynomialOfTime) {
  CompiledModel model = compile_model(
      resolve_text("polynomial", "species y; y' = 5*time^4 + 3*time^2 + 1; y = 0;\n"));
  IntegrationOptions options;
  options.method = "rodas5p";
  options.fixed_step = 0.5;
  Trajectory run = simulate(model.problem, model.request({2}), options);
  ASSERT_EQ(run.outcome.status, Status::done);
  EXPECT_NEAR(run.outputs[0], 32 + 8 + 2, 1e-12);
}

}  // namespace
}  // namespace stiffit::internal
