// SPDX-License-Identifier: Apache-2.0
#include "base/option_error.h"

#include <gtest/gtest.h>

namespace stiffit {
namespace {

TEST(OptionError, EverySurfaceNamesOptionsInItsOwnWay) {
  const OptionError error(option_name("max-step") + " is 0 -- that is not above 0, nor '--x'",
                          "leave " + option_name("max-step") + " away");
  EXPECT_EQ(error.command_line_message(), "--max-step is 0 -- that is not above 0, nor '--x'");
  EXPECT_STREQ(error.what(), "max_step is 0 -- that is not above 0, nor '--x'");
  EXPECT_EQ(error.command_line_hint(), "leave --max-step away");
  EXPECT_EQ(error.hint(), "leave max_step away");
}

TEST(OptionError, WordsOfACommandLineStayAsTheyAre) {
  const OptionError error("--at needs name=value", "use --start");
  EXPECT_EQ(error.command_line_message(), "--at needs name=value");
  EXPECT_STREQ(error.what(), "--at needs name=value");
  EXPECT_EQ(error.hint(), "use --start");
}

}  // namespace
}  // namespace stiffit
