// Runs that cannot be finished: exit code 3, the rows reached, and a reason with time and species.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "program_run.h"

namespace stiffit {
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
}  // namespace stiffit
