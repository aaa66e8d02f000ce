// Runs that cannot be finished: exit code 3, the rows reached, and a reason with time and species.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "program_run.h"

namespace stiffit::internal {
namespace {

TEST(Numerics, BlowUpInFiniteTimeIsNamed) {
  Scratch s;
  s.write("m.rxn", "x' = x^2\nx = 1\n");
  ProgramRun run = s.stiffit("simulate m.rxn --end 2 --points 5 -o x.csv");
  EXPECT_EQ(run.exit_code, 3);
  // x = 1/(1 - t): the rows at 0, 0.4 and 0.8 exist, the one at 1.2 does not.
  std::string csv = s.read("x.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4) << csv;
  EXPECT_TRUE(run.messages.starts_with("error: ")) << run.messages;
  EXPECT_NE(run.messages.find("at time 1"), std::string::npos) << run.messages;
  EXPECT_NE(run.messages.find("; x "), std::string::npos) << run.messages;
  EXPECT_TRUE(run.messages.ends_with("\n  3 of 6 rows were reached and written\n")) << run.messages;
}

TEST(Numerics, UnreachableTolerance) {
  Scratch s;
  ProgramRun run = s.stiffit("simulate oregonator --rtol 1e-20");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.messages,
            "error: the relative tolerance 1e-20 cannot be reached: numbers carry about 16 digits\n"
            "  the smallest that makes sense is --rtol 1e-14\n");
}

TEST(Numerics, StepLimit) {
  Scratch s;
  ProgramRun run = s.stiffit("simulate oregonator --max-steps 20 --json");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(run.messages.starts_with("error: gave up after 20 steps at time ")) << run.messages;
  EXPECT_NE(run.out.find("\"status\":\"too-many-steps\""), std::string::npos);
}

TEST(Numerics, WhatDoesNotRestIsNamed) {
  Scratch s;
  s.write("grows.ant", "-> A; 2\nA -> A + B; A\nA ->; A\nA = 0; B = 0\n");
  ProgramRun grows = s.stiffit("steady grows.ant");
  EXPECT_EQ(grows.exit_code, 3);
  EXPECT_TRUE(
      grows.messages.starts_with("error: no steady state was found: B grows without end, it is "))
      << grows.messages;
  s.write("below.ant", "species S\nS' = -2 - S\nS = 1\n");
  ProgramRun below = s.stiffit("steady below.ant --json");
  EXPECT_EQ(below.exit_code, 0);
  EXPECT_EQ(below.messages,
            "warning: S is negative there: the model's own rates take it below zero\n");
  EXPECT_NE(below.out.find("\"warnings\":[\"S is negative"), std::string::npos) << below.out;
  ProgramRun swings = s.stiffit("steady oregonator --json");
  EXPECT_EQ(swings.exit_code, 0);
  EXPECT_NE(swings.out.find("\"x\":0.41430924795773"), std::string::npos) << swings.out;
  EXPECT_NE(swings.messages.find("still rises and falls"), std::string::npos) << swings.messages;
}

// Fixed steps: y' = -40 y with h = 0.1 is h*|lambda| = 4 everywhere.
TEST(Numerics, FixedStepsBeyondTheStabilityRegionAreTold) {
  Scratch s;
  s.write("m.ant", "y' = -40*y\ny = 1\n");
  ProgramRun run = s.stiffit("simulate m.ant --end 40 --points 4 --method rk4 --step 0.1 -o y.csv");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(run.messages.starts_with("error: the result has blown up")) << run.messages;
  EXPECT_NE(run.messages.find("h*|lambda| is 4 "), std::string::npos) << run.messages;
  EXPECT_NE(run.messages.find("stable up to 2.79\n"), std::string::npos) << run.messages;
  EXPECT_EQ(rows_of(s.read("y.csv")).size(), 5u);
  run = s.stiffit("simulate m.ant --end 40 --points 4 --method rk4 --step 0.1 --json");
  EXPECT_NE(run.out.find("\"status\":\"unstable\""), std::string::npos) << run.out;
  // Too long, but not for long enough to do harm.
  run = s.stiffit("simulate m.ant --end 0.1 --points 1 --method rk4 --step 0.1");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.messages.starts_with("note: steps of 0.1 are too long for rk4")) << run.messages;
  for (const char* sound : {"--method rk4 --step 0.05", "--method backward-euler --step 0.1",
                            "--method rodas5p --step 10"}) {
    run = s.stiffit(std::string("simulate m.ant --end 40 --points 4 ") + sound);
    EXPECT_EQ(run.exit_code, 0) << sound;
    EXPECT_EQ(run.messages, "") << sound;
  }
}

// What grows by itself has not blown up.
TEST(Numerics, GrowthIsNoBlowUp) {
  Scratch s;
  s.write("m.ant", "y' = 3*y\ny = 1\n");
  const ProgramRun run = s.stiffit("simulate m.ant --end 20 --points 4 --method rk4 --step 0.01");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.messages, "");
}

TEST(Numerics, OrdersAndEigenvaluesAreThoseOfTheMethod) {
  Scratch s;
  s.write("m.ant", "u' = -5*u - 3*v\nv' = 3*u - 5*v\nu = 1\nv = 0\n");
  const std::string simulate = "simulate m.ant --times 1 --step 1 ";
  EXPECT_EQ(s.stiffit(simulate + "--method radau --max-order 13").exit_code, 0);
  EXPECT_EQ(s.stiffit(simulate + "--method taylor --max-order 30").exit_code, 0);
  ProgramRun run = s.stiffit(simulate + "--method adams --max-order 13");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.messages.starts_with("error: --max-order is at most 12 for method 'adams'\n"))
      << run.messages;
  for (const char* method : {"liniger-willoughby-2", "fitted-rosenbrock", "fitted-rk"}) {
    run = s.stiffit(simulate + "--eigenvalues=-5+3i --method " + method);
    ASSERT_EQ(run.exit_code, 0) << run.messages;
    const auto rows = rows_of(run.out);
    EXPECT_NEAR(rows[0][1], std::exp(-5) * std::cos(3), 1e-9) << method;
    EXPECT_NEAR(rows[0][2], std::exp(-5) * std::sin(3), 1e-9) << method;
  }
  run = s.stiffit(simulate + "--eigenvalues=-5+3i --method liniger-willoughby-1");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.messages.find("real eigenvalue only"), std::string::npos) << run.messages;
}

// Said once, and the numbers are the closed form, (1 - t/3)^3.
TEST(Numerics, ExhaustionIsNoted) {
  Scratch s;
  s.write("m.ant", "J: S -> ; k*S^(2/3)\nS = 1\nk = 1\n");
  const ProgramRun run = s.stiffit("simulate m.ant --times 1,2,4,8");
  EXPECT_EQ(run.exit_code, 0);
  const auto rows = rows_of(run.out);
  EXPECT_NEAR(rows[0][1], 8.0 / 27, 1e-5);
  EXPECT_NEAR(rows[1][1], 1.0 / 27, 1e-5);
  EXPECT_EQ(rows[2][1], 0);
  EXPECT_EQ(rows[3][1], 0);
  EXPECT_TRUE(run.messages.starts_with("note: S is used up at time ")) << run.messages;
  EXPECT_EQ(std::count(run.messages.begin(), run.messages.end(), '\n'), 1) << run.messages;
}

// Something else consumes it: below zero its law has no value.
TEST(Numerics, ABaseThatFallsBelowZeroIsAnError) {
  Scratch s;
  s.write("m.ant", "S' = -k*sqrt(S) - 0.1\nS = 1\nk = 1\n");
  const ProgramRun run = s.stiffit("simulate m.ant --times 1,2,4,8");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(run.messages.starts_with("error: S falls below zero")) << run.messages;
}

TEST(Numerics, InterruptKeepsTheRowsReached) {
  Scratch s;
  s.write("m.rxn", "x' = cos(1000*time)\nx = 0\n");
  ProgramRun run = s.stiffit("simulate m.rxn --end 1e9 --max-steps 1000000000 -o x.csv",
                             "timeout --foreground --preserve-status -s INT 2");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(s.read("x.csv").starts_with("time,x\n0,0\n"));
  EXPECT_TRUE(run.messages.starts_with("error: interrupted at time ")) << run.messages;
}

}  // namespace
}  // namespace stiffit::internal
