// Models that stay compiled while their values change, as a slider or a loop changes them.
// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/live_courses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/files/load_model.h"

namespace stiffit::internal {
namespace {

// Values set through compiled models against models that were changed first.
TEST(LiveCourses, SettingsMeanTheSameWithoutCompiling) {
  LiveCourses live(64);
  const std::string text =
      "compartment c; c = 2\nspecies A in c, B in c, D in c\nA -> B; c*k*A^n\nB -> D; c*m*B\n"
      "A = 3; B = q*2; D = 4; k = 1; n = 2; m = 0.3; q = 0.5\n";
  const auto model = load_model_text("model", text).model;
  const std::vector<std::map<std::string, double>> settings{
      {},
      {{"k", 0.5}},
      {{"n", 1.5}},
      {{"n", 3}, {"k", 2}},
      {{"A", 1}, {"c", 3}},
      {{"B", 7}},
      {{"D", 1.25}, {"q", 2}},
      {{"[D]", 1.25}},
      {{"amount(A)", 1.25}},
  };
  for (const auto& set : settings) {
    LiveRequest request;
    request.options.end = 3;
    request.options.points = 10;
    request.set = set;
    const TimeCourse quick = live.simulate(model, "key", request);
    TimeCourseOptions slow = request.options;
    for (const auto& [name, value] : set) slow.set.values.emplace_back(name, value);
    const TimeCourse course = time_course(model, slow);
    ASSERT_EQ(quick.values.size(), course.values.size());
    ASSERT_FALSE(course.values.empty());
    for (std::size_t i = 0; i < course.values.size(); ++i)
      EXPECT_NEAR(quick.values[i], course.values[i], 1e-4 * (1e-3 + std::fabs(course.values[i])));
  }
  const std::size_t compiled = live.compiled();
  LiveRequest request;
  for (double k : {0.1, 0.2, 0.3})
    for (double n : {1.1, 1.2}) {
      request.set = {{"k", k}, {"n", n}};
      live.simulate(model, "key", request);
    }
  // Once without and once with the exponent free, for the default end.
  EXPECT_LE(live.compiled(), compiled + 2);
}

// An initial amount of a species whose name means its concentration.
TEST(LiveCourses, InitialAmountsAreSetAsConcentrations) {
  LiveCourses live(64);
  const std::string text =
      "<?xml version=\"1.0\"?><sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" "
      "level=\"3\" version=\"1\"><model id=\"m\"><listOfCompartments><compartment id=\"c\" "
      "size=\"4\" constant=\"true\" spatialDimensions=\"3\"/></listOfCompartments><listOfSpecies>"
      "<species id=\"S\" compartment=\"c\" initialAmount=\"8\" hasOnlySubstanceUnits=\"false\" "
      "boundaryCondition=\"false\" constant=\"false\"/></listOfSpecies></model></sbml>";
  const auto model = load_model_text("m.xml", text).model;
  LiveRequest request;
  request.options.show = {"S"};
  EXPECT_EQ(live.simulate(model, "key", request).values.front(), 2);
  request.set = {{"S", 3}};
  EXPECT_EQ(live.simulate(model, "key", request).values.front(), 3);
  request.set = {{"S", 5}, {"c", 2}};
  EXPECT_EQ(live.simulate(model, "key", request).values.front(), 5);
}

}  // namespace
}  // namespace stiffit::internal
