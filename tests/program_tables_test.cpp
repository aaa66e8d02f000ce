// Known inputs from a file: exact integrals, conversion, and what a model may not read.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

#include "program_run.h"

namespace stiffit::internal {
namespace {

// The numbers of the last line of a CSV.
std::vector<double> last_row(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line, last;
  while (std::getline(lines, line))
    if (!line.empty()) last = line;
  std::vector<double> values;
  std::istringstream cells(last);
  for (std::string cell; std::getline(cells, cell, ',');) values.push_back(std::stod(cell));
  return values;
}

const char* const tabulated_model =
    "x' = table(\"in/u.csv\", u)\ny' = table(\"in/u.csv\", u, steps)\nz' = -z + "
    "table(\"in/u.csv\", "
    "v)\nx = 0; y = 0; z = 0\n";
// v is a pulse between 2 and 2.001 that a step control alone would miss.
const char* const inputs =
    "time;u;v\n0;0;0\n1;2;0\n2;2;0\n2;;1000\n2,001;;1000\n2,001;;0\n3;5;0\n10;5;0\n";

TEST(ProgramTables, IntegralsAreExact) {
  Scratch s;
  s.write("m.rxn", tabulated_model);
  s.write("in/u.csv", inputs);
  for (const char* method : {"rodas5p", "bdf", "dopri5"}) {
    ProgramRun run =
        s.stiffit(std::string("simulate m.rxn --times 0,10 --rtol 1e-9 --method ") + method);
    ASSERT_EQ(run.exit_code, 0) << run.messages;
    std::vector<double> end = last_row(run.out);
    ASSERT_EQ(end.size(), 4u) << run.out;
    EXPECT_NEAR(end[1], 1 + 2 + 3.5 + 35, 1e-6) << method;
    EXPECT_NEAR(end[2], 0 + 2 + 2 + 35, 1e-6) << method;
    // The response to the pulse: 1000 (1 - exp(-0.001)) exp(-(10 - 2.001)).
    double pulse = 1000 * (1 - std::exp(-0.001)) * std::exp(-(10 - 2.001));
    EXPECT_NEAR(end[3], pulse, 1e-6 * pulse + 1e-9) << method;
  }
}

TEST(ProgramTables, ConvertedModelsKeepTheInput) {
  Scratch s;
  s.write("m.rxn", tabulated_model);
  s.write("in/u.csv", inputs);
  std::string arguments = " --times 0,1.5,2.5,10 --rtol 1e-9";
  ProgramRun here = s.stiffit("simulate m.rxn" + arguments);
  ASSERT_EQ(here.exit_code, 0) << here.messages;
  for (const char* file : {"c.rxn", "c.xml"}) {
    ASSERT_EQ(s.stiffit(std::string("convert m.rxn -o ") + file).exit_code, 0);
    ProgramRun there = s.stiffit(std::string("simulate ") + file + arguments);
    ASSERT_EQ(there.exit_code, 0) << there.messages;
    std::vector<double> a = last_row(here.out), b = last_row(there.out);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 1e-9 * std::abs(a[i]) + 1e-12);
  }
}

TEST(ProgramTables, NothingOutsideOfTheFolder) {
  Scratch s;
  s.write("models/m.rxn", "x := table(\"../secret.csv\", u)\n");
  s.write("models/n.rxn", "x := table(\"/etc/passwd\", u)\n");
  s.write("secret.csv", "time,u\n0,1\n1,2\n");
  for (const char* name : {"models/m.rxn", "models/n.rxn"}) {
    ProgramRun run = s.stiffit(std::string("check ") + name);
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_NE(run.out.find("only files of the model's own folder are read"), std::string::npos)
        << run.out << run.messages;
  }
}

}  // namespace
}  // namespace stiffit::internal
