// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/confidence_interval.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace stiffit::internal;

namespace {

FitStatistics statistics_of(std::vector<Identifiability> kinds) {
  FitStatistics s;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    ParameterStatistics u;
    u.id = std::string(1, static_cast<char>('a' + i));
    u.identifiability = kinds[i];
    s.each.push_back(u);
  }
  return s;
}

TEST(ConfidenceInterval, GoesBeforeTheFisherInformation) {
  const double none = std::nan("");
  using enum Identifiability;
  FitStatistics s = statistics_of({not_determined, determined, determined, at_bound, determined});
  s.each[0].value = 1.4;
  judge_by_intervals(s, {{"a", 1, 2, "profile", {}},
                         {"b", 1, none, "profile", {}},
                         {"c", none, none, "profile", {"b", "e"}},
                         {"d", none, none, "ensemble", {"b"}}});
  EXPECT_EQ(s.each[0].identifiability, determined);
  EXPECT_EQ(s.each[0].verdict, "determined: 1 to 2 (profile)");
  EXPECT_EQ(s.each[1].identifiability, one_sided);
  EXPECT_EQ(s.each[1].verdict, "one-sided: at least 1 (profile)");
  EXPECT_EQ(s.each[2].identifiability, in_combination);
  EXPECT_EQ(s.each[2].verdict, "determined only in combination with b and e (profile)");
  EXPECT_EQ(s.each[3].identifiability, not_determined);
  EXPECT_EQ(s.each[4].identifiability, determined);
  EXPECT_EQ(s.each[4].source, "Fisher information");
}

TEST(ConfidenceInterval, LimitsDecadesApartAreNoValue) {
  FitStatistics s =
      statistics_of({Identifiability::in_combination, Identifiability::in_combination});
  s.each[0].with = s.each[1].with = {"c"};
  s.each[1].value = 2;
  judge_by_intervals(s, {{"a", 1, 50, "profile", {}}, {"b", 1, 5, "profile", {}}});
  EXPECT_EQ(s.each[0].identifiability, Identifiability::in_combination);
  EXPECT_EQ(s.each[0].verdict, "only within 1 to 50 (profile); better in combination with c");
  EXPECT_EQ(s.each[1].identifiability, Identifiability::roughly_determined);
  EXPECT_EQ(s.each[1].verdict, "roughly determined: 1 to 5 (profile)");
}

TEST(ConfidenceInterval, ProfilesThatWereNotFollowedToTheirEndSayNothing) {
  const std::vector<EstimatedParameter> unknowns{{"a", -5, 5, 0, Scale::log10},
                                                 {"b", -5, 5, 0, Scale::lin}};
  LocalFit best;
  best.x = {0, 1};
  Profile p;
  p.unknown = 0;
  p.lower.stop = ProfileStop::threshold;
  p.lower.limit = -1;
  p.upper.stop = ProfileStop::bound;
  p.upper.points.push_back({});
  p.upper.points.back().x = {5, 3};
  std::vector<ConfidenceInterval> found = intervals_of({p}, unknowns, best);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].low, 0.1, 1e-12);
  EXPECT_TRUE(std::isnan(found[0].high));
  EXPECT_EQ(found[0].moved, std::vector<std::string>{"b"});
  p.upper.stop = ProfileStop::limit;
  EXPECT_TRUE(intervals_of({p}, unknowns, best).empty());
}

TEST(ConfidenceInterval, AnIntervalThatEndsAtABoundHasNoLimitThere) {
  const EstimatedParameter u{"a", -2, 3, 0, Scale::log10};
  ConfidenceInterval e = interval_of_ensemble(u, 0.011, 12);
  EXPECT_TRUE(std::isnan(e.low));
  EXPECT_EQ(e.high, 12);
  e = interval_of_ensemble(u, 0.03, 990);
  EXPECT_EQ(e.low, 0.03);
  EXPECT_TRUE(std::isnan(e.high));
}

TEST(ConfidenceInterval, DoubtsAreWhatIsNotClosedOrVeryWide) {
  using enum Identifiability;
  FitStatistics s =
      statistics_of({determined, not_determined, one_sided, determined, in_combination});
  s.each[0].scale = s.each[3].scale = Scale::log10;
  s.each[0].free_single = 0.1;
  s.each[3].free_single = 0.6;
  EXPECT_EQ(doubtful_unknowns(s), (std::vector<std::size_t>{2, 3, 4, 1}));
}

}  // namespace
