// `stiffit scan` and `stiffit ensemble`, as a person runs them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

#include "program_run.h"

namespace stiffit {
namespace {

std::vector<std::vector<double>> rows_of(const std::string& csv) {
  std::vector<std::vector<double>> rows;
  std::istringstream in(csv);
  std::string line, cell;
  std::getline(in, line);
  while (std::getline(in, line)) {
    rows.emplace_back();
    std::istringstream cells(line);
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

const char* decay = "decay: A -> B; k*A\nA = 2; B = 0; k = 0.5\n";

TEST(Scan, IsAGridOfSimulations) {
  Scratch scratch;
  scratch.write("decay.ant", decay);
  ProgramRun run = scratch.stiffit("scan decay.ant --vary A=1:2:2 --vary k=0.1:10:3:log --end 1");
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
  scratch.write("burst.ant", "x' = a*x^2\nx = 1; a = 0\n");
  ProgramRun run = scratch.stiffit("scan burst.ant --vary a=-1:2:4 --end 1");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.messages.find("a = 2"), std::string::npos) << run.messages;
  const auto rows = rows_of(run.out);
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_NEAR(rows[1][2], 0.5, 1e-5);
  EXPECT_TRUE(std::isnan(rows[7][2]));
}

TEST(Ensemble, BandsAreThoseOfTheDistribution) {
  Scratch scratch;
  scratch.write("decay.ant", decay);
  ProgramRun run = scratch.stiffit(
      "ensemble decay.ant --sample 'A=normal(2,0.1)' --samples 4000 --points 2 --end 2 --show A");
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
  scratch.write("decay.ant", decay);
  const std::string words =
      "ensemble decay.ant --sample 'k=lognormal(0.5,0.3)' --samples 3000 --points 3 --end 2 ";
  const ProgramRun one = scratch.stiffit(words + "--threads 1");
  EXPECT_EQ(one.out, scratch.stiffit(words + "--threads 3").out);
  EXPECT_NE(one.out, scratch.stiffit(words + "--seed 2").out);
}

TEST(Ensemble, WritesItsFolderAndNamesWhatFailed) {
  Scratch scratch;
  scratch.write("burst.ant", "x' = a*x^2\nx = 1; a = 0\n");
  ProgramRun run =
      scratch.stiffit("ensemble burst.ant --sample 'a=uniform(-1,2)' --samples 300 --end 1 -o out");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_NE(run.messages.find("samples failed"), std::string::npos) << run.messages;
  EXPECT_TRUE(scratch.exists("out/bands.csv"));
  EXPECT_TRUE(scratch.read("out/failures.csv").starts_with("sample,a,reason\n"));
  EXPECT_NE(scratch.read("out/result.json").find("\"seed\":1"), std::string::npos);
}

TEST(Ensemble, BadOptionsAreNamed) {
  Scratch scratch;
  scratch.write("decay.ant", decay);
  struct Case {
    const char *words, *says;
  };
  for (auto [words, says] :
       {Case{"ensemble decay.ant", "--sample"}, Case{"ensemble decay.ant --sample k", "name="},
        Case{"ensemble decay.ant --sample 'k=gauss(1,2)'", "gauss"},
        Case{"ensemble decay.ant --sample 'kk=normal(1,2)'", "did you mean 'k'"},
        Case{"scan decay.ant", "--vary"}, Case{"scan decay.ant --vary k=1:2", "three numbers"},
        Case{"scan decay.ant --vary k=2:1:3", "ascend"},
        Case{"scan decay.ant --vary k=0:1:3:log", "above zero"}}) {
    ProgramRun run = scratch.stiffit(words);
    EXPECT_EQ(run.exit_code, 2) << words;
    EXPECT_NE(run.messages.find(says), std::string::npos) << run.messages;
  }
}

}  // namespace
}  // namespace stiffit
