// The official semantic test suite, where it is at hand.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "api/conform/conform_sbml.h"
#include "base/diagnostic.h"
#include "places.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

const std::string suite = shared_path("sbml-suite");

TEST(SbmlSuite, EveryCaseInEveryLevel) {
  STIFFIT_NEEDS_SHARED("sbml-suite/semantic");
  SbmlSuiteOptions options;
  options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  constexpr int cases = 1821;  // the number of the last one
  if (sanitized)
    for (int i = 1; i <= cases; i += 2) options.cases.emplace_back(i, i);
  int passed = 0;
  for (const SbmlSuiteResult& result : conform_sbml(suite + "/semantic", options)) {
    // These two refer to a file that is not in the suite's folder.
    if (result.level == "l3v1" && (result.case_id == "01167" || result.case_id == "01168")) {
      EXPECT_TRUE(result.skipped) << result.reason;
      EXPECT_NE(result.reason.find("enzyme_model.xml"), std::string::npos) << result.reason;
      continue;
    }
    EXPECT_TRUE(result.passed) << result.case_id << " " << result.level << ": " << result.reason;
    passed += result.passed;
  }
  EXPECT_GT(passed, sanitized ? 1200 : 2500);
}

TEST(SbmlSuite, RangesOfCases) {
  EXPECT_EQ(parse_case_ranges("1-20,35"), (std::vector<std::pair<int, int>>{{1, 20}, {35, 35}}));
  EXPECT_THROW(parse_case_ranges("a"), InputError);
  EXPECT_THROW(parse_case_ranges("1-"), InputError);
}

// A suite of one case, made here: what counts as passing.
class OneCase : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("stiffit-suite-" + std::to_string(getpid()));
    std::filesystem::create_directories(root_ / "00007");
    write("settings.txt",
          "start: 0\nduration: 2\nsteps: 2\nvariables: x\nabsolute: 0.01\nrelative: 0.1\n"
          "amount: \nconcentration: \n");
    write("sbml-l3v2.xml",
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?><sbml "
          "xmlns=\"http://www.sbml.org/sbml/level3/version2/core\" level=\"3\" version=\"2\">"
          "<model><listOfParameters><parameter id=\"x\" value=\"1\" constant=\"false\"/>"
          "</listOfParameters><listOfRules><rateRule variable=\"x\"><math "
          "xmlns=\"http://www.w3.org/1998/Math/MathML\"><cn>1</cn></math></rateRule>"
          "</listOfRules></model></sbml>");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(root_ / "00007" / ("00007-" + name)) << text;
  }
  SbmlSuiteResult run() { return conform_sbml(root_.string()).at(0); }

  std::filesystem::path root_;
};

TEST_F(OneCase, PassesWithinTheTolerances) {
  write("results.csv", "time,x\n0,1\n1,2.2\n2,3.3\n");
  EXPECT_TRUE(run().passed) << run().reason;
}

TEST_F(OneCase, FailsOutsideOfThem) {
  write("results.csv", "time,x\n0,1\n1,2.2\n2,3.4\n");
  SbmlSuiteResult result = run();
  EXPECT_FALSE(result.passed);
  EXPECT_TRUE(result.reason.starts_with("x at time 2 is ")) << result.reason;
  EXPECT_TRUE(result.reason.ends_with(", expected 3.4")) << result.reason;
}

TEST_F(OneCase, NamesWhatIsNotThere) {
  write("results.csv", "time,y\n0,1\n1,2\n2,3\n");
  EXPECT_EQ(run().reason, "error: the model has no 'y'");
  write("results.csv", "time,x\n0,1\n1,NaN\n2,INF\n");
  EXPECT_FALSE(run().passed);
}

}  // namespace
}  // namespace stiffit::internal
