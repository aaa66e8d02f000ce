// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_findings.h"

#include <gtest/gtest.h>

namespace stiffit::internal {
namespace {

TEST(JobFindings, AnOptionInTheSentenceIsTheField) {
  const Json found = job_findings(
      "error: --derive \"Km = (k_9+k2)/k1\": unknown name 'k_9'\n  did you mean 'k_1'?");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["field"], "derive");
  EXPECT_EQ(found[0]["message"], "--derive \"Km = (k_9+k2)/k1\": unknown name 'k_9'");
  EXPECT_EQ(found[0]["hint"], "did you mean 'k_1'?");
}

TEST(JobFindings, AnOptionInPlaceOfAFileIsTheFieldWithItsFormula) {
  const Json found = job_findings(
      "error: no table has measurements of 'A4'\n  --noise:1:1\n  1 | A4 = s\n    | ^^\n"
      "error: unknown distribution 'foo'\n  --noise-distribution\n  normal, laplace or student-t");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], Json({{"message", "no table has measurements of 'A4'"},
                            {"field", "noise"},
                            {"of", "A4 = s"}}));
  EXPECT_EQ(found[1]["field"], "noise_distribution");
  EXPECT_EQ(found[1]["hint"], "normal, laplace or student-t");
}

TEST(JobFindings, AHintMayStandBesideThePlace) {
  const Json found = job_findings(
      "error: unknown name 'x'\n  --noise:1:5\n  1 | A = x\n    |     ^ did you mean 'y'?");
  EXPECT_EQ(found[0]["hint"], "did you mean 'y'?");
  EXPECT_EQ(found[0]["of"], "A = x");
}

TEST(JobFindings, WhatIsAboutTheModelOrTheDataIsNone) {
  EXPECT_TRUE(job_findings("warning: x\n  model.rxn:2:1\nerror: bad number 'a'\n  low.csv:3:1\n"
                           "  3 | --noise | 1\n    | ^")
                  .empty());
  EXPECT_TRUE(job_findings("").empty());
  EXPECT_TRUE(job_findings("the run failed").empty());
}

}  // namespace
}  // namespace stiffit::internal
