// SPDX-License-Identifier: Apache-2.0
#include "compile/tape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiffit::internal {
namespace {

TEST(Tape, KeepsEachConstantOnceByItsBits) {
  Tape tape;
  const Value zero = tape.constant(0.0);
  const Value minus_zero = tape.constant(-0.0);
  const Value nan = tape.constant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(zero, minus_zero);
  EXPECT_EQ(tape.constant(0.0), zero);
  EXPECT_EQ(tape.constant(-0.0), minus_zero);
  EXPECT_EQ(tape.constant(std::numeric_limits<double>::quiet_NaN()), nan);
  EXPECT_EQ(tape.constants.size(), 3u);
  EXPECT_TRUE(std::signbit(tape.constants[tape.code[minus_zero].a]));
}

TEST(Tape, FindsConstantsAgainAmongThousands) {
  Tape tape;
  std::vector<Value> values;
  for (int i = 0; i < 5000; ++i) values.push_back(tape.constant(i * 0.25));
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(tape.constant(i * 0.25), values[i]);
    EXPECT_EQ(tape.constants[tape.code[values[i]].a], i * 0.25);
  }
  EXPECT_EQ(tape.code.size(), 5000u);
}

TEST(Tape, CountsArraysAndOperands) {
  Tape tape;
  const Value x = tape.load(2, 5);
  EXPECT_EQ(tape.arrays, 3);
  tape.store(4, 0, x);
  EXPECT_EQ(tape.arrays, 5);
  EXPECT_EQ(operand_count(tape.code[x]), 0);
  EXPECT_EQ(operand_count(tape.code.back()), 1);
  EXPECT_EQ(operand_count(tape.code[tape.neg(x)]), 1);
  EXPECT_EQ(operand_count(tape.code[tape.div(x, x)]), 2);
  EXPECT_EQ(operand_count(tape.code[tape.fnma(x, x, x)]), 3);
  EXPECT_EQ(operand_count(tape.code[tape.apply(Op::exp, x)]), 1);
  EXPECT_EQ(operand_count(tape.code[tape.apply(Op::select, x, x, x)]), 3);
}

}  // namespace
}  // namespace stiffit::internal
