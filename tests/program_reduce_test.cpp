// `stiffit reduce`, as a person runs it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

#include "program_run.h"

namespace stiffit::internal {
namespace {

// The largest difference of two tables, each column over its own maximum.
double difference(const std::string& a, const std::string& b) {
  const auto x = rows_of(a), y = rows_of(b);
  if (x.empty() || x.size() != y.size()) return INFINITY;
  double worst = 0;
  for (std::size_t c = 1; c < x[0].size(); ++c) {
    double most = 0, apart = 0;
    for (std::size_t r = 0; r < x.size(); ++r) {
      most = std::max(most, std::fabs(x[r][c]));
      apart = std::max(apart, std::fabs(x[r][c] - y[r][c]));
    }
    if (apart > 0) worst = std::max(worst, apart / most);
  }
  return worst;
}

struct ReduceCase {
  const char* model;
  const char* show;
};
class ReduceLibrary : public testing::TestWithParam<ReduceCase> {};

TEST_P(ReduceLibrary, QuadraticFormHasTheSameCurves) {
  Scratch s;
  const std::string model = GetParam().model, show = GetParam().show;
  ProgramRun run = s.stiffit("reduce " + model + " --polynomial -o q.rxn --json");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(run.out.find("\"degree\":3"), std::string::npos) << run.out;
  const std::string how = " --rtol 1e-9 --points 40 --show " + show;
  ProgramRun before = s.stiffit("simulate " + model + how);
  ProgramRun after = s.stiffit("simulate q.rxn" + how);
  ASSERT_EQ(after.exit_code, 0) << after.messages;
  EXPECT_LT(difference(before.out, after.out), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    All, ReduceLibrary,
    testing::Values(ReduceCase{"clock-size", "s1,s2,s16"}, ReduceCase{"enzyme-reversible", "x2,x4"},
                    ReduceCase{"escep", "S,C,E,P"}, ReduceCase{"escep-dimensionless", "s,c"},
                    ReduceCase{"hemker-scalar", "y"}, ReduceCase{"lac-size", "s1,s64"},
                    ReduceCase{"lotka", "x1,x2,x3,x4"}, ReduceCase{"lotka-volterra", "X,Y"},
                    ReduceCase{"oregonator", "x,y,z"}, ReduceCase{"oscillator-k51", "x1,x2,x3"},
                    ReduceCase{"qa-size", "s1,s39"},
                    ReduceCase{"repressilator", "m1,m2,m3,p1,p2,p3"},
                    ReduceCase{"robertson", "A,B,C"}, ReduceCase{"stiff1000", "y"},
                    ReduceCase{"vdp1", "y1,y2"}, ReduceCase{"vdp1000", "y1,y2"},
                    ReduceCase{"water-moderate", "H2,O2,O,H,OH,H2O"},
                    ReduceCase{"water-nonstiff", "H2,O2,O,H,OH,H2O"},
                    ReduceCase{"water-stiff", "H2,O2,O,H,OH,H2O"}),
    [](const auto& one) {
      std::string name = one.param.model;
      for (char& c : name)
        if (c == '-') c = '_';
      return name;
    });

TEST(Reduce, TellsTheNewVariablesAndTheDifference) {
  Scratch s;
  s.write("m.rxn", "species x; x' = -k*x/(K + x); x = 2; k = 1; K = 0.5; s := 2*x\n");
  ProgramRun run = s.stiffit("reduce m.rxn --polynomial --end 3");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_NE(run.out.find("// w1 = 1/(K + x), at the start 0.4\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("K = 0.5\n"), std::string::npos) << run.out;
  EXPECT_NE(run.messages.find("difference"), std::string::npos) << run.messages;
  run = s.stiffit("reduce m.rxn --polynomial --end 3 -o m.xml");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  // New variables follow when a parameter is set.
  const std::string how = " --set K=0.9 --set x=1 --end 3 --show x --rtol 1e-9";
  EXPECT_LT(
      difference(s.stiffit("simulate m.rxn" + how).out, s.stiffit("simulate m.xml" + how).out),
      1e-7);
}

// Two columns may show one state.
TEST(Reduce, EveryColumnIsInTheQuadraticForm) {
  Scratch s;
  s.write("m.rxn", "species x, same, double; x' = -x^3; x = 2; same := x; double := 2*x\n");
  ProgramRun run = s.stiffit("reduce m.rxn --polynomial --end 3 -o q.rxn");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const std::string how = " --end 3 --show x,same,double --rtol 1e-9";
  EXPECT_LT(
      difference(s.stiffit("simulate m.rxn" + how).out, s.stiffit("simulate q.rxn" + how).out),
      1e-7);
}

TEST(Reduce, ProposesFastSpeciesAndTellsTheError) {
  Scratch s;
  ProgramRun run = s.stiffit("reduce escep --composite -o r.rxn");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_NE(run.messages.find("fastest: C, E"), std::string::npos) << run.messages;
  EXPECT_NE(run.messages.find("C := k1*(E0 + C_0)*S/(k_1 + k2 + k1*S)\n"), std::string::npos)
      << run.messages;
  EXPECT_NE(run.messages.find("C_composite"), std::string::npos) << run.messages;
  const std::string how = " --points 20 --show S,P";
  EXPECT_LT(
      difference(s.stiffit("simulate escep" + how).out, s.stiffit("simulate r.rxn" + how).out),
      0.005);
  run = s.stiffit("reduce escep --fast C --json");
  EXPECT_TRUE(
      run.out.starts_with("{\"fast\":[\"C\"],\"constant\":[],\"species\":[{\"name\":\"C\","))
      << run.out;
  EXPECT_NE(run.out.find("\"worst\":"), std::string::npos);
}

TEST(Reduce, AsksForWhatItNeeds) {
  Scratch s;
  EXPECT_EQ(s.stiffit("reduce lotka").exit_code, 1);  // nothing is fast
  EXPECT_EQ(s.stiffit("reduce escep --fast CC").exit_code, 1);
  EXPECT_EQ(s.stiffit("reduce escep --fast C --polynomial").exit_code, 2);
  EXPECT_EQ(s.stiffit("reduce lotka --polynomial -o x.dat").exit_code, 2);
}

}  // namespace
}  // namespace stiffit::internal
