// `stiffit fit` and `stiffit profile` as a person or a script runs them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "places.h"
#include "program_run.h"

using namespace stiffit::internal;

namespace {

// A -> B with rate k, B measured with an offset-free noise; made from k = 0.5.
const char* const model = "J1: A -> B; k*A\nA = 2; B = 0; k = 1\n";
const char* const data =
    "time,B\n0.5,0.46\n1,0.77\n1.5,1.07\n2,1.25\n3,1.56\n4,1.71\n6,1.91\n8,1.95\n";
const char* const fit = "fit decay.rxn --data data.csv --estimate k=3:0.001:100 ";

void write_problem(const Scratch& scratch) {
  scratch.write("decay.rxn", model);
  scratch.write("data.csv", data);
}

// The cell of a tab-separated table.
std::string cell(const std::string& text, const std::string& row, const std::string& column) {
  std::istringstream lines(text);
  std::vector<std::string> header;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\t');) cells.push_back(part);
    if (header.empty()) {
      header = cells;
      continue;
    }
    if (cells.at(0) != row) continue;
    for (std::size_t i = 0; i < header.size(); ++i)
      if (header[i] == column) return cells.at(i);
  }
  return "(none)";
}

TEST(ProgramFit, PrintsParametersAndVerdicts) {
  Scratch scratch;
  write_problem(scratch);
  ProgramRun run = scratch.stiffit(fit);
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.out, "parameter")) << run.out;
  EXPECT_TRUE(has(run.out, "determined, within")) << run.out;
  EXPECT_TRUE(has(run.out, "noise of unknown size")) << run.out;
}

// B = 2 (1 - exp(-k t)): the estimate and its error, from the sums of squares by hand (a scan
// here).
TEST(ProgramFit, EstimateAndStandardErrorAreThoseOfLeastSquares) {
  Scratch scratch;
  write_problem(scratch);
  ProgramRun run = scratch.stiffit(std::string(fit) + "-o out --rtol 1e-10");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const double t[]{0.5, 1, 1.5, 2, 3, 4, 6, 8}, y[]{0.46, 0.77, 1.07, 1.25, 1.56, 1.71, 1.91, 1.95};
  auto sum = [&](double k) {
    double s = 0;
    for (int i = 0; i < 8; ++i) s += std::pow(2 * (1 - std::exp(-k * t[i])) - y[i], 2);
    return s;
  };
  double k = 0.5;
  for (double step = 0.1; step > 1e-9; step /= 2)
    while (true) {
      if (sum(k + step) < sum(k))
        k += step;
      else if (sum(k - step) < sum(k))
        k -= step;
      else
        break;
    }
  double information = 0;
  for (double time : t) information += std::pow(2 * time * std::exp(-k * time), 2);
  std::string table = scratch.read("out/parameters.tsv");
  EXPECT_NEAR(std::stod(cell(table, "k", "estimate")), k, 1e-5 * k);
  double error = std::sqrt(sum(k) / 7 / information);
  EXPECT_NEAR(std::stod(cell(table, "k", "standard_error")), error, 1e-3 * error);
  for (const char* name : {"out/result.json", "out/starts.tsv", "out/simulations.tsv",
                           "out/result.hdf5", "out/timings.json"})
    EXPECT_TRUE(scratch.exists(name)) << name;
  EXPECT_FALSE(has(scratch.read("out/result.json"), "seconds"));
}

TEST(ProgramFit, SameAnswerForAnyThreadsAndSeedsReproduce) {
  Scratch scratch;
  write_problem(scratch);
  ASSERT_EQ(scratch.stiffit(std::string(fit) + "--starts 6 --threads 1 -o a").exit_code, 0);
  ASSERT_EQ(scratch.stiffit(std::string(fit) + "--starts 6 --threads 4 -o b").exit_code, 0);
  ASSERT_EQ(scratch.stiffit(std::string(fit) + "--starts 6 --seed 2 -o c").exit_code, 0);
  EXPECT_EQ(scratch.read("a/result.json"), scratch.read("b/result.json"));
  EXPECT_EQ(scratch.read("a/starts.tsv"), scratch.read("b/starts.tsv"));
  EXPECT_NE(scratch.read("a/starts.tsv"), scratch.read("c/starts.tsv"));
}

TEST(ProgramFit, KilledRunsGoOnToTheSameResult) {
  Scratch scratch;
  write_problem(scratch);
  const std::string many = std::string(fit) + "--starts 60 --screen 3 ";
  ASSERT_EQ(scratch.stiffit(many + "-o whole").exit_code, 0);
  // Sooner and sooner, until it is killed before it is done.
  bool killed = false;
  for (const char* after : {"0.15", "0.08", "0.04", "0.02"}) {
    std::filesystem::remove_all(scratch.folder() + "/part");
    const ProgramRun run =
        scratch.stiffit(many + "-o part", std::string("timeout -s KILL ") + after);
    killed = run.exit_code != 0;
    if (killed) break;
  }
  ASSERT_TRUE(killed);
  scratch.stiffit(many + "-o part --resume", "timeout -s INT 0.15");
  ProgramRun last = scratch.stiffit(many + "-o part --resume");
  if (last.exit_code == 1)  // killed before it had begun
    last = scratch.stiffit(many + "-o part");
  ASSERT_EQ(last.exit_code, 0) << last.messages;
  EXPECT_EQ(scratch.read("part/result.json"), scratch.read("whole/result.json"));
  EXPECT_EQ(scratch.read("part/starts.tsv"), scratch.read("whole/starts.tsv"));
}

// The best scale is 1; its bound holds the rate back, with projection as without.
TEST(ProgramFit, AScaleAtItsBound) {
  Scratch scratch;
  write_problem(scratch);
  scratch.write("scaled.csv", "time,y" + std::string(data).substr(6));
  const std::string bounded =
      "fit decay.rxn --data scaled.csv --observe 'y = s*B' --estimate "
      "k=3:0.001:100,s=0.5:0.1:0.8 --start-from random --starts 3 ";
  ASSERT_EQ(scratch.stiffit(bounded + "-o with").exit_code, 0);
  ASSERT_EQ(scratch.stiffit(bounded + "--projection no -o without").exit_code, 0);
  const std::string with = scratch.read("with/parameters.tsv");
  const std::string without = scratch.read("without/parameters.tsv");
  EXPECT_NEAR(std::stod(cell(with, "s", "estimate")), 0.8, 1e-6);
  const double k = std::stod(cell(without, "k", "estimate"));
  EXPECT_NEAR(std::stod(cell(with, "k", "estimate")), k, 1e-4 * k);
}

// Fitted from the beginning on, every start gets in step with an oscillation; in whatever order
// they run.
TEST(ProgramFit, OscillationsAreFittedFromTheirBeginning) {
  Scratch scratch;
  scratch.write("sine.rxn", "x' = w*y\ny' = -w*x\nx = 0; y = 1; w = 1\n");
  std::ostringstream table;
  table << "time,x\n";
  for (double t = 0.25; t <= 20; t += 0.25) table << t << ',' << std::sin(2.3 * t) << '\n';
  scratch.write("sine.csv", table.str());
  const std::string search =
      "fit sine.rxn --data sine.csv --estimate w=1:0.3:6 --start-from random --starts 3 "
      "--screen 12 ";
  ASSERT_EQ(scratch.stiffit(search + "--threads 1 -o a").exit_code, 0);
  ASSERT_EQ(scratch.stiffit(search + "--threads 3 -o b").exit_code, 0);
  EXPECT_EQ(scratch.read("a/result.json"), scratch.read("b/result.json"));
  for (const char* start : {"1", "2", "3"})
    EXPECT_NEAR(std::stod(cell(scratch.read("a/starts.tsv"), start, "w")), 2.3, 1e-4) << start;
  EXPECT_EQ(scratch.stiffit(search + "--growing maybe").exit_code, 2);
}

TEST(ProgramFit, RefusesToMixRuns) {
  Scratch scratch;
  write_problem(scratch);
  ASSERT_EQ(scratch.stiffit(std::string(fit) + "-o out").exit_code, 0);
  ProgramRun run = scratch.stiffit(std::string(fit) + "-o out");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(has(run.messages, "holds a run already")) << run.messages;
  run = scratch.stiffit(std::string(fit) + "-o out --resume --seed 7");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(has(run.messages, "seed: was 1, now 7")) << run.messages;
  scratch.write("data.csv", std::string(data) + "10,1.98\n");
  run = scratch.stiffit(std::string(fit) + "-o out --resume");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(has(run.messages, "input data.csv: was ")) << run.messages;
  run = scratch.stiffit(std::string(fit) + "--resume");
  EXPECT_EQ(run.exit_code, 2);
  run = scratch.stiffit(std::string(fit) + "-o empty --resume");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(has(run.messages, "no run")) << run.messages;
}

TEST(ProgramFit, StartsFromAFormerResult) {
  Scratch scratch;
  write_problem(scratch);
  ASSERT_EQ(scratch.stiffit(std::string(fit) + "-o out").exit_code, 0);
  ProgramRun run = scratch.stiffit(std::string(fit) + "--start-from out/parameters.tsv -o again");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_LE(std::stol(cell(scratch.read("again/starts.tsv"), "1", "iterations")), 1);
}

TEST(ProgramFit, GaussNewtonReachesTheSame) {
  Scratch scratch;
  write_problem(scratch);
  ASSERT_EQ(scratch.stiffit(std::string(fit) + "-o a").exit_code, 0);
  ProgramRun run = scratch.stiffit(std::string(fit) + "--method gauss-newton -o b");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_NEAR(std::stod(cell(scratch.read("a/parameters.tsv"), "k", "estimate")),
              std::stod(cell(scratch.read("b/parameters.tsv"), "k", "estimate")), 1e-4);
}

// The bundled enzyme model and the table of docs/fitting.md, without a single derivative on the
// way.
TEST(ProgramFit, NelderMeadReachesTheSame) {
  Scratch scratch;
  scratch.write("curve.csv",
                "time,P\n0,0.004\n100,0.181\n200,0.343\n400,0.607\n700,0.863\n1100,0.971\n");
  const std::string enzyme = "fit escep --data curve.csv --estimate k1=1,k2=0.1 ";
  ASSERT_EQ(scratch.stiffit(enzyme + "-o a").exit_code, 0);
  const ProgramRun run = scratch.stiffit(enzyme + "--method nelder-mead -o b");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  for (const char* k : {"k1", "k2"}) {
    const double expected = std::stod(cell(scratch.read("a/parameters.tsv"), k, "estimate"));
    EXPECT_NEAR(std::stod(cell(scratch.read("b/parameters.tsv"), k, "estimate")) / expected, 1,
                1e-4)
        << k;
  }
  EXPECT_EQ(cell(scratch.read("b/starts.tsv"), "1", "outcome"), "converged");
  EXPECT_EQ(cell(scratch.read("b/starts.tsv"), "1", "gradients"), "1");
}

TEST(ProgramFit, MistakesOfTheCommandLine) {
  Scratch scratch;
  write_problem(scratch);
  ProgramRun run = scratch.stiffit(std::string(fit) + "--method trustregion");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(has(run.messages, "did you mean 'trust-region'?")) << run.messages;
  run = scratch.stiffit(std::string(fit) + "--offspring 50");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(has(run.messages, "is for populations, not for trust-region")) << run.messages;
  run = scratch.stiffit(std::string(fit) + "--method evolution --parents 200");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(has(run.messages, "at least --parents")) << run.messages;
  EXPECT_EQ(scratch.stiffit(std::string(fit) + "--method cma-es --selection plus").exit_code, 2);
  EXPECT_EQ(scratch.stiffit(std::string(fit) + "--seed 1.5").exit_code, 2);
  EXPECT_EQ(scratch.stiffit("fit decay.rxn").exit_code, 2);
}

TEST(ProgramFit, AModelThatCannotBeEvaluatedAtItsStart) {
  Scratch scratch;
  scratch.write("blow.rxn", "x' = k*x*x; x = 1; k = 1\n");
  scratch.write("data.csv", "time,x\n1,1\n2,1.2\n");
  ProgramRun run = scratch.stiffit("fit blow.rxn --data data.csv --estimate k=1:0.9:10");
  EXPECT_EQ(run.exit_code, 3) << run.out << run.messages;
  EXPECT_TRUE(has(run.messages, "could not be evaluated at any start")) << run.messages;
}

TEST(ProgramProfile, IntervalsContainTheLinearOnes) {
  Scratch scratch;
  write_problem(scratch);
  const std::string profile = "profile decay.rxn --data data.csv --estimate k=0.5:0.001:100 ";
  ProgramRun run = scratch.stiffit(profile);
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.out, "determined: 0.")) << run.out;
  ASSERT_EQ(scratch.stiffit(profile + "-o out").exit_code, 0);
  ASSERT_EQ(
      scratch.stiffit("fit decay.rxn --data data.csv --estimate k=0.5:0.001:100 -o out").exit_code,
      0);  // one folder holds both
  double low = std::stod(cell(scratch.read("out/intervals.tsv"), "k", "low"));
  double linear = std::stod(cell(scratch.read("out/parameters.tsv"), "k", "limit_low"));
  EXPECT_NEAR(low, linear, 0.01 * linear);
  EXPECT_EQ(cell(scratch.read("out/intervals.tsv"), "k", "high_stop"), "threshold");
  for (const char* name : {"out/profile.json", "out/profiles.tsv", "out/profile.hdf5"})
    EXPECT_TRUE(scratch.exists(name)) << name;
}

TEST(ProgramProfile, ResumesToTheSame) {
  Scratch scratch;
  write_problem(scratch);
  const std::string profile =
      "profile decay.rxn --data data.csv --estimate k=0.5:0.001:100,A=2:0.1:10 ";
  ASSERT_EQ(scratch.stiffit(profile + "-o whole").exit_code, 0);
  scratch.stiffit(profile + "-o part", "timeout -s KILL 0.1");
  ProgramRun last = scratch.stiffit(profile + "-o part --resume");
  if (last.exit_code == 1) last = scratch.stiffit(profile + "-o part");
  ASSERT_EQ(last.exit_code, 0) << last.messages;
  EXPECT_EQ(scratch.read("part/profile.json"), scratch.read("whole/profile.json"));
  ProgramRun wrong = scratch.stiffit(profile + "--parameters kk");
  EXPECT_EQ(wrong.exit_code, 2);
}

// The identification experiment with the Lotka model: 20 sets of noisy data, both weightings.
class Lotka : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(reference_path("lotka_ident_data.csv"));
    ASSERT_TRUE(file);
    for (std::string line; std::getline(file, line);) {
      rows_.emplace_back();
      std::istringstream cells(line);
      for (std::string c; std::getline(cells, c, ',');) rows_.back().push_back(c);
    }
  }
  // Seed 0: without noise.
  void write(const Scratch& scratch, std::size_t seed, bool weighted) const {
    std::string text = weighted ? "time,x4,sd(x4)\n" : "time,x4\n";
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      const std::string& y = rows_[i].at(1 + seed);
      text += rows_[i][0] + "," + y + (weighted ? "," + y : "") + "\n";
    }
    scratch.write("data.csv", text);
  }
  static constexpr const char* command_ =
      "fit lotka --data data.csv --estimate k1=0.5:0.001:100,k2=0.7:0.001:100,k3=0.4:0.001:100 ";
  std::vector<std::vector<std::string>> rows_;
};

TEST_F(Lotka, TheTrueBasinIsReachedForAllSeedsAndBothWeightings) {
  for (std::size_t seed = 1; seed <= 20; ++seed)
    for (bool weighted : {false, true}) {
      Scratch scratch;
      write(scratch, seed, weighted);
      ProgramRun run = scratch.stiffit(std::string(command_) +
                                       "-o out --threads 1 --rivals 0 --limits-time 0 --advice no");
      ASSERT_EQ(run.exit_code, 0) << seed << run.messages;
      std::string table = scratch.read("out/parameters.tsv");
      // The false minimum has k1 near 3 and k3 near 1.5.
      EXPECT_LT(std::stod(cell(table, "k3", "estimate")), 0.3) << seed << weighted;
      EXPECT_LT(std::stod(cell(table, "k1", "estimate")), 2) << seed << weighted;
    }
}

// Noise may make the false minimum the deeper one. The search for others finds it, and what is said
// holds in both: the limits are those of profiles around both, and contain the truth. (The noise is
// relative, which these fits do not know: of sets 1 and 4 the true basin is beyond the threshold,
// of set 2 the true k3 is, by 3 %, and there as elsewhere the fit says first that the model does
// not describe the data.)
TEST_F(Lotka, WhereTheFalseMinimumIsDeeperTheLimitsContainTheTruth) {
  const std::map<std::string, double> truth{{"k1", 1}, {"k2", 1.5}, {"k3", 0.1}};
  for (std::size_t seed : {1, 2, 4, 6, 20}) {
    Scratch scratch;
    write(scratch, seed, false);
    ProgramRun run = scratch.stiffit(std::string(command_) + "-o out --advice no");
    ASSERT_EQ(run.exit_code, 0) << seed << run.messages;
    const std::string table = scratch.read("out/parameters.tsv");
    EXPECT_GT(std::stod(cell(table, "k3", "estimate")), 1) << seed;  // the false one
    EXPECT_TRUE(has(scratch.read("out/result.json"), "the model does not describe these data"));
    if (seed == 1 || seed == 4) continue;
    const std::string profile = "profile" + std::string(command_).substr(3) + "-o profiles";
    ASSERT_EQ(scratch.stiffit(profile).exit_code, 0) << seed;
    const std::string intervals = scratch.read("profiles/intervals.tsv");
    for (auto& [name, value] : truth) {
      const double low = std::stod(cell(table, name, "limit_low"));
      const double high = std::stod(cell(table, name, "limit_high"));
      EXPECT_NEAR(low / std::stod(cell(intervals, name, "low")), 1, 0.01) << seed << table;
      EXPECT_NEAR(high / std::stod(cell(intervals, name, "high")), 1, 0.01) << seed << table;
      EXPECT_NE(cell(table, name, "determination"), "determined") << seed << table;
      if (seed == 2 && name == "k3") continue;
      EXPECT_LE(low, value) << seed << table;
      EXPECT_GE(high, value) << seed << table;
    }
    EXPECT_TRUE(has(scratch.read("out/result.json"), "another minimum fits these data as well"));
  }
}

TEST_F(Lotka, WithoutNoiseTheTruthIsFoundAndTheCorrelationSaid) {
  Scratch scratch;
  write(scratch, 0, false);
  ProgramRun run = scratch.stiffit(std::string(command_) + "--rtol 1e-10");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.out, "k1 and k2 are strongly correlated (r = -0.9966)")) << run.out;
}

TEST_F(Lotka, TheFalseMinimumIsReportedWhenStartsFindIt) {
  Scratch scratch;
  write(scratch, 3, false);
  ProgramRun run = scratch.stiffit(std::string(command_) + "--starts 12 --screen 1 -o out");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  std::string table = scratch.read("out/parameters.tsv");  // of the best, by reference
  EXPECT_NEAR(std::stod(cell(table, "k1", "estimate")), 1.06908, 2e-4);
  EXPECT_NEAR(std::stod(cell(table, "k3", "estimate")), 0.101712, 2e-5);
  EXPECT_TRUE(has(scratch.read("out/result.json"), "\"k1\":2.928"))
      << scratch.read("out/starts.tsv");
}

}  // namespace
