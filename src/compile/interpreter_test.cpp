// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "compile/kernel.h"

namespace stiffit::internal {
namespace {

class Interpreter : public testing::TestWithParam<int> {};

// y0 = x0*x1 + 3, y1 = x1 < x0 ? exp(x0) : -x1, then y0 is read back and doubled.
TEST_P(Interpreter, RunsEveryLaneByItself) {
  const int lanes = GetParam();
  Tape tape;
  const Value x0 = tape.load(0, 0), x1 = tape.load(0, 1);
  tape.store(1, 0, tape.fma(x0, x1, tape.constant(3)));
  const Value smaller = tape.apply(Op::lt, x1, x0);
  tape.store(1, 1, tape.apply(Op::select, tape.apply(Op::exp, x0), smaller, tape.neg(x1)));
  const Value y0 = tape.load(1, 0);
  tape.store(1, 0, tape.add(y0, y0));
  const Kernel kernel = interpret(tape, lanes);
  auto work = [&](double offset) {
    std::vector<double> x(2 * lanes), y(2 * lanes);
    for (int l = 0; l < lanes; ++l) x[l] = offset + l, x[lanes + l] = 2.5;
    double* arrays[] = {x.data(), y.data()};
    for (int repeat = 0; repeat < 100; ++repeat) kernel(arrays);
    for (int l = 0; l < lanes; ++l) {
      EXPECT_EQ(y[l], 2 * (x[l] * 2.5 + 3));
      EXPECT_EQ(y[lanes + l], 2.5 < x[l] ? std::exp(x[l]) : -2.5);
    }
  };
  std::thread other(work, 0.125);
  work(0.5);
  other.join();
}

INSTANTIATE_TEST_SUITE_P(Lanes, Interpreter, testing::Values(1, 4, 8));

TEST(InterpreterLanes, RefusesOtherCounts) {
  EXPECT_THROW(interpret(Tape{}, 2), std::invalid_argument);
}

}  // namespace
}  // namespace stiffit::internal
