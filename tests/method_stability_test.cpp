// Stability where it is the point of a method, measured from its steps: y' = lambda y with fixed
// steps, one state for a real eigenvalue, two for a pair. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "analysis/compare/stability.h"
#include "compiled_model.h"
#include "ode/method_registry.h"

namespace stiffit::internal {
namespace {

// |R(z)| from one step of size one.
double amplification(const std::string& method, std::complex<double> z) {
  static const CompiledModel model = compile_model(
      resolve_text("pair",
                   "species u, v; u' = a*u - b*v; v' = b*u + a*v; u = 1; v = 0; a = 0; "
                   "b = 0;\n"));
  IntegrationOptions options;
  options.method = method;
  options.fixed_step = 1;
  Request request = model.request({1});
  request.parameters = model.parameters({{"a", z.real()}, {"b", z.imag()}});
  const Trajectory run = simulate(model.problem, request, options);
  EXPECT_EQ(run.outcome.status, Status::done) << method;
  return std::hypot(run.states[0], run.states[1]);
}

TEST(Stability, ImplicitMethodsDampTheLeftHalfPlane) {
  for (const char* method :
       {"backward-euler", "trapezoidal", "radau", "rodas5p", "trbdf2", "esdirk54"})
    for (double size : {0.1, 1.0, 10.0, 1000.0})
      for (double angle = 0.5; angle <= 1; angle += 0.1) {
        const auto z = std::polar(size, angle * M_PI);
        EXPECT_LE(amplification(method, z), 1 + 1e-9) << method << " " << z;
      }
}

TEST(Stability, LStableMethodsForgetWhatIsFast) {
  for (const char* method : {"backward-euler", "radau", "rodas5p", "trbdf2", "esdirk54"})
    EXPECT_LT(amplification(method, -1e6), 1e-4) << method;
  EXPECT_NEAR(amplification("trapezoidal", -1e6), 1, 1e-4);
  // The first step is smoothed: (1 + 2 R + R^2)/4.
  EXPECT_LT(amplification("trapezoidal-smoothed", -1e6), 1e-5);
}

TEST(Stability, RkcIsStableAlongTheNegativeRealAxis) {
  for (double z : {-0.5, -2.0, -10.0, -100.0, -1000.0, -20000.0})
    EXPECT_LE(amplification("rkc", z), 1) << z;
  EXPECT_GT(amplification("dopri5", -10), 1);
}

TEST(Stability, TheImaginaryMethodIsStableAlongThatAxis) {
  for (double y : {0.5, 1.9, 3.5, 7.0, 12.0}) {
    EXPECT_LE(amplification("rk-imaginary", {0, y}), 1 + 1e-9) << y;
    EXPECT_GT(amplification("rk-imaginary", {0, y}), 0.3) << y;  // and oscillations last
  }
  EXPECT_GT(amplification("rk4", {0, 3.5}), 1);
}

// What they are for: a component with the eigenvalue fitted to, however fast, is followed exactly.
TEST(Stability, FittedMethodsMultiplyByTheExponential) {
  for (const char* method : {"liniger-willoughby-1", "liniger-willoughby-2", "fitted-rosenbrock",
                             "fitted-rk", "fowler-warten", "exponential-rosenbrock"})
    for (double z : {-0.5, -3.0, -20.0})
      EXPECT_NEAR(amplification(method, z), std::exp(z), 1e-9) << method << " " << z;
}

TEST(Stability, ImplicitFittedMethodsAreStableElsewhereToo) {
  for (const char* method : {"liniger-willoughby-1", "liniger-willoughby-2", "fitted-rosenbrock"})
    for (double size : {0.1, 1.0, 10.0, 1000.0})
      for (double angle = 0.5; angle <= 1; angle += 0.1) {
        const auto z = std::polar(size, angle * M_PI);
        EXPECT_LE(amplification(method, z), 1 + 1e-9) << method << " " << z;
      }
}

// What the list of methods claims, and what `compare --stability` measures.
TEST(Stability, TheListOfMethodsSaysWhatIsMeasured) {
  for (const MethodEntry& entry : method_entries()) {
    if (!entry.fixed_steps) continue;
    const std::string name(entry.info.name), claim(entry.info.stability);
    StabilityTrial trial(name);
    EXPECT_EQ(trial.a_stable(), claim.find("A-") != std::string::npos) << name << ": " << claim;
    // Fitted to the one eigenvalue there is, a method follows it however fast it is.
    if (entry.info.family != "exponentially fitted") {
      EXPECT_EQ(trial.l_stable(), claim.find("L-") != std::string::npos) << name << ": " << claim;
    }
    if (claim == "stiffly stable") {
      EXPECT_EQ(trial.real_limit(), INFINITY) << name;
      EXPECT_LT(trial.imaginary_limit(), 10) << name;
    }
    if (claim.find("A-") != std::string::npos) {
      EXPECT_EQ(trial.real_limit(), INFINITY) << name;
      EXPECT_EQ(trial.imaginary_limit(), INFINITY) << name;
    }
  }
}

// A pair given: a component that turns and decays is followed exactly.
TEST(Stability, AGivenPairIsFitted) {
  for (const char* method : {"liniger-willoughby-2", "fitted-rosenbrock", "fitted-rk"})
    for (std::complex<double> z : {std::complex<double>(-5, 3), {-0.8, 2.0}, {-12, 1}}) {
      const CompiledModel model = compile_model(resolve_text(
          "pair", "species u, v; u' = " + std::to_string(z.real()) + "*u - " +
                      std::to_string(z.imag()) + "*v; v' = " + std::to_string(z.imag()) + "*u + " +
                      std::to_string(z.real()) + "*v; u = 1; v = 0;\n"));
      IntegrationOptions options;
      options.method = method;
      options.fixed_step = 1;
      options.eigenvalues = {z};
      const Trajectory run = simulate(model.problem, model.request({1}), options);
      ASSERT_EQ(run.outcome.status, Status::done);
      EXPECT_NEAR(run.states[0], std::exp(z).real(), 1e-9) << method << " " << z;
      EXPECT_NEAR(run.states[1], std::exp(z).imag(), 1e-9) << method << " " << z;
    }
}

// Two eigenvalues given, and a component with each.
TEST(Stability, TwoGivenEigenvaluesAreBothFitted) {
  const CompiledModel model =
      compile_model(resolve_text("two", "species u, v; u' = -4*u; v' = -30*v; u = 1; v = 1;\n"));
  for (const char* method : {"fitted-rosenbrock", "fitted-rk"}) {
    IntegrationOptions options;
    options.method = method;
    options.fixed_step = 1;
    options.eigenvalues = {-4, -30};
    const Trajectory run = simulate(model.problem, model.request({1}), options);
    ASSERT_EQ(run.outcome.status, Status::done);
    EXPECT_NEAR(run.states[0], std::exp(-4.0), 1e-9) << method;
    EXPECT_NEAR(run.states[1], std::exp(-30.0), 1e-9) << method;
  }
}

}  // namespace
}  // namespace stiffit::internal
