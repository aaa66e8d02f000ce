// `stiffit stiffness` and `stiffit compare` with pictures and pages, as a person runs them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "program_run.h"

namespace stiffit::internal {
namespace {

double number_of(const std::string& json, const std::string& key) {
  const std::size_t at = json.find("\"" + key + "\":");
  return at == std::string::npos ? NAN : std::atof(json.c_str() + at + key.size() + 3);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// The documents call the first not stiff, the second moderate, the third stiff.
TEST(StiffnessCommand, GivesTheIndicesOfTheWaterModel) {
  Scratch s;
  struct Case {
    const char *model, *span, *verdict;
    double index;
  };
  for (const Case& one : {Case{"water-nonstiff", "1", "non-stiff", 45.27},
                          Case{"water-moderate", "0.1", "moderate", 1309.6},
                          Case{"water-stiff", "0.1", "stiff", 1.0007e6}}) {
    const ProgramRun run =
        s.stiffit("stiffness " + std::string(one.model) + " --span " + one.span + " --json");
    ASSERT_EQ(run.exit_code, 0) << run.messages;
    EXPECT_NEAR(number_of(run.out, "max_index"), one.index, 1e-3 * one.index) << one.model;
    EXPECT_TRUE(has(run.out, "\"verdict\":\"" + std::string(one.verdict) + "\""));
  }
}

TEST(StiffnessCommand, DrawsAndReports) {
  Scratch s;
  const ProgramRun run = s.stiffit("stiffness water-stiff --plot s.svg --report s.html -o s.csv");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(run.out, "");
  const std::string svg = s.read("s.svg"), page = s.read("s.html");
  EXPECT_TRUE(svg.starts_with("<?xml")) << svg.substr(0, 100);
  EXPECT_TRUE(has(svg, "water-stiff: stiffness index"));
  EXPECT_EQ(count_of(svg, "<clipPath"), 3u);
  EXPECT_TRUE(has(page, "<p>verdict: stiff"));
  EXPECT_TRUE(has(page, "<td>O</td>"));  // the fastest species
  for (const char* file : {"stiffness.svg", "stiffness.csv", "stiffness.json"})
    EXPECT_TRUE(has(page, "download=\"" + std::string(file) + "\"")) << file;
  EXPECT_EQ(s.stiffit("stiffness lotka --plot missing/s.svg").exit_code, 1);
}

TEST(CompareCommand, DrawsWorkAndStabilityRegions) {
  Scratch s;
  const ProgramRun run = s.stiffit(
      "compare stiff1000 --methods rodas5p,dopri5,euler --errors 1e-2,1e-4 "
      "--max-steps 20000 --plot c.svg --report c.html");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const std::string svg = s.read("c.svg"), page = s.read("c.html");
  EXPECT_EQ(count_of(svg, "<clipPath"), 5u);       // steps, time, three regions
  EXPECT_EQ(count_of(svg, "class=\"area\""), 6u);  // each with its place in the legend
  EXPECT_TRUE(has(svg, ">h*lambda at error 0.01<"));
  for (const char* file : {"work-precision.svg", "stability.svg", "compare.csv", "compare.json"})
    EXPECT_TRUE(has(page, "download=\"" + std::string(file) + "\"")) << file;
}

TEST(CompareCommand, SaysWhatAMethodCannotRun) {
  Scratch s;
  s.write("late.rxn", "species x; x' = -delay(x, 1); x = 1;\n");
  const ProgramRun run =
      s.stiffit("compare late.rxn --end 3 --methods taylor,dopri5 --errors 1e-2 --plot p.svg");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.out, "delays")) << run.out;
}

}  // namespace
}  // namespace stiffit::internal
