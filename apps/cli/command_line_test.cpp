// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <gtest/gtest.h>

namespace stiffit::internal {
namespace {

CommandSpec command() {
  CommandSpec spec;
  spec.name = "simulate";
  spec.arguments = "MODEL";
  spec.fewest = spec.most = 1;
  spec.options = {{"end", "T", "", 0, false},
                  {"points", "N", "", 0, false},
                  {"set", "name=value", "", 0, true},
                  {"output", "FILE", "", 'o', false},
                  {"json", "", "", 0, false}};
  spec.not_yet = {"verify"};
  return spec;
}

std::string complaint(const std::vector<std::string>& words) {
  try {
    Arguments a = read_arguments(command(), words);
    a.number("end", 0);
    a.count("points", 1);
  } catch (const UsageError& error) {
    return error.what() + (error.hint().empty() ? "" : " | " + error.hint());
  }
  return "";
}

TEST(CommandLine, BothFormsOfAnOption) {
  Arguments a = read_arguments(command(), {"m", "--end", "-5", "--points=20", "--set=a=1", "--set",
                                           "b=2", "-o", "f.csv", "--json"});
  EXPECT_EQ(a.positional(), std::vector<std::string>{"m"});
  EXPECT_EQ(a.number("end", 0), -5);
  EXPECT_EQ(a.count("points", 0), 20);
  EXPECT_EQ(a.all("set"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(a.text("output"), "f.csv");
  EXPECT_TRUE(a.has("json"));
}

TEST(CommandLine, DashDashEndsOptions) {
  EXPECT_EQ(read_arguments(command(), {"--", "--odd"}).positional().front(), "--odd");
}

TEST(CommandLine, HelpWinsOverMistakes) { EXPECT_TRUE(read_arguments(command(), {"-h"}).help()); }

TEST(CommandLine, SaysWhatIsWrong) {
  EXPECT_EQ(complaint({"m", "--pionts", "3"}),
            "unknown option '--pionts' | did you mean '--points'?");
  EXPECT_EQ(complaint({"m", "--end=x"}), "--end needs a number, not 'x'");
  EXPECT_EQ(complaint({"m", "--end", "inf"}), "--end needs a number, not 'inf'");
  EXPECT_EQ(complaint({"m", "--points", "0"}), "--points needs a whole number above zero, not '0'");
  EXPECT_EQ(complaint({"m", "--points", "1e3"}),
            "--points needs a whole number above zero, not '1e3'");
  EXPECT_EQ(complaint({"m", "--end"}), "option '--end' needs a value: T");
  EXPECT_EQ(complaint({"m", "--end", "1", "--end", "2"}), "option '--end' is given twice");
  EXPECT_EQ(complaint({"m", "--json=1"}), "option '--json' takes no value");
  EXPECT_EQ(complaint({"m", "--verify"}), "option '--verify' is not available in this version");
  EXPECT_EQ(complaint({"m", "n"}), "unexpected argument 'n'");
  EXPECT_EQ(complaint({}), "simulate needs MODEL");
}

TEST(CommandLine, CommasInBracketsDoNotSplit) {
  EXPECT_EQ(split_at_commas("a, [S1],A(b,c),rate(J1),"),
            (std::vector<std::string>{"a", "[S1]", "A(b,c)", "rate(J1)"}));
}

}  // namespace
}  // namespace stiffit::internal
