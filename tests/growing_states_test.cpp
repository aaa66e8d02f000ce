// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/growing_states.h"

#include <gtest/gtest.h>

#include "compiled_model.h"

namespace stiffit::internal {
namespace {

// The names of the states that may grow again from next to nothing.
std::string growing(const std::string& text) {
  ResolvedSystem resolved = resolve_text("growing", text);
  const auto program = compile(resolved.system, resolved.columns);
  const GrowingStates growing(program);
  std::string names;
  for (std::size_t i = 0; i < program->state_names.size(); ++i)
    if (growing.shares()[i] < 1) names += (names.empty() ? "" : " ") + program->state_names[i];
  return names;
}

TEST(GrowingStates, ThoseThatMakeMoreOfThemselves) {
  EXPECT_EQ(growing("X' = mu*X*(1 - X/9); mu = 2; X = 1"), "X");
  EXPECT_EQ(growing("species X, Y; X -> 2 X; k0*X; X + Y -> 2 Y; k2*X*Y; Y -> ; k3*Y;"
                    "k0 = 1; k2 = 1.5; k3 = 0.1; X = 1; Y = 0.5"),
            "X Y");
  // Under a drug at the start, free of it later.
  EXPECT_EQ(growing("X' = X - 50*D*X; D' = -D; X = 1; D = 1"), "X");
}

TEST(GrowingStates, ThoseThatMakeMoreOfEachOther) {
  EXPECT_EQ(growing("T' = 10 - 0.01*T - b*T*V; I' = b*T*V - 0.5*I; V' = 100*I - 5*V;"
                    "b = 1e-4; T = 1000; I = 0; V = 0.01"),
            "I V");
}

TEST(GrowingStates, NotThoseThatConvertBindDecayOrAreMade) {
  EXPECT_EQ(growing("species A, B, C; A -> B; 3*A; B -> A; 2*B; A + B -> C; 5*A*B; C -> A + B; C;"
                    "A = 1; B = 2; C = 0"),
            "");
  EXPECT_EQ(growing("species E, S, C, P; E + S -> C; 7*E*S; C -> E + S; C; C -> E + P; 2*C;"
                    "E = 0.1; S = 5; C = 0; P = 0"),
            "");
  EXPECT_EQ(growing("m' = 3 - m; p' = 20*m - 0.1*p; m = 0; p = 0"), "");
  EXPECT_EQ(growing("S' = 1 - 3*S/(2 + S); S = 4"), "");
}

// Zero is nothing special to a state that goes through it.
TEST(GrowingStates, NotThoseThatMayBeNegative) {
  EXPECT_EQ(growing("v' = v - v^3/3 - w + 0.5; w' = 0.08*(v + 0.7 - 0.8*w); v = 1; w = 0.3"), "");
}

}  // namespace
}  // namespace stiffit::internal
