// Fits by populations, as a person or a script runs them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "places.h"
#include "program_run.h"
#include "sanitized.h"

using namespace stiffit::internal;

namespace {

// Estimates by name, from parameters.tsv.
std::map<std::string, double> estimates(const std::string& table) {
  std::map<std::string, double> result;
  std::istringstream lines(table);
  std::string line, name;
  std::getline(lines, line);
  std::istringstream header(line);
  int column = 0;
  for (std::string cell; std::getline(header, cell, '\t') && cell != "estimate";) ++column;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (int k = 0; std::getline(cells, cell, '\t'); ++k) {
      if (k == 0) name = cell;
      if (k == column) result[name] = std::stod(cell);
    }
  }
  return result;
}

double number_after(const std::string& text, const std::string& key) {
  const auto at = text.find(key);
  return at == std::string::npos ? std::nan("") : std::stod(text.substr(at + key.size()));
}

const char* const populations[] = {"evolution", "cma-es", "differential-evolution"};

TEST(ProgramGlobalFit, PopulationsFindWhatDescentsFind) {
  Scratch scratch;
  scratch.write("m.rxn", "J1: A -> B; k*A\nJ2: B -> A; r*B\nA = 2; B = 0; k = 1; r = 1\n");
  scratch.write("d.csv",
                "time,B\n0.5,0.46\n1,0.77\n1.5,1.07\n2,1.25\n3,1.56\n4,1.61\n6,1.71\n8,1.75\n");
  const std::string fit = "fit m.rxn --data d.csv --estimate k=3:0.001:100,r=1:0.001:100 ";
  ASSERT_EQ(scratch.stiffit(fit + "-o down").exit_code, 0);
  const auto expected = estimates(scratch.read("down/parameters.tsv"));
  for (const std::string method : populations) {
    SCOPED_TRACE(method);
    const std::string command =
        fit + "--generations 60 --method " + method + " --descent no --start-from random ";
    ProgramRun run = scratch.stiffit(command + "--starts 2 --threads 1 -o " + method);
    ASSERT_EQ(run.exit_code, 0) << run.messages;
    for (auto& [name, value] : estimates(scratch.read(method + "/parameters.tsv")))
      EXPECT_NEAR(value, expected.at(name), 5e-2 * value) << name;
    ASSERT_EQ(scratch.stiffit(command + "--starts 2 --threads 3 -o again_" + method).exit_code, 0);
    EXPECT_EQ(scratch.read(method + "/result.json"),
              scratch.read("again_" + method + "/result.json"));
    run = scratch.stiffit(command + "--starts 2 -o " + method + " --resume");
    EXPECT_EQ(run.exit_code, 0) << run.messages;
  }
  const ProgramRun run =
      scratch.stiffit(fit + "--method evolution --generations 3 --start-from random --starts 1");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.out, "converged")) << run.out;  // by the descent at the end
}

// Yu's appendix B on the reference data: one, two and six unknown rates of the water model.
TEST(ProgramGlobalFit, WaterRatesByEvolution) {
  const std::string file = reference_path("yu_es_data_seed1.csv");
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  Scratch scratch;
  scratch.write("w.csv", "time" + text.str().substr(1));
  auto fit = [&](const std::vector<std::string>& names, const std::string& more,
                 const std::string& folder) {
    std::string estimate;
    for (const std::string& name : names)
      estimate += (estimate.empty() ? "" : ",") + name + "=1.5:0:50:lin";
    const ProgramRun run =
        scratch.stiffit("fit water-nonstiff --data w.csv --estimate " + estimate +
                        " --method evolution --spread 1.5 " + more + " -o " + folder);
    EXPECT_EQ(run.exit_code, 0) << run.messages;
    return number_after(scratch.read(folder + "/result.json"), "\"chi2\":");
  };
  EXPECT_NEAR(fit({"kf1"}, "--descent no --generations 30", "one"), 3.56342, 1e-4);
  EXPECT_NEAR(fit({"kf1", "kb1"}, "--descent no --generations 60", "two"), 3.5289, 5e-3);
  auto two = estimates(scratch.read("two/parameters.tsv"));
  EXPECT_NEAR(two["kf1"] / two["kb1"], 3.2584041 / 2.9319247, 5e-3);
  const std::vector<std::string> all{"kf1", "kb1", "kf2", "kb2", "kf3", "kb3"};
  // The strategy alone has not arrived after 400 generations; the descent has.
  const double alone = fit(all, "--descent no", "six");
  EXPECT_GT(alone, 3.33865);
  EXPECT_LT(alone, 3.52);
  auto six = estimates(scratch.read("six/parameters.tsv"));
  EXPECT_NEAR(six["kf1"] / six["kb1"], 1.1065, 0.02);
  EXPECT_NEAR(six["kf2"] / six["kb2"], 2.334, 0.04);
  EXPECT_NEAR(six["kf3"] / six["kb3"], 0.760, 0.02);
  EXPECT_NEAR(fit(all, "--generations 50", "down"), 3.33865, 2e-5);
  const std::string result = scratch.read("down/result.json");
  EXPECT_TRUE(has(result, "only these combinations are determined")) << result;
  for (const std::string ratio : {"kf1/kb1 = 1.1", "kf2/kb2 = 2.3", "kf3/kb3 = 0.7"})
    EXPECT_TRUE(has(result, ratio)) << result;
}

// The identification experiment 3.4 of Lotka's model on the reference data: the flow ends in the
// basin of the true rates, with a tenth of the gradients that an integration of the flow takes.
TEST(ProgramGlobalFit, LotkaByGradientFlow) {
  const std::string folder = reference_path("");
  std::ifstream data(folder + "lotka_ident_data.csv"),
      reference(folder + "lotka_gradient_flow.csv");
  ASSERT_TRUE(data && reference);
  auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, ',');) cells.push_back(part);
    return cells;
  };
  std::map<std::string, std::vector<std::string>> ends;  // "seed,weights": the last row
  for (std::string line; std::getline(reference, line);)
    if (auto cells = cells_of(line); cells.size() == 9) ends[cells[0] + cells[1]] = cells;
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(data, line);) rows.push_back(cells_of(line));
  ASSERT_EQ(ends.size(), 42u + 1);  // and the header
  Scratch scratch;
  for (std::size_t seed = 0; seed <= 20; seed += sanitized ? 10 : 1)
    for (const std::string weights : {"unit", "relative"}) {
      const std::string name = std::to_string(seed) + weights;
      SCOPED_TRACE(name);
      std::string table = weights == "unit" ? "time,x4\n" : "time,x4,sd(x4)\n";
      for (std::size_t r = 1; r < rows.size(); ++r) {
        const std::string& value = rows[r].at(1 + seed);
        table += rows[r][0] + "," + value + (weights == "unit" ? "" : "," + value) + "\n";
      }
      scratch.write("l.csv", table);
      const ProgramRun run = scratch.stiffit(
          "fit lotka --data l.csv --estimate k1=0.5:1e-3:100:lin,k2=0.7:1e-3:100:lin,"
          "k3=0.4:1e-3:100:lin --method gradient-flow --advice no -o " +
          name);
      ASSERT_EQ(run.exit_code, 0) << run.messages;
      auto found = estimates(scratch.read(name + "/parameters.tsv"));
      const std::vector<std::string>& end = ends.at(name);
      for (std::size_t i : {0u, 1u, 2u}) {
        const double expected = std::stod(end[3 + i]);
        EXPECT_NEAR(found["k" + std::to_string(i + 1)], expected, 1e-3 * expected);
      }
      const double gradients = number_after(scratch.read(name + "/result.json"), "\"gradients\":");
      EXPECT_GT(gradients, 10);
      EXPECT_LE(gradients, std::stod(end[8]) / 10);
      EXPECT_GT(rows_of(scratch.read(name + "/path.tsv")).size(), 5u);
    }
}

// Two factors of one signal: the data know their product, not each;
// and what to measure next is named.
TEST(ProgramGlobalFit, SaysWhatIsDeterminedAndWhatToMeasure) {
  Scratch scratch;
  scratch.write("m.rxn", "J1: A -> B; k*A\nA = 2; B = 0; k = 0.5; s = 1; q = 1\n");
  scratch.write(
      "d.csv", "time,signal\n0.5,0.47\n1,0.77\n1.5,1.07\n2,1.25\n3,1.56\n4,1.71\n6,1.91\n8,1.95\n");
  const ProgramRun run = scratch.stiffit(
      "fit m.rxn --data d.csv --observe \"signal = s*q*B\" "
      "--estimate k=1:0.01:100,s=1.3:0.01:100,q=0.9:0.01:100");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.out, "determined by these data: k")) << run.out;
  EXPECT_TRUE(has(run.out, "s*q = 0.99")) << run.out;
  const ProgramRun none = scratch.stiffit(
      "fit m.rxn --data d.csv --observe \"signal = s*q*B\" "
      "--estimate k=1:0.01:100,s=1.3:0.01:100 --json");
  EXPECT_TRUE(has(none.out, "\"next_measurements\":[{")) << none.out;
  EXPECT_TRUE(has(none.out, "\"quantity\":\"A\"") || has(none.out, "\"quantity\":\"signal\""))
      << none.out;
}

// The amplitude of a signal that has hardly begun to bend: the curvature at the best point gives it
// two limits, the profile knows that there is none above.
TEST(ProgramGlobalFit, ProfilesSettleWhatTheCurvatureAloneGetsWrong) {
  Scratch scratch;
  scratch.write("m.rxn", "J1: A -> B; k*A\nA = 1; B = 0; k = 0.5\n");
  scratch.write("d.csv",
                "time,signal,sd(signal)\n0.1,0.098,0.01\n0.2,0.199,0.01\n0.3,0.288,0.01\n"
                "0.4,0.386,0.01\n0.5,0.473,0.01\n0.6,0.561,0.01\n");
  const std::string problem =
      "m.rxn --data d.csv --observe \"signal = s*B\" "
      "--estimate k=0.3:1e-4:100,s=3:1e-3:1e4 ";
  const ProgramRun plain = scratch.stiffit("fit " + problem + "--profiles no --json");
  const ProgramRun judged = scratch.stiffit("fit " + problem + "--json");
  ASSERT_EQ(judged.exit_code, 0) << judged.messages;
  EXPECT_FALSE(has(plain.out, "\"judged_by\":\"profile\"")) << plain.out;
  EXPECT_TRUE(has(judged.out, "\"judged_by\":\"profile\"")) << judged.out;
  EXPECT_TRUE(has(judged.out, "(judged by profiles: ")) << judged.out;
  // `profile` itself, and `ensemble`, end with the same words.
  const ProgramRun profile = scratch.stiffit("profile " + problem);
  ASSERT_EQ(profile.exit_code, 0) << profile.messages;
  EXPECT_TRUE(has(profile.out, "(judged by profiles: all)")) << profile.out;
  const ProgramRun ensemble = scratch.stiffit(
      "ensemble " + problem + "--derive \"slope = k*s\" --points 2 --band-samples 20");
  ASSERT_EQ(ensemble.exit_code, 0) << ensemble.messages;
  EXPECT_TRUE(has(ensemble.out, "(judged by the ensemble: all)")) << ensemble.out;
  EXPECT_TRUE(has(ensemble.out, "slope ")) << ensemble.out;
  EXPECT_TRUE(has(ensemble.out, " determined: ")) << ensemble.out;
  // What a profile has left in the folder is used.
  ASSERT_EQ(scratch.stiffit("profile " + problem + "-o out").exit_code, 0);
  ASSERT_EQ(scratch.stiffit("fit " + problem + "--profiles no -o out").exit_code, 0);
  EXPECT_TRUE(has(scratch.read("out/result.json"), "(judged by profiles: all)"));
  EXPECT_EQ(scratch.stiffit("fit " + problem + "--profiles some").exit_code, 2);
}

// Delays and fast reactions have no sensitivities; every search works on differences, with data
// that have noise (a wave stands for it), and says so.
TEST(ProgramGlobalFit, ModelsWithoutSensitivitiesAreSearched) {
  Scratch scratch;
  scratch.write("delay.rxn", "x' = a - b*delay(x, 1.5)\nx = 1; a = 0.9; b = 0.5\n");
  scratch.write("fast.rxn",
                "#: fast J1\nJ1: A <-> B; 30*A - 10*B\nJ2: B -> C; a*B\nJ3: C -> ; b*C\n"
                "A = 4; B = 0; C = 0; a = 0.9; b = 0.5\n");
  for (const std::string model : {"delay", "fast"}) {
    ProgramRun made = scratch.stiffit("simulate " + model + ".rxn --end 9 --points 30 --show " +
                                      (model == "delay" ? "x" : "C"));
    ASSERT_EQ(made.exit_code, 0) << made.messages;
    std::string data = model == "delay" ? "time,x\n" : "time,C\n";
    for (const std::vector<double>& row : rows_of(made.out)) {
      char line[80];
      snprintf(line, sizeof line, "%.10g,%.10g\n", row[0], row[1] + 1e-3 * std::sin(41 * row[0]));
      if (row[0] > 0) data += line;
    }
    scratch.write(model + ".csv", data);
    for (const char* method : {"cma-es --generations 40", "differential-evolution --generations 40",
                               "evolution --generations 30", "cma-es --generations 60 --descent no",
                               "nelder-mead", "trust-region", "trust-region --starts 3"}) {
      ProgramRun run =
          scratch.stiffit("fit " + model + ".rxn --data " + model +
                          ".csv --estimate a=0.4:0.01:10,b=1:0.01:10 --json --method " + method);
      ASSERT_EQ(run.exit_code, 0) << model << " " << method << "\n" << run.messages;
      auto estimate = [&](const char* id) {
        const std::size_t at = run.out.find(std::string("\"id\":\"") + id + "\"");
        return std::stod(run.out.substr(run.out.find("\"estimate\":", at) + 11));
      };
      EXPECT_NEAR(estimate("a"), 0.9, 0.02) << model << " " << method;
      EXPECT_NEAR(estimate("b"), 0.5, 0.02) << model << " " << method;
      EXPECT_NE(run.out.find("differences between simulations"), std::string::npos) << method;
    }
  }
}

}  // namespace
