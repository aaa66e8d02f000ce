// SPDX-License-Identifier: Apache-2.0
#include "compile/lower.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compile/kernel.h"

namespace stiffit::internal {
namespace {

constexpr LeafArrays leaf_arrays{0, 1, 2};  // time, states, parameters; results in 3

long count(const Tape& tape, TapeOp op) {
  return std::count_if(tape.code.begin(), tape.code.end(),
                       [op](const Instruction& i) { return i.op == op; });
}

TEST(Lower, ComputesWhatTheGraphSays) {
  Graph g;
  NodeId x = g.state(0), y = g.state(1), p = g.parameter(0), t = g.time();
  NodeId e = g.add(g.mul(p, g.mul(x, y)), g.apply(Op::exp, g.div(g.neg(t), y)));
  Tape tape = lower(g, {{3, 0, e}, {3, 1, g.sub(x, g.mul(x, y))}}, leaf_arrays, 4, nullptr);
  double time = 0.7, states[2] = {2, 3}, parameters[1] = {5}, out[2] = {0, 0};
  double* memory[4] = {&time, states, parameters, out};
  interpret(tape, 1)(memory);
  auto leaf = [&](Leaf kind, int i) {
    return kind == Leaf::time ? time : kind == Leaf::state ? states[i] : parameters[i];
  };
  EXPECT_NEAR(out[0], g.value(e, leaf), 1e-14);
  EXPECT_EQ(out[1], 2 - 6);
}

TEST(Lower, ExpressionsOfParametersAreHoistedOnce) {
  Graph g;
  NodeId ratio = g.div(g.parameter(0), g.parameter(1));
  NodeId root = g.apply(Op::sqrt, ratio);
  DerivedParameters derived(2);
  Tape tape = lower(g, {{3, 0, g.mul(root, g.state(0))}, {3, 1, g.mul(root, g.state(1))}},
                    leaf_arrays, 4, &derived);
  EXPECT_EQ(derived.slots(), 3);
  ASSERT_EQ(derived.nodes().size(), 1u);
  EXPECT_EQ(derived.nodes()[0], root);
  EXPECT_EQ(count(tape, TapeOp::div), 0);
  EXPECT_EQ(count(tape, TapeOp::apply), 0);
  EXPECT_EQ(count(tape, TapeOp::load), 3);  // two states, one derived parameter
  // A bare parameter is no derived one.
  lower(g, {{3, 0, g.mul(g.parameter(1), g.state(0))}}, leaf_arrays, 4, &derived);
  EXPECT_EQ(derived.slots(), 3);
}

TEST(Lower, AProductUsedOnceIsFusedIntoItsSum) {
  Graph g;
  NodeId x = g.state(0), y = g.state(1), z = g.state(2);
  auto tape_of = [&](NodeId node) { return lower(g, {{3, 0, node}}, leaf_arrays, 4, nullptr); };
  Tape plus = tape_of(g.add(g.mul(x, y), z));
  EXPECT_EQ(count(plus, TapeOp::fma), 1);
  EXPECT_EQ(count(plus, TapeOp::mul), 0);
  EXPECT_EQ(count(tape_of(g.sub(z, g.mul(x, y))), TapeOp::fnma), 1);
  EXPECT_EQ(count(tape_of(g.sub(g.mul(x, y), z)), TapeOp::fms), 1);
}

TEST(Lower, AProductUsedTwiceIsMadeOnce) {
  Graph g;
  NodeId product = g.mul(g.state(0), g.state(1));
  Tape tape = lower(g, {{3, 0, g.add(product, g.state(2))}, {3, 1, g.sub(g.state(2), product)}},
                    leaf_arrays, 4, nullptr);
  EXPECT_EQ(count(tape, TapeOp::mul), 1);
  EXPECT_EQ(count(tape, TapeOp::fma) + count(tape, TapeOp::fnma), 0);
}

TEST(Lower, DeepExpressionsDoNotExhaustTheStack) {
  Graph g;
  NodeId sum = g.state(0);
  for (int i = 0; i < 200000; ++i) sum = g.apply(Op::max, g.add(sum, g.number(1)), g.state(1));
  Tape tape = lower(g, {{3, 0, sum}}, leaf_arrays, 4, nullptr);
  double time = 0, states[2] = {0, -1}, parameters[1] = {0}, out = 0;
  double* memory[4] = {&time, states, parameters, &out};
  interpret(tape, 1)(memory);
  EXPECT_EQ(out, 200000);
}

}  // namespace
}  // namespace stiffit::internal
