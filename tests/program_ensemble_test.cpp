// `stiffit scan` and `stiffit ensemble`, as a person runs them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

#include "program_run.h"

namespace stiffit::internal {
namespace {

const char* named_decay = "decay: A -> B; k*A\nA = 2; B = 0; k = 0.5\n";

TEST(Scan, IsAGridOfSimulations) {
  Scratch scratch;
  scratch.write("decay.rxn", named_decay);
  ProgramRun run = scratch.stiffit("scan decay.rxn --vary A=1:2:2 --vary k=0.1:10:3:log --end 1");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(run.out.starts_with("A,k,time,A,B\n")) << run.out;
  const auto rows = rows_of(run.out);
  ASSERT_EQ(rows.size(), 12u);  // two rows each
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_DOUBLE_EQ(rows[i][0], i < 6 ? 1 : 2);
    EXPECT_NEAR(rows[i][3], rows[i][0] * std::exp(-rows[i][1] * rows[i][2]), 2e-6);
  }
}

TEST(Scan, ARunThatFailsDoesNotStopTheOthers) {
  Scratch scratch;
  scratch.write("burst.rxn", "x' = a*x^2\nx = 1; a = 0\n");
  ProgramRun run = scratch.stiffit("scan burst.rxn --vary a=-1:2:4 --end 1");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.messages.find("a = 2"), std::string::npos) << run.messages;
  const auto rows = rows_of(run.out);
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_NEAR(rows[1][2], 0.5, 1e-5);
  EXPECT_TRUE(std::isnan(rows[7][2]));
}

TEST(Ensemble, BandsAreThoseOfTheDistribution) {
  Scratch scratch;
  scratch.write("decay.rxn", named_decay);
  ProgramRun run = scratch.stiffit(
      "ensemble decay.rxn --sample 'A=normal(2,0.1)' --samples 4000 --points 2 --end 2 --show A");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(run.out.starts_with("time,mean(A),sd(A),q2.5(A),q25(A),q50(A),q75(A),q97.5(A)\n"))
      << run.out;
  for (const auto& row : rows_of(run.out)) {
    const double left = std::exp(-0.5 * row[0]);
    EXPECT_NEAR(row[1], 2 * left, 0.005 * left);
    EXPECT_NEAR(row[2], 0.1 * left, 0.005 * left);
    EXPECT_NEAR(row[3], (2 - 0.196) * left, 0.02 * left);
    EXPECT_NEAR(row[7], (2 + 0.196) * left, 0.02 * left);
  }
}

TEST(Ensemble, IsTheSameForAnyNumberOfThreads) {
  Scratch scratch;
  scratch.write("decay.rxn", named_decay);
  const std::string words =
      "ensemble decay.rxn --sample 'k=lognormal(0.5,0.3)' --samples 3000 --points 3 --end 2 ";
  const ProgramRun one = scratch.stiffit(words + "--threads 1");
  EXPECT_EQ(one.out, scratch.stiffit(words + "--threads 3").out);
  EXPECT_NE(one.out, scratch.stiffit(words + "--seed 2").out);
}

TEST(Ensemble, WritesItsFolderAndNamesWhatFailed) {
  Scratch scratch;
  scratch.write("burst.rxn", "x' = a*x^2\nx = 1; a = 0\n");
  ProgramRun run =
      scratch.stiffit("ensemble burst.rxn --sample 'a=uniform(-1,2)' --samples 300 --end 1 -o out");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_NE(run.messages.find("samples failed"), std::string::npos) << run.messages;
  EXPECT_TRUE(scratch.exists("out/bands.csv"));
  EXPECT_TRUE(scratch.read("out/failures.csv").starts_with("sample,a,reason\n"));
  EXPECT_NE(scratch.read("out/result.json").find("\"seed\":1"), std::string::npos);
}

TEST(Ensemble, KilledRunsGoOnToTheSameResult) {
  Scratch scratch;
  const std::string words =
      "ensemble oregonator --sample 'f=lognormal(1,0.05)' --samples 9000 --points 4 --rows "
      "--histogram 5 ";
  ASSERT_EQ(scratch.stiffit(words + "-o whole").exit_code, 0);
  scratch.stiffit(words + "-o part", "timeout -s INT 0.4");
  scratch.stiffit(words + "-o part --resume", "timeout -s KILL 0.3");
  ProgramRun last = scratch.stiffit(words + "-o part --resume");
  if (last.exit_code == 1) last = scratch.stiffit(words + "-o part");  // killed before it had begun
  ASSERT_EQ(last.exit_code, 0) << last.messages;
  for (const char* file : {"bands.csv", "samples.csv", "histograms.csv", "result.json"})
    EXPECT_EQ(scratch.read(std::string("part/") + file), scratch.read(std::string("whole/") + file))
        << file;
  last = scratch.stiffit(words + "-o part --resume --seed 5");
  EXPECT_EQ(last.exit_code, 1);
  EXPECT_NE(last.messages.find("seed: was 1, now 5"), std::string::npos) << last.messages;
}

TEST(Ensemble, RowsAndHistogramsAreThoseOfTheSamples) {
  Scratch scratch;
  scratch.write("decay.rxn", named_decay);
  ProgramRun run = scratch.stiffit(
      "ensemble decay.rxn --sample 'A=uniform(1,3)' --samples 1000 --points 1 --end 2 --show A "
      "--rows --histogram 4 -o out");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const auto rows = rows_of(scratch.read("out/samples.csv"));  // sample, A, time, A(t)
  ASSERT_EQ(rows.size(), 2000u);
  for (const auto& row : rows) EXPECT_NEAR(row[3], row[1] * std::exp(-0.5 * row[2]), 1e-5);
  double counted = 0;
  std::istringstream table(scratch.read("out/histograms.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "time,quantity,from,to,count");
  while (std::getline(table, line)) {
    const double count = std::stod(line.substr(line.rfind(',') + 1));
    EXPECT_NEAR(count, 250, 50) << line;
    counted += count;
  }
  EXPECT_NEAR(counted, 2000, 0.01);
}

TEST(Ensemble, MethodsOfOneLaneServeToo) {
  Scratch scratch;
  scratch.write("decay.rxn", named_decay);
  const std::string words =
      "ensemble decay.rxn --sample 'k=lognormal(0.5,0.3)' --samples 50 --points 1 --end 2 --show "
      "A ";
  const auto usual = rows_of(scratch.stiffit(words).out);
  const ProgramRun run = scratch.stiffit(words + "--method bdf");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_NEAR(rows_of(run.out)[1][1], usual[1][1], 1e-4);
  EXPECT_EQ(scratch.stiffit("scan decay.rxn --vary k=1:2:2 --method bdf").exit_code, 0);
  for (const char* command :
       {"ensemble decay.rxn --sample 'k=uniform(1,2)'", "scan decay.rxn --vary k=1:2:2"}) {
    const ProgramRun refused = scratch.stiffit(std::string(command) + " --method euler");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.messages.find("no error control"), std::string::npos) << refused.messages;
  }
}

TEST(Ensemble, BadOptionsAreNamed) {
  Scratch scratch;
  scratch.write("decay.rxn", named_decay);
  struct Case {
    const char *words, *says;
  };
  for (auto [words, says] :
       {Case{"ensemble decay.rxn", "--sample"}, Case{"ensemble decay.rxn --sample k", "name="},
        Case{"ensemble decay.rxn --sample 'k=gauss(1,2)'", "gauss"},
        Case{"ensemble decay.rxn --sample 'kk=normal(1,2)'", "did you mean 'k'"},
        Case{"ensemble decay.rxn --sample 'k=normal(1,2)' --resume", "-o DIR"},
        Case{"scan decay.rxn", "--vary"}, Case{"scan decay.rxn --vary k=1:2", "three numbers"},
        Case{"scan decay.rxn --vary k=2:1:3", "ascend"},
        Case{"scan decay.rxn --vary k=0:1:3:log", "above zero"}}) {
    ProgramRun run = scratch.stiffit(words);
    EXPECT_EQ(run.exit_code, 2) << words;
    EXPECT_NE(run.messages.find(says), std::string::npos) << run.messages;
  }
}

}  // namespace
}  // namespace stiffit::internal
