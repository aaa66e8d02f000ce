// Every finding of the reader, with its place.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "io/bng/net_values_for_test.h"

namespace stiffit::internal {
namespace {

std::string blocks(const std::string& parameters, const std::string& functions = "",
                   const std::string& species = "1 A() 1\n", const std::string& reactions = "",
                   const std::string& groups = "") {
  return "begin parameters\n" + parameters + "end parameters\nbegin functions\n" + functions +
         "end functions\nbegin species\n" + species + "end species\nbegin reactions\n" + reactions +
         "end reactions\nbegin groups\n" + groups + "end groups\n";
}

void expect_error(const std::string& text, const std::string& message) {
  NetResult result = read_net(text);
  EXPECT_FALSE(result.model) << text;
  EXPECT_NE(result.messages.find(message), std::string::npos) << "wanted: " << message << "\n"
                                                              << result.messages;
}

TEST(ReadBngErrors, PointAtTheWord) {
  NetResult result = read_net(blocks("1 kon 1\n2 x 3*kom\n"));
  EXPECT_FALSE(result.model);
  EXPECT_EQ(result.messages,
            "error: unknown name 'kom'\n"
            "  small.net:3:7\n"
            "  3 | 2 x 3*kom\n"
            "    |       ^^^ did you mean 'kon', declared on line 2?\n");
}

TEST(ReadBngErrors, AllAtOnce) {
  NetResult result =
      read_net(blocks("1 k 2+\n", "1 f() q\n", "1 A()\n", "1 1 9 k\n2 1\n", "1 G 1,x\n"));
  for (const char* message : {"found the end of the line", "unknown name 'q'", "incomplete species",
                              "there is no species 9", "incomplete reaction", "found 'x'"})
    EXPECT_NE(result.messages.find(message), std::string::npos) << message << result.messages;
}

TEST(ReadBngErrors, Expressions) {
  expect_error(blocks("1 k (1+2\n"), "expected ')', found the end of the line");
  expect_error(blocks("1 k 1 2\n"), "unexpected '2'");
  expect_error(blocks("1 k 3*$\n"), "expected a number, a name or '(', found '$'");
  expect_error(blocks("1 k .\n"), "malformed number");
  expect_error(blocks("1 k 1\n2 x k(1)\n"), "'k' takes no arguments");
  expect_error(blocks("1 k if(1,2)\n"), "'if' takes 3 arguments, found 2");
  expect_error(blocks("1 k min()\n"), "'min' needs at least one argument");
  expect_error(blocks("1 k log(2)\n"), "write 'ln' or 'log10'");
  expect_error(blocks("1 k mratio(1,2,3)\n"), "unknown function 'mratio'");
  expect_error(blocks("1 k " + std::string(5000, '(') + "1\n"), "nested too deeply");
  expect_error(blocks("1 k " + std::string(5000, '-') + "1\n"), "nested too deeply");
  std::string sum = "1";
  for (int i = 0; i < 30000; ++i) sum += "+1";
  expect_error(blocks("1 k " + sum + "\n"), "operations");
}

TEST(ReadBngErrors, Names) {
  expect_error(blocks("1 k 1\n2 k 2\n"), "first declared on line 2");
  expect_error(blocks("1 k 1\n", "1 k() 2\n"), "'k' is declared twice");
  expect_error(blocks("", "", "1 A() 1\n", "", "1 G 1\n2 G 1\n"), "'G' is declared twice");
  NetResult shared = read_net(blocks("1 k 2\n", "1 f() 3*k\n", "1 A() 1\n", "", "1 k 1\n"));
  ASSERT_TRUE(shared.model);
  EXPECT_NE(shared.messages.find("group 'k' has the name of a parameter"), std::string::npos);
  EXPECT_EQ(NetValues(*shared.model).of("f"), 6);
  expect_error(blocks("1 9k 1\n"), "expected a name, found '9k 1'");
  expect_error(blocks("1 k\n"), "parameter 'k' has no value");
  expect_error(blocks("1 a b\n2 b 2*a\n"), "depends on itself");
  expect_error(blocks("", "1 f() g()\n2 g() f()+1\n"), "depends on itself");
  expect_error(blocks("", "1 f(x) f(x-1)\n2 g() f(1)\n"), "'f' depends on itself");
}

TEST(ReadBngErrors, Functions) {
  expect_error(blocks("", "1 f 2\n"), "expected 'f() expression'");
  expect_error(blocks("", "1 f()\n"), "function 'f' has no expression");
  expect_error(blocks("", "1 f(x) x\n2 g() f(1,2)\n"), "takes 1 arguments, found 2");
  expect_error(blocks("", "1 f(x) x\n2 g() f\n"), "function 'f' needs arguments");
  expect_error(blocks("", "1 f(x) G(x)\n2 g() f(1)\n", "1 A() 1\n", "", "1 G 1\n"),
               "counts molecules inside one species");
}

TEST(ReadBngErrors, Species) {
  expect_error(blocks("", "", "1 A() 1\n3 B() 1\n"), "species number 3 is out of order");
  expect_error(blocks("", "", "1 A() 1\n2 A() 1\n"), "species 'A()' is declared twice");
  expect_error(blocks("", "", "1 A() nothere\n"), "unknown name 'nothere'");
  expect_error("hello\n", "no species");
  expect_error("", "no species");
}

TEST(ReadBngErrors, Reactions) {
  auto reaction = [](const std::string& line) {
    return blocks("1 k 1\n", "", "1 A() 1\n2 B() 1\n", line + "\n");
  };
  expect_error(reaction("1 1,3 2 k"), "there is no species 3");
  expect_error(reaction("1 1,,2 2 k"), "expected the number of a species");
  expect_error(reaction("1 1, 2 k"), "expected the number of a species");
  expect_error(reaction("1 A 2 k"), "expected the number of a species, found 'A'");
  expect_error(reaction("x 1 2 k"), "expected the number of the reaction");
  expect_error(reaction("1 1 2 kk"), "unknown name 'kk'");
  expect_error(reaction("1 1 2 2*kk"), "unknown name 'kk'");
  expect_error(reaction("1 1 2 Sat"), "'Sat' needs a rate constant");
  expect_error(reaction("1 1 2 Sat k k k"), "more saturation constants");
  expect_error(reaction("1 1 2 MM k k"), "'MM' needs two reactants");
  expect_error(reaction("1 1,2 2 MM k"), "'MM' needs two parameters");
  expect_error(reaction("1 1 2 Hill k k"), "'Hill' needs three parameters");
  expect_error(reaction("1 0 2 Hill k k k"), "'Hill' needs a reactant");
  expect_error(reaction("1 1 2 Arrhenius(k,k)"), "rate law 'Arrhenius' is not read");
}

TEST(ReadBngErrors, BlocksAndGroups) {
  expect_error("begin species\n1 A() 1\n", "block 'species' is never closed");
  expect_error("begin species\n1 A() 1\nend groups\n", "'end groups' closes block 'species'");
  expect_error("end species\n", "'end species' without its 'begin'");
  expect_error("begin species\n1 A() 1\nbegin groups\nend groups\n", "begins inside block");
  expect_error(blocks("", "", "1 A() 1\n", "", "1 G 2\n"), "there is no species 2");
  expect_error(blocks("", "", "1 A() 1\n", "", "1 G x*1\n"), "expected weight*species");
  expect_error(blocks("", "", "1 A() 1\n", "", "1 G(x) 1\n"), "expected the name of a group");
  NetResult unknown = read_net("begin spezies\nend spezies\n" + blocks(""));
  EXPECT_TRUE(unknown.model);
  EXPECT_NE(unknown.messages.find("warning: block 'spezies' is not known"), std::string::npos);
}

TEST(ReadBngErrors, StopAtTheLimit) {
  std::string reactions;
  for (int i = 0; i < 1000; ++i) reactions += "1 7 7 k\n";
  NetResult result = read_net(blocks("", "", "1 A() 1\n", reactions));
  EXPECT_NE(result.messages.find("too many errors"), std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
