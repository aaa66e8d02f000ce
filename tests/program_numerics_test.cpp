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
