// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/small_expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

using namespace stiffit::internal;

namespace {

const std::vector<std::string> letters{"a", "b", "c", "d", "e"};

std::map<std::string, SmallExpression> all_of(const ExpressionParts& parts) {
  std::map<std::string, SmallExpression> found;
  for_each_expression(parts, [&](const SmallExpression& e) { found[e.text(letters)] = e; });
  return found;
}

TEST(SmallExpression, TheKindsPeopleUseAreThere) {
  const auto found = all_of({{0, 1, 2, 3}, {}, {}, 5});
  for (const char* text :
       {"a+b",         "a-b",       "b-a",       "a*b",     "a/b",   "a^2*b",     "a/b^2",
        "a+b+c",       "a+b+c+d",   "(a+b)/c",   "a*(b+c)", "a*b*c", "a*b/c",     "b*c/a",
        "(a+b)/(c+d)", "a*b/(c+d)", "a*b/(a+b)", "2*a+b",   "a*b+c", "(b*c+d)/a", "a*b/(c*d)"})
    EXPECT_TRUE(found.count(text)) << text;
}

TEST(SmallExpression, KnownOnesStandInSumsAndTwoOpenOnesEverywhere) {
  const auto found = all_of({{0, 1}, {2}, {3}, 5});
  EXPECT_TRUE(found.count("(b+c)/a"));
  EXPECT_TRUE(found.count("(b+d)/a"));
  EXPECT_EQ(found.at("(b+c)/a").complexity + 1, found.at("(b+d)/a").complexity);
  EXPECT_FALSE(found.count("a*c"));
  EXPECT_FALSE(found.count("a+c"));
  for (const auto& [text, e] : found) {
    const auto used = e.variables();
    EXPECT_TRUE(std::set<int>(used.begin(), used.end()).count(0) &&
                std::set<int>(used.begin(), used.end()).count(1))
        << text;
  }
}

TEST(SmallExpression, GradientsAreThoseOfTheValues) {
  const std::vector<double> at{0.7, 1.9, 3.1, 0.4, 2.3};
  for (const auto& [text, e] : all_of({{0, 1, 2}, {3}, {4}, 5})) {
    std::vector<double> gradient;
    const double value = e.value(at, &gradient);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double h = 1e-5;
      std::vector<double> up = at, down = at;
      up[i] += h;
      down[i] -= h;
      const double difference = (e.value(up) - e.value(down)) / (2 * h);
      EXPECT_NEAR(gradient[i], difference, 1e-6 * (1 + std::abs(value) + std::abs(difference)))
          << text << " by " << letters[i];
    }
  }
}

}  // namespace
