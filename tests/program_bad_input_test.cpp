// Bad models and bad command lines: the exit code and the exact words.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "program_run.h"

namespace stiffit::internal {
namespace {

const char* const plain_decay = "J1: A -> B; k*A\nk = 1; A = 2; B = 0\n";

std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  for (int i = 0; i < count && end < text.size(); ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

struct BadModel : testing::Test {
  Scratch s;
  void expect(const std::string& text, const std::string& message) {
    s.write("m.rxn", text);
    ProgramRun run = s.stiffit("simulate m.rxn");
    EXPECT_EQ(run.exit_code, 1) << text;
    EXPECT_EQ(run.messages, message);
    EXPECT_EQ(run.out, "");
  }
};

TEST_F(BadModel, AllMistakesAtOnce) {
  s.write("m.rxn", "A -> B; k*A\nA -> -2 B; k\nk = (1\nA = 1; B = 0\n");
  ProgramRun run = s.stiffit("simulate m.rxn");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.messages.find("a stoichiometry cannot be negative"), std::string::npos)
      << run.messages;
  EXPECT_NE(run.messages.find("m.rxn:3:"), std::string::npos) << run.messages;
  EXPECT_EQ(s.stiffit("check m.rxn").exit_code, 1);
}

TEST_F(BadModel, NegativeStoichiometry) {
  expect("A = 1; B = 0; k = 1\nA -> -2 B; k\n",
         "error: a stoichiometry cannot be negative\n"
         "  m.rxn:2:6\n"
         "  2 | A -> -2 B; k\n"
         "    |      ^^ write the species on the other side\n");
}

TEST_F(BadModel, DivisionByZeroAtTheStart) {
  expect("J1: A -> B; k*A/x\nk = 1; x = 0; A = 2; B = 0\n",
         "error: the rate of reaction 'J1' is not finite at time 0\n"
         "  m.rxn:1:13\n"
         "  1 | J1: A -> B; k*A/x\n"
         "    |             ^^^^^ division by zero: 'x' is 0\n");
}

TEST_F(BadModel, LogarithmOfZeroInARateRule) {
  s.write("m.rxn", "x' = ln(x)\nx = 0\n");
  ProgramRun run = s.stiffit("simulate m.rxn");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(first_lines(run.messages, 1), "error: the rate of 'x' is not finite at time 0\n");
  EXPECT_NE(run.messages.find("the logarithm of 'x', which is 0"), std::string::npos)
      << run.messages;
}

TEST_F(BadModel, GarbageIsRefusedAtOnce) {
  std::string garbage;
  for (int i = 0; i < 1'000'000; ++i) garbage += "%$ )( 3x ]] @\n";
  s.write("m.rxn", garbage);
  ProgramRun run = s.stiffit("check m.rxn");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_LT(run.out.size(), 100'000u);
  EXPECT_NE(run.out.find("too many errors; the first 50 are shown"), std::string::npos);
}

TEST(BadFile, MissingFolderBinarySbml) {
  Scratch s;
  auto expect = [&](const std::string& arguments, const std::string& message) {
    ProgramRun run = s.stiffit("simulate " + arguments);
    EXPECT_EQ(run.exit_code, 1) << arguments;
    EXPECT_EQ(run.messages, message);
  };
  expect("none.rxn", "error: cannot read 'none.rxn': no such file\n");
  expect(".", "error: cannot read '.': it is a folder\n");
  expect("oregonatr",
         "error: no file and no library model is called 'oregonatr'\n"
         "  did you mean 'oregonator'?\n");
  s.write("zero.rxn", std::string("A\0B", 3));
  expect("zero.rxn",
         "error: cannot read 'zero.rxn': it holds NUL bytes, so it is no UTF-8 text (binary, or "
         "UTF-16?)\n");
}

TEST(BadOutput, IsFoundBeforeTheRun) {
  Scratch s;
  s.write("m.rxn", plain_decay);
  ProgramRun run = s.stiffit("simulate m.rxn -o none/x.csv");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.messages, "error: cannot write 'none/x.csv': there is no folder 'none'\n");
  run = s.stiffit("simulate m.rxn -o .");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.messages, "error: cannot write '.': it is a folder\n");
  run = s.stiffit("simulate m.rxn -o m.rxn/x.csv");
  EXPECT_EQ(run.exit_code, 1);
  run = s.stiffit("simulate m.rxn -o /dev/full");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.messages, "error: cannot write '/dev/full': No space left on device\n");
}

struct BadCommandLine : testing::Test {
  Scratch s;
  void SetUp() override { s.write("m.rxn", plain_decay); }
  void expect(const std::string& arguments, const std::string& message) {
    ProgramRun run = s.stiffit(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_EQ(run.out, "");
    std::size_t usage = run.messages.find("usage: ");
    ASSERT_NE(usage, std::string::npos) << run.messages;
    EXPECT_EQ(run.messages.substr(0, usage), message);
  }
};

TEST_F(BadCommandLine, CommandsAndOptions) {
  expect("", "error: no command given\n");
  expect("simulat m.rxn", "error: unknown command 'simulat'\n  did you mean 'simulate'?\n");
  expect("simulate", "error: simulate needs MODEL\n");
  expect("simulate m.rxn --rtoll 1e-3",
         "error: unknown option '--rtoll'\n  did you mean '--rtol'?\n");
  expect("simulate m.rxn --method rodas",
         "error: unknown method 'rodas'\n  'stiffit methods' lists them\n");
  expect("simulate m.rxn --method dopri",
         "error: unknown method 'dopri'\n  did you mean 'dopri5'?\n");
  expect("simulate m.rxn --method rk4",
         "error: method 'rk4' has no error control, it needs --step H\n");
}

TEST_F(BadCommandLine, Numbers) {
  expect("simulate m.rxn --end -1", "error: the end at -1 is not after the start at 0\n");
  expect("simulate m.rxn --end nan", "error: --end needs a number, not 'nan'\n");
  expect("simulate m.rxn --end 1,5", "error: --end needs a number, not '1,5'\n");
  expect("simulate m.rxn --points 0", "error: --points needs a whole number above zero, not '0'\n");
  expect("simulate m.rxn --rtol -1e-6", "error: --rtol needs a number above zero, not '-1e-6'\n");
  expect("simulate m.rxn --atol inf", "error: --atol needs a number, not 'inf'\n");
  expect("simulate m.rxn --times 2,1", "error: --times must ascend\n");
  expect("simulate m.rxn --times 1,x", "error: --times needs numbers, not 'x'\n");
  expect("simulate m.rxn --times 1 --points 3", "error: --times and --points exclude each other\n");
  expect("simulate m.rxn --lanes 3", "error: --lanes is 1, 4 or 8\n");
}

TEST_F(BadCommandLine, NamesOfTheModel) {
  s.write("r.rxn", "J1: A -> B; k*A\nk = 1; A = 2; B = 0\ntotal := A + B\n");
  expect("simulate r.rxn --set totl=1",
         "error: --set: the model has nothing called 'totl'\n  did you mean 'total'?\n");
  expect("simulate r.rxn --set total=1",
         "error: --set cannot set 'total': a rule on line 3 computes it\n");
  expect("simulate r.rxn --set J1=1",
         "error: --set cannot set 'J1': it is a reaction, its rate is computed\n");
  expect("simulate r.rxn --set k", "error: --set needs name=value, not 'k'\n");
  expect("simulate r.rxn --set k=nan", "error: --set k needs a number, not 'nan'\n");
  expect("simulate r.rxn --show A,totl",
         "error: --show: the model has nothing called 'totl'\n  did you mean 'total'?\n");
}

}  // namespace
}  // namespace stiffit::internal
