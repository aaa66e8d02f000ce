// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/fit_records.h"

#include <gtest/gtest.h>

#include "base/record.h"

namespace stiffit::internal {
namespace {

TEST(FitRecords, StartsAndPointsComeBackExactly) {
  StartResult s;
  s.index = 7;
  s.given = true;
  s.fit.outcome = FitOutcome::flat;
  s.fit.message = "a plateau";
  s.fit.x = {1.0 / 3, -2e-300};
  s.fit.start = {0, 1};
  s.fit.at.value = 1.25;
  s.fit.at.fisher = {1, 2, 3, 4};
  s.fit.insensitive = {1};
  s.fit.gradients = 12;
  s.plateaus = 3;
  s.seconds = 0.5;
  StartResult back = start_of(record_of(s));
  EXPECT_EQ(record_of(back), record_of(s));
  EXPECT_EQ(back.fit.x, s.fit.x);
  EXPECT_EQ(back.fit.insensitive, s.fit.insensitive);
  EXPECT_EQ(back.fit.message, s.fit.message);
  ProfilePoint p{0.1, 2, 3, {4, 5}, 6, 7};
  EXPECT_EQ(record_of(profile_point_of(record_of(p))), record_of(p));
  ProfileSide side;
  side.stop = ProfileStop::bound;
  side.limit = 2;
  EXPECT_EQ(record_of(profile_side_of(record_of(side))), record_of(side));
  std::string half = record_of(s).substr(0, 40);
  EXPECT_THROW(start_of(half), BadRecord);
  EXPECT_THROW(start_of("garbage!garbage!garbage!garbage!"), BadRecord);
}

}  // namespace
}  // namespace stiffit::internal
