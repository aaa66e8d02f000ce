// `stiffit ensemble PROBLEM`, as a person or a script runs it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "program_run.h"

using namespace stiffit::internal;

namespace {

// [row][column] of a table with a header, by the names in its first column.
std::map<std::string, std::map<std::string, std::string>> table(const std::string& text,
                                                                char separator) {
  std::map<std::string, std::map<std::string, std::string>> result;
  std::istringstream lines(text);
  std::vector<std::string> header;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, separator);) cells.push_back(part);
    if (header.empty())
      header = cells;
    else
      for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i)
        result[cells[0]][header[i]] = cells[i];
  }
  return result;
}

// A -> B with rate k, B measured with known noise, and a species C that nobody measures.
void write_problem(const Scratch& scratch) {
  scratch.write("m.rxn", "J1: A -> B; k*A\nJ2: B -> C; r*B\nA = 2; B = 0; C = 0; k = 1; r = 0.2\n");
  scratch.write("d.csv",
                "time,B,sd(B)\n0.5,0.43,0.05\n1,0.74,0.05\n1.5,0.90,0.05\n2,1.05,0.05\n"
                "3,1.12,0.05\n4,1.10,0.05\n6,0.91,0.05\n8,0.72,0.05\n");
}
const std::string problem = "m.rxn --data d.csv --estimate k=1:0.01:100,r=0.1:0.001:10 ";

TEST(ProgramPosterior, IntervalsAgreeWithProfilesAndBandsCoverTheUnmeasured) {
  Scratch scratch;
  write_problem(scratch);
  const ProgramRun run =
      scratch.stiffit("ensemble " + problem + "--samples 6000 --points 8 --band-samples 200 -o e");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  ASSERT_EQ(scratch.stiffit("profile " + problem + "-o p").exit_code, 0);
  auto ensemble = table(scratch.read("e/intervals.tsv"), '\t');
  auto profile = table(scratch.read("p/intervals.tsv"), '\t');
  ASSERT_EQ(ensemble.size(), 2u);
  for (auto& [name, row] : ensemble) {
    EXPECT_LT(std::stod(row["r_hat"]), 1.05) << name;
    const double low = std::log(std::stod(profile[name]["low"]));
    const double high = std::log(std::stod(profile[name]["high"]));
    EXPECT_NEAR(std::log(std::stod(row["low"])), low, 0.1 * (high - low)) << name;
    EXPECT_NEAR(std::log(std::stod(row["high"])), high, 0.1 * (high - low)) << name;
  }
  const std::string bands = scratch.read("e/bands.csv");
  EXPECT_TRUE(has(bands, ",C,no,")) << bands;
  EXPECT_TRUE(has(bands, ",B,yes,")) << bands;
  // A(8) = 2 exp(-8 k): the band must be where the interval of k is.
  std::istringstream lines(bands);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (has(line, ",A,")) last = line;
  std::istringstream cells(last);
  std::vector<std::string> cell;
  for (std::string part; std::getline(cells, part, ',');) cell.push_back(part);
  const double low = std::stod(cell.at(6)), high = std::stod(cell.at(10));
  EXPECT_NEAR(low, 2 * std::exp(-8 * std::stod(ensemble["k"]["high"])), 0.15 * low);
  EXPECT_NEAR(high, 2 * std::exp(-8 * std::stod(ensemble["k"]["low"])), 0.15 * high);
}

// Rates that no measurement has in common are sampled apart, with the same answer.
TEST(ProgramPosterior, IndependentUnknownsHaveTheirOwnChains) {
  Scratch scratch;
  scratch.write("m.rxn",
                "J1: A -> B; k*A\nJ2: C -> D; q*C\nA = 2; B = 0; C = 1; D = 0; k = 1; q = 0.2\n");
  scratch.write("d.csv",
                "time,B,sd(B),D,sd(D)\n0.5,0.75,0.05,0.11,0.02\n1,1.24,0.05,0.17,0.02\n"
                "2,1.75,0.05,0.34,0.02\n3,1.88,0.05,0.44,0.02\n4,1.99,0.05,0.56,0.02\n");
  const std::string command = " m.rxn --data d.csv --estimate k=1:0.01:100,q=0.1:0.001:10 ";
  const ProgramRun run =
      scratch.stiffit("ensemble" + command + "--samples 4000 --points 2 --band-samples 50 -o e");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(scratch.read("e/result.json"), "\"parts\":[1,1]"));
  ASSERT_EQ(scratch.stiffit("profile" + command + "-o p").exit_code, 0);
  auto ensemble = table(scratch.read("e/intervals.tsv"), '\t');
  auto profile = table(scratch.read("p/intervals.tsv"), '\t');
  for (const std::string name : {"k", "q"}) {
    const double low = std::log(std::stod(profile[name]["low"]));
    const double high = std::log(std::stod(profile[name]["high"]));
    EXPECT_NEAR(std::log(std::stod(ensemble[name]["low"])), low, 0.1 * (high - low)) << name;
    EXPECT_NEAR(std::log(std::stod(ensemble[name]["high"])), high, 0.1 * (high - low)) << name;
  }
  // One measurement of both joins them.
  scratch.write("d.csv",
                "time,B,sd(B),D,sd(D),both,sd(both)\n0.5,0.75,0.05,0.11,0.02,0.86,0.1\n"
                "1,1.24,0.05,0.17,0.02,,\n2,1.75,0.05,0.34,0.02,,\n");
  const ProgramRun joined = scratch.stiffit("ensemble" + command +
                                            "--observe \"both = B + D\" --samples 4000 --points 2 "
                                            "--band-samples 50 -o j");
  ASSERT_EQ(joined.exit_code, 0) << joined.messages;
  EXPECT_TRUE(has(scratch.read("j/result.json"), "\"parts\":[2]"));
}

// A -> B -> C seen through s*B has two answers: with the rates exchanged B(t) is the same up to a
// factor, which s takes up. Both are told, the one of the best fit in the columns.
TEST(ProgramPosterior, SeparatePlacesAreToldApart) {
  Scratch scratch;
  scratch.write("m.rxn", "A -> B; a\nB -> C; b\nA = 2; B = 0; C = 0; a = 1; b = 0.2\n");
  scratch.write("d.csv",
                "time,Y,sd(Y)\n0.5,0.75,0.02\n1,1.11,0.02\n1.5,1.26,0.02\n2,1.32,0.02\n"
                "3,1.24,0.02\n4,1.08,0.02\n6,0.75,0.02\n8,0.50,0.02\n");
  const std::string command =
      "ensemble m.rxn --data d.csv --observe 'Y = s*B' --estimate "
      "a=1:0.01:100,b=0.2:0.01:100,s=1:0.01:100 --samples 8000 --points 2 --band-samples 20 ";
  const ProgramRun run = scratch.stiffit(command + "-o e");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  auto rows = table(scratch.read("e/intervals.tsv"), '\t');
  const double a = std::stod(rows["a"]["best"]), b = std::stod(rows["b"]["best"]);
  for (auto& [name, row] : rows) {
    SCOPED_TRACE(name);
    auto number = [&](const char* column) { return std::stod(row[column]); };
    // Both have the same likelihood, and nearly the same width: half each.
    EXPECT_NEAR(number("share"), 0.5, 0.1);
    EXPECT_LT(number("low"), number("best"));
    EXPECT_GT(number("high"), number("best"));
    EXPECT_LT(number("high"), 1.5 * number("low"));
    if (name == "s") continue;
    const double other = name == "a" ? b : a;
    EXPECT_TRUE(other < number("low") || other > number("high"));
    EXPECT_LT(number("low_all"), std::min(a, b));
    EXPECT_GT(number("high_all"), std::max(a, b));
  }
  const std::string json = scratch.read("e/result.json");
  EXPECT_TRUE(has(json, "\"other_places\":[{\"share\":0.")) << json;
  EXPECT_TRUE(has(json, "more than one answer fits these data, each with values of its own of a"))
      << json;
  EXPECT_FALSE(has(json, "\"determined by these data")) << json;
  const ProgramRun text = scratch.stiffit(command);
  EXPECT_TRUE(has(text.out, "the draws lie in separate places")) << text.out;
  EXPECT_TRUE(has(text.out, "elsewhere, ")) << text.out;
}

// The same with A seen once, dimly: the rates as they are fit better than the rates exchanged,
// where the only start ends. The exploratory chains come across, and the fit follows them.
TEST(ProgramPosterior, ABetterPlaceReplacesTheBestFit) {
  Scratch scratch;
  scratch.write("m.rxn", "A -> B; a\nB -> C; b\nA = 2; B = 0; C = 0; a = 0.2; b = 1\n");
  scratch.write("d.csv",
                "time,Y,sd(Y),A,sd(A)\n0.5,0.75,0.02,,\n1,1.11,0.02,0.74,0.4\n1.5,1.26,0.02,,\n"
                "2,1.32,0.02,,\n3,1.24,0.02,,\n4,1.08,0.02,,\n6,0.75,0.02,,\n8,0.50,0.02,,\n");
  const std::string both =
      " m.rxn --data d.csv --observe 'Y = s*B' --estimate "
      "a=0.2:0.01:100,b=1:0.01:100,s=5:0.01:100 --starts 1 ";
  auto number = [](const std::string& json, const std::string& key) {
    const std::size_t at = json.find(key);
    return at == std::string::npos ? NAN : std::atof(json.c_str() + at + key.size());
  };
  ASSERT_EQ(scratch.stiffit("fit" + both + "--profiles no -o f").exit_code, 0);
  const double worse = number(scratch.read("f/result.json"), "\"objective\":");
  const std::string command = "ensemble" + both + "--samples 8000 --points 2 --band-samples 20 ";
  const ProgramRun run = scratch.stiffit(command + "-o e");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const std::string json = scratch.read("e/result.json");
  const double best = number(json, "\"best_fit\":{\"objective\":");
  EXPECT_NEAR(number(json, "\"instead_of\":"), worse, 1e-6 * std::fabs(worse));
  EXPECT_NEAR(worse - best, 0.5 * std::pow(2.3, 2), 0.5);
  EXPECT_TRUE(has(run.messages, "the ensemble has found a better fit than the starts: objective "))
      << run.messages;
  auto rows = table(scratch.read("e/intervals.tsv"), '\t');
  EXPECT_NEAR(std::stod(rows["a"]["best"]), 1, 0.1);
  EXPECT_NEAR(std::stod(rows["b"]["best"]), 0.2, 0.02);
  EXPECT_GT(std::stod(rows["a"]["share"]), 0.8);
  // A finished run that is gone on with finds the same again.
  const ProgramRun again = scratch.stiffit(command + "-o e --resume");
  EXPECT_EQ(again.exit_code, 0) << again.messages;
  EXPECT_EQ(scratch.read("e/result.json"), json);
}

TEST(ProgramPosterior, TooFewDrawsAreNotCalledDone) {
  Scratch scratch;
  write_problem(scratch);
  const std::string command = "ensemble " + problem + "--points 2 --band-samples 20 -o e ";
  ProgramRun run = scratch.stiffit(command + "--samples 80 --threads 1");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(has(run.messages, "has not converged")) << run.messages;
  EXPECT_TRUE(has(run.messages, "effective samples")) << run.messages;
  EXPECT_TRUE(has(scratch.read("e/result.json"), "\"converged\":false"));
  // More of the same goes on, and ends where a run in one piece does.
  run = scratch.stiffit(command + "--samples 6000 --resume --threads 3");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  run = scratch.stiffit("ensemble " + problem +
                        "--points 2 --band-samples 20 -o whole --samples 6000");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(scratch.read("e/draws.csv"), scratch.read("whole/draws.csv"));
  EXPECT_EQ(scratch.read("e/bands.csv"), scratch.read("whole/bands.csv"));
}

TEST(ProgramPosterior, OtherSamplersAgree) {
  Scratch scratch;
  write_problem(scratch);
  std::map<std::string, double> high;
  for (const std::string sampler : {"adaptive", "tempered", "langevin"}) {
    const ProgramRun run =
        scratch.stiffit("ensemble " + problem + "--points 1 --band-samples 8 " +
                        "--samples 4000 --sampler " + sampler + " -o " + sampler);
    ASSERT_EQ(run.exit_code, 0) << run.messages;
    high[sampler] = std::stod(table(scratch.read(sampler + "/intervals.tsv"), '\t')["k"]["high"]);
  }
  EXPECT_NEAR(high["tempered"], high["adaptive"], 0.03 * high["adaptive"]);
  EXPECT_NEAR(high["langevin"], high["adaptive"], 0.03 * high["adaptive"]);
}

TEST(ProgramPosterior, MistakesOfTheCommandLine) {
  Scratch scratch;
  write_problem(scratch);
  auto code = [&](const std::string& more) {
    return scratch.stiffit("ensemble " + problem + more).exit_code;
  };
  EXPECT_EQ(code("--sampler nuts"), 2);
  EXPECT_EQ(code("--chains 1"), 2);
  EXPECT_EQ(code("--temperatures 3"), 2);
  EXPECT_EQ(code("--sample \"k=uniform(1,2)\""), 2);
  EXPECT_EQ(code("--resume"), 2);
  EXPECT_EQ(scratch.stiffit("ensemble m.rxn").exit_code, 2);
}

}  // namespace
