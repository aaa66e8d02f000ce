// Sensitivities through events, switches and algebraic equations, against differences; and the
// adjoint against them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "sensitivity_trial.h"

namespace stiffit::internal {
namespace {

struct Case {
  std::string name, text;
  std::vector<double> times;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const std::vector<Case> cases{
    {"Ball",
     "x' = v; v' = -g; x = h0; v = 0; g = 10; h0 = 1; c = 0.5;\n"
     "at (x < 0): v = -c*v, x = 0;",
     {0.2, 0.44, 0.5, 0.8, 1.0}},
    {"Held at an edge, and free again",
     "V' = a*cos(w*time) - d; U' = V - q*U; V = 0.9; U = 0; a = 1; w = 1; d = 0.2; q = 0.5;\n"
     "low = 0.3; at (V < low): V = low;",
     {1, 3, 3.5, 4.5, 5.5, 7, 9, 12}},
    {"A bent clock",
     "x' = piecewise(r, cos(w*(time - s)) > c, -x); x = 0.1; r = 2; w = 3; s = 0.2; c = 0.8;",
     {0.4, 1, 2, 2.4, 3.7}},
    {"Dose at a fitted time",
     "A -> B; k*A; A = 1; B = 0; k = 0.7; T = 2.3; D = 0.4;\n"
     "at (time >= T): A = A + D;",
     {1, 2, 2.5, 4, 6}},
    {"Dose at a fixed time",
     "A -> B; k*A; A = 1; B = 0; k = 0.7; D = 0.4;\n"
     "at (time >= 2): A = A + D*B;",
     {1, 3, 5}},
    {"Threshold sets another",
     "A -> B; k*A; A = 1; B = 0; k = 0.7; y' = -y*q; y = 2; q = 0.1; lim = 0.5; j = 3;\n"
     "at (B > lim): y = j*y + A, A = A*A;",
     {0.5, 0.9, 1.5, 3}},
    {"Delayed with values of the trigger",
     "A -> B; k*A; A = 1; B = 0; k = 0.7; lag = 1.3; lim = 0.4; y = 0;\n"
     "at lag after (B > lim): y = A, A = A + 0.2*B;",
     {0.5, 1.5, 2.6, 4}},
    {"Delayed with values of the moment",
     "A -> B; k*A; A = 1; B = 0; k = 0.7; lag = 1.3; lim = 0.4; y = 0;\n"
     "at lag*(1 + A) after (B > lim), fromTrigger = false: y = A, A = A + 0.2*B;",
     {0.5, 1.5, 3.6, 5}},
    {"Cascade",
     "x' = a; x = 0; a = 1.2; y = 1; z = 0; lim = 1; c = 4; w' = -w*z + y; w = 1;\n"
     "at (x > lim): y = c*x;\n"
     "at (y > 3): z = y + x, x = x - 0.5;",
     {0.5, 1, 2, 3}},
    {"Two at one moment",
     "x' = -k*x; x = 2; k = 0.3; u = 0; v = 0; t1 = 1.5; t2 = 1.5;\n"
     "at (time > t1): u = x;\n"
     "at (time > t2): v = 2*x;",
     {1, 2, 3}},
    {"Priorities",
     "x' = -k*x; x = 2; k = 0.3; y = 1; t1 = 1.5;\n"
     "at (time > t1), priority = 1: x = x + y;\n"
     "at (time > t1), priority = 2: y = 3*x + t1;",
     {1, 2, 3}},
    {"Both conditions",
     "x' = a; x = 0; a = 1; y' = b; y = 0; b = 0.7; z = 0; l1 = 1.1; l2 = 1.2; r' = z; r = 0;\n"
     "at (x > l1 && y > l2): z = x*y;",
     {1, 2, 3}},
    {"Either condition",
     "x' = a; x = 0; a = 1; y' = b; y = 0; b = 0.7; z = 0; l1 = 1.1; l2 = 1.2; r' = z; r = 0;\n"
     "at (x > l1 || y > l2): z = x*y;",
     {0.8, 1.4, 3}},
    {"Piecewise rate",
     "x' = piecewise(a, x < c, b); x = 0; a = 1; b = -0.2*a + 0.5; c = 0.8;",
     {0.5, 1, 2}},
    {"Input switched on and off",
     "x' = piecewise(u, time > on && time < off, 0) - k*x; x = 0.1; u = 2; k = 0.5; on = 1; "
     "off = 2.5;",
     {0.5, 1.5, 2, 3, 5}},
    {"Largest and absolute",
     "x' = max(a - x, 0.1) - abs(y); y' = x - 1.2*y; x = 0.2; y = -0.3; a = 1.4;",
     {0.5, 1.5, 3, 6}},
    {"Staircase", "x' = floor(r*time) - k*x; x = 1; r = 0.9; k = 0.3;", {0.5, 1.5, 3, 6}},
    {"Doses at times that events set",
     "A -> B; k*A; A = 1; B = 0; k = 0.7; next = 0.6; var next; gap = 1.1; D = 0.4; w = 0.9;\n"
     "at (w*(time - next) >= 0): A = A + D, next = next + gap + 0.1*B;",
     {0.5, 1, 2, 3, 5}},
    {"A pulse whose end an event sets",
     "x' = piecewise(u, time < until, 0) - k*x; x = 0.1; u = 2; k = 0.5; until = 0.3; var until;\n"
     "on = 1; w = 0.8;\n"
     "at (time >= on): until = time + w + 0.3*x;\n"
     "at 1.9 after (time >= on), fromTrigger = false: until = time + w*x;",
     {0.2, 0.8, 1.5, 2.2, 3.2, 5}},
    {"Two that one event moves",
     "x' = -k*x + piecewise(1, time > b, 0); x = 2; k = 0.3; y = 1; a = 1.5; var a; b = 9; var b;\n"
     "c = 0.7; d = 0.2;\n"
     "at (time > a): a = a + c*x, b = time + d, y = y + x;",
     {1, 1.6, 2, 4, 6}},
    {"Repeated",
     "x' = -k*x; x = 1; k = 0.8; d = 0.6; lim = 0.4;\n"
     "at (x < lim): x = x + d;",
     {0.5, 2, 4, 6}},
    {"Time in a rate",
     "x' = a*(1.2 + sin(w*time)) - k*x^n; x = 1; a = 1; w = 2; k = 0.5; n = 1.7;",
     {0.5, 2, 4}},
    {"Algebraic",
     "species S, P; var C, E;\n S -> P; k*C\n S = 10; P = 0; k = 1; Et = 1; Km = 2;\n"
     "C = 0.5; E = 1; 0 = E + C - Et; 0 = E*S - Km*C;",
     {1, 5, 10, 15}},
    {"Algebraic with an event",
     "species S, P; var C, E;\n S -> P; k*C\n S = 10; P = 0; k = 1; Et = 1; Km = 2; T = 3.3;\n"
     "C = 0.5; E = 1; 0 = E + C - Et; 0 = E*S - Km*C; D = 4; lim = 0.4;\n"
     "at (time > T): S = S + D;\nat (C < lim): S = S + D*E;",
     {1, 5, 10, 15, 20}},
    {"Initial formulas",
     "A -> B; k*A; B -> A; q*B; k = 0.5; q = 2*k + s; s = 0.3; A = 3*k + s^2; B = A/s;",
     {0, 0.5, 2}},
};

class Switches : public ::testing::TestWithParam<Case> {};

TEST_P(Switches, AgreeWithDifferencesAndAdjoint) {
  const Case& c = GetParam();
  SensitivityTrial trial(resolve_varied("test", c.text), c.times);
  trial.zero_step = 3e-3;  // what is linear in them leaves only rounding, less with longer steps
  const std::vector<double> expected = trial.differences();
  EXPECT_LT(trial.distance(trial.forward(1e-11).sensitivities, expected), 3e-6);
  EXPECT_LT(trial.adjoint_distance(1e-8), 1e-9);
  if (trial.model.program().mass.empty()) {
    EXPECT_LT(trial.distance(trial.forward(1e-10, "bdf", true).sensitivities, expected), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Sensitivity, Switches, ::testing::ValuesIn(cases),
                         [](const auto& one) { return test_name(one.param.name); });

TEST(Sensitivity, DelaysAreRefused) {
  ResolvedSystem resolved = resolve_text("test", "x' = -delay(x, 1); x = 1;");
  CompiledModel model = compile_model(std::move(resolved));
  EXPECT_THROW(make_sensitivity_problem(model.resolved.system, model.problem), InputError);
}

}  // namespace
}  // namespace stiffit::internal
