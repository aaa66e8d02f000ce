// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "compile/tape_trial.h"

namespace stiffit::internal {
namespace {

struct Way {
  Isa isa;
  int lanes;
};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (Isa isa : possible_isas())
    if (isa != Isa::portable)
      for (int lanes : {1, 4, 8}) all.push_back({isa, lanes});
  return all;
}

// Runs the tape as machine code and by the oracle on the same random memory.
int differences(const Tape& tape, const TapeShape& shape, Way way, unsigned seed) {
  std::mt19937 random(seed);
  TrialMemory memory(shape.arrays, shape.elements, way.lanes);
  memory.fill(random);
  TrialMemory expected = memory.copy();
  static std::map<std::pair<Isa, int>, std::unique_ptr<TrialOracle>> oracles;
  auto& oracle = oracles[{way.isa, way.lanes}];
  if (!oracle) oracle = std::make_unique<TrialOracle>(way.lanes, way.isa);
  oracle->run(tape, expected);
  emit(tape, way.lanes, way.isa)(memory.arrays());
  return memory.differences(expected);
}

void try_shapes(const TapeShape& shape, int count) {
  for (int seed = 0; seed < count; ++seed) {
    std::mt19937 random(seed);
    const Tape tape = random_tape(random, shape);
    for (Way way : ways())
      ASSERT_EQ(differences(tape, shape, way, seed), 0)
          << "seed " << seed << ", lanes " << way.lanes << ", isa " << int(way.isa);
  }
}

TEST(Emitter, SmallTapesOfAllOperations) { try_shapes({}, 1500); }
TEST(Emitter, TinyTapes) { try_shapes({8, 2, 3, 1 << 30, TapeMix::all}, 2000); }
TEST(Emitter, RegisterPressure) {
  try_shapes({600, 3, 40, 1 << 30, TapeMix::native}, 60);
  try_shapes({600, 3, 40, 1 << 30, TapeMix::all}, 60);
}
TEST(Emitter, ManyArrays) { try_shapes({200, 30, 2, 40, TapeMix::all}, 100); }
TEST(Emitter, InPlaceUpdates) { try_shapes({300, 1, 4, 25, TapeMix::native}, 300); }
TEST(Emitter, LongTapes) {
  try_shapes({20000, 5, 300, 400, TapeMix::native}, 1);
  try_shapes({20000, 5, 300, 60, TapeMix::all}, 1);
}

TEST(Emitter, AgreesWithTheInterpreterBitForBit) {
  const TapeShape shape{120, 3, 8, 60, TapeMix::exact};
  for (int seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const Tape tape = random_tape(random, shape);
    for (Way way : ways()) {
      TrialMemory memory(shape.arrays, shape.elements, way.lanes);
      memory.fill(random);
      TrialMemory expected = memory.copy();
      interpret(tape, way.lanes)(expected.arrays());
      emit(tape, way.lanes, way.isa)(memory.arrays());
      ASSERT_EQ(memory.differences(expected), 0) << "seed " << seed << ", lanes " << way.lanes;
    }
  }
}

// 200 sums that all live until the end, with a call in the middle.
TEST(Emitter, TwoHundredLiveValues) {
  const TapeShape shape{0, 2, 200, 0, TapeMix::all};
  Tape tape;
  std::vector<Value> live;
  for (int i = 0; i < 200; ++i)
    live.push_back(tape.add(tape.load(0, i), tape.load(0, (i * 7) % 200)));
  const Value called = tape.apply(Op::exp, live[10]);
  for (int i = 0; i < 200; ++i)
    tape.store(1, i, tape.fma(live[i], live[199 - i], i % 3 ? called : live[5]));
  for (Way way : ways()) EXPECT_EQ(differences(tape, shape, way, 7), 0);
}

TEST(Emitter, ValuesAcrossCallsOfTwoArguments) {
  const TapeShape shape{0, 2, 6, 0, TapeMix::all};
  for (int order = 0; order < 2; ++order) {
    Tape tape;
    Value x = tape.apply(Op::abs, tape.load(0, 0)), y = tape.neg(tape.load(0, 1));
    if (order == 1) std::swap(x, y);
    const Value p = tape.apply(Op::pow, x, y), q = tape.apply(Op::pow, y, x);
    const Value r = tape.apply(Op::pow, p, p), s = tape.apply(Op::rem, r, q);
    int e = 0;
    for (Value v : {x, y, p, q, r, s}) tape.store(1, e++, v);
    for (Way way : ways()) EXPECT_EQ(differences(tape, shape, way, 3), 0);
  }
}

// An exponent that was stored as a constant and read again is expanded as if it had been written
// so.
TEST(Emitter, ConstantExponentsThatWentThroughMemory) {
  for (double exponent : {-3.0, -0.5, 0.0, 1.5, 2.0, 7.0, 2.75})
    for (Way way : ways()) {
      Tape tape;
      const Value x = tape.load(0, 0), y = tape.constant(exponent);
      tape.store(0, 1, y);
      tape.store(0, 2, tape.apply(Op::pow, x, tape.load(0, 1)));
      tape.store(0, 3, tape.apply(Op::pow, x, y));
      TrialMemory memory(1, 4, way.lanes);
      for (int l = 0; l < way.lanes; ++l) memory.at(0, 0, l) = 0.3 + 0.49 * l;
      emit(tape, way.lanes, way.isa)(memory.arrays());
      for (int l = 0; l < way.lanes; ++l) {
        EXPECT_EQ(memory.at(0, 2, l), memory.at(0, 3, l)) << exponent << ", lane " << l;
        EXPECT_DOUBLE_EQ(memory.at(0, 3, l), std::pow(memory.at(0, 0, l), exponent));
      }
    }
}

// The old value of an element is needed after the element has been written.
TEST(Emitter, OldValueOfAnOverwrittenElement) {
  const TapeShape shape{0, 1, 4, 0, TapeMix::all};
  Tape tape;
  const Value x = tape.load(0, 0), y = tape.load(0, 1);
  tape.store(0, 0, y);
  tape.store(0, 1, x);  // swapped
  const Value z = tape.load(0, 0);
  tape.store(0, 2, tape.add(z, x));
  tape.store(0, 2, tape.mul(tape.load(0, 2), tape.load(0, 1)));
  tape.store(0, 3, tape.load(0, 3));
  for (Way way : ways()) EXPECT_EQ(differences(tape, shape, way, 11), 0);
}

TEST(Emitter, NothingToDo) {
  Tape tape;
  tape.load(0, 0);
  for (Way way : ways()) {
    EXPECT_EQ(differences(tape, {0, 1, 1, 0, TapeMix::all}, way, 1), 0);
    EXPECT_EQ(differences(Tape{}, {0, 1, 1, 0, TapeMix::all}, way, 1), 0);
  }
}

TEST(Emitter, ConstantExponents) {
  for (double y : {0.,  1.,  2.,  3.,  4.,  5.,  6.,   7.,  8.,  9.,
                   -1., -2., -3., -4., -5., 0.5, -0.5, 1.5, 2.5, -0.0}) {
    Tape tape;
    tape.store(1, 0, tape.apply(Op::pow, tape.load(0, 0), tape.constant(y)));
    for (Way way : ways()) {
      const Kernel kernel = emit(tape, way.lanes, way.isa);
      for (double x :
           {0.0, -0.0, 1.0, -1.0, 2.0, 0.3, -0.7, 1e-9, 123.456, -4.5, 1e30,
            std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        TrialMemory memory(2, 1, way.lanes);
        for (int l = 0; l < way.lanes; ++l) memory.at(0, 0, l) = x;
        kernel(memory.arrays());
        const double expected = std::pow(x, y), got = memory.at(1, 0, way.lanes - 1);
        if (std::isnan(expected)) {
          EXPECT_TRUE(std::isnan(got)) << x << "^" << y;
        } else if (expected == 0 || std::isinf(expected)) {
          EXPECT_EQ(got, expected) << x << "^" << y;
          EXPECT_EQ(std::signbit(got), std::signbit(expected)) << x << "^" << y;
        } else {
          EXPECT_LE(std::abs(got - expected), 4 * 2.3e-16 * std::abs(expected)) << x << "^" << y;
        }
      }
    }
  }
}

TEST(Emitter, OneKernelOnManyThreadsAndKernelsThatDie) {
  Tape tape;
  Value sum = tape.load(0, 0);
  for (int i = 1; i < 50; ++i) sum = tape.add(tape.apply(Op::exp, tape.neg(sum)), tape.load(0, i));
  tape.store(1, 0, sum);
  for (Way way : ways()) {
    Kernel kernel = emit(tape, way.lanes, way.isa);
    const Kernel copy = kernel;
    kernel = Kernel();
    auto work = [&](double start) {
      TrialMemory memory(2, 50, way.lanes), expected(2, 50, way.lanes);
      for (int e = 0; e < 50; ++e)
        for (int l = 0; l < way.lanes; ++l) memory.at(0, e, l) = start + e + l;
      expected = memory.copy();
      copy(expected.arrays());
      for (int repeat = 0; repeat < 200; ++repeat) {
        emit(tape, way.lanes, way.isa)(memory.arrays());
        EXPECT_EQ(memory.differences(expected), 0);
      }
    };
    std::thread other(work, 0.5);
    work(0.25);
    other.join();
  }
}

TEST(Emitter, RefusesWhatItCannotDo) {
  EXPECT_THROW(emit(Tape{}, 1, Isa::portable), std::invalid_argument);
  for (Way way : ways()) EXPECT_THROW(emit(Tape{}, 3, way.isa), std::invalid_argument);
}

}  // namespace
}  // namespace stiffit::internal
