// The three kinds of experiments that a fit takes, and the bundled example, whose data must be what
// its script makes. (tests/docs_test.cpp follows docs/first-fit.md.)
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "places.h"
#include "program_run.h"

namespace stiffit::internal {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A table with a header as column -> first cell of the row -> cell.
using Sheet = std::map<std::string, std::map<std::string, std::string>>;
Sheet sheet_of(const std::string& text) {
  std::istringstream lines(text);
  auto cells = [](const std::string& line) {
    std::vector<std::string> result;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) result.push_back(cell);
    return result;
  };
  std::string line;
  std::getline(lines, line);
  std::vector<std::string> header = cells(line);
  Sheet sheet;
  while (std::getline(lines, line)) {
    std::vector<std::string> row = cells(line);
    for (std::size_t i = 1; i < row.size(); ++i) sheet[header[i]][row[0]] = row[i];
  }
  return sheet;
}

// The three functionals of the identification problem, from data without noise: the truth must come
// back. `rows(S, E)` simulates one experiment of the library's enzyme.
struct Functionals : testing::Test {
  Scratch s;
  std::vector<std::vector<std::string>> rows(const std::string& substrate,
                                             const std::string& enzyme, const std::string& times) {
    ProgramRun run =
        s.stiffit("simulate escep --set k1=1.3 --set k2=0.42 --rtol 1e-10 --show S,P" +
                  (" --set S=" + substrate) + " --set E=" + enzyme + " --times " + times);
    EXPECT_EQ(run.exit_code, 0) << run.messages;
    std::vector<std::vector<std::string>> result;
    std::istringstream lines(run.out);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      result.emplace_back();
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) result.back().push_back(cell);
    }
    return result;
  }
  void expect_truth(const std::string& arguments) {
    ProgramRun run =
        s.stiffit("fit escep --rtol 1e-9 --estimate k1=0.5,k2=0.1 -o result " + arguments);
    ASSERT_EQ(run.exit_code, 0) << run.messages;
    Sheet found = sheet_of(s.read("result/parameters.tsv"));
    EXPECT_NEAR(std::stod(found["estimate"]["k1"]), 1.3, 1e-4) << arguments;
    EXPECT_NEAR(std::stod(found["estimate"]["k2"]), 0.42, 1e-4) << arguments;
  }
};

TEST_F(Functionals, OneQuantityOverTime) {
  std::string table = "time,P\n";
  for (auto& r : rows("1", "0.01", "0,100,200,400,800,1200")) table += r[0] + "," + r[2] + "\n";
  s.write("one.csv", table);
  expect_truth("--data one.csv");
}

TEST_F(Functionals, ManyInitialValuesEndPointOnly) {
  std::string table = "time,S(0),E(0),P\n";
  for (std::string substrate : {"0.5", "1", "2", "4"})
    for (std::string enzyme : {"0.01", "0.05"})
      table += "600," + substrate + "," + enzyme + "," +
               rows(substrate, enzyme, "0,600").back()[2] + "\n";
  s.write("ends.csv", table);
  expect_truth("--data ends.csv");
}

TEST_F(Functionals, WeightedQuantitiesOfSeveralExperiments) {
  std::string options;
  for (std::string substrate : {"0.5", "2"}) {
    std::string table = "# S = " + substrate + "\ntime,S,sd(S),P,sd(P)\n";
    for (auto& r : rows(substrate, "0.01", "0,100,300,700")) {
      table += r[0] + "," + r[1] + ",0.1," + (r[0] == "300" ? std::string() : r[2]) +
               (r[0] == "300" ? ",\n" : ",0.02\n");
    }
    s.write("s" + substrate + ".csv", table);
    options += " --data s" + substrate + ".csv";
  }
  expect_truth(options);
}

TEST(FirstFit, TheDataOfTheExampleAreWhatItsScriptMakes) {
  Scratch s;
  s.write("made/here", "");
  ProgramRun run = s.stiffit("--version");
  ASSERT_EQ(run.exit_code, 0);
  std::string folder = source_path("examples/escep");
  ASSERT_EQ(
      std::system(
          ("'" + folder + "/make_data' '" STIFFIT_PROGRAM "' '" + s.folder() + "/made'").c_str()),
      0);
  for (std::string name : {"low.csv", "middle.csv", "high.csv"})
    EXPECT_EQ(s.read("made/" + name), content(folder + "/" + name));
}

}  // namespace
}  // namespace stiffit::internal
