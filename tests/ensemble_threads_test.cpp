// Blocks of an ensemble that threads run and count by themselves: the result is that of one thread,
// to the last bit, also after an interrupt.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "analysis/ensemble/ensemble.h"
#include "compiled_model.h"

namespace stiffit::internal {
namespace {

// Some samples grow beyond all bounds before the end.
EnsemblePlan growing(int threads) {
  ProgramOptions wide;
  wide.lanes = 4;
  CompiledModel model =
      compile_model(resolve_text("growing", "species x; x' = k*x*x - x; k = 1; x = 1;\n"), wide);
  EnsemblePlan plan;
  plan.problem = model.problem;
  plan.times = even_times(3, 500);  // so many that there are several blocks
  plan.samples = 700;
  plan.threads = threads;
  plan.sampled.push_back(
      {model.resolved.system.parameter_index("k"), {Distribution::Kind::lognormal, 0.8, 0.2}});
  return plan;
}

std::string bytes(const Ensemble& ensemble) {
  RecordWriter out;
  ensemble.save(out);
  return out.bytes();
}

std::string bytes_at_the_end(Ensemble& ensemble) {
  long next = ensemble.done();
  while (!ensemble.finished())
    EXPECT_TRUE(
        ensemble.advance([&](long sample, const SampleRun&) { EXPECT_EQ(sample, next++); }));
  EXPECT_EQ(next, ensemble.plan().samples);
  return bytes(ensemble);
}

TEST(EnsembleThreads, TheResultIsThatOfOneThread) {
  Ensemble one(growing(1));
  const std::string expected = bytes_at_the_end(one);
  EXPECT_GT(one.failures(), 5);
  EXPECT_LT(one.failures(), 350);
  for (int threads : {2, 3, 7}) {
    Ensemble many(growing(threads));
    EXPECT_TRUE(bytes_at_the_end(many) == expected) << threads;
  }
}

TEST(EnsembleThreads, AnInterruptKeepsWholeBlocksAndItGoesOnFromThere) {
  Ensemble one(growing(1));
  const std::string expected = bytes_at_the_end(one);
  for (int threads : {1, 2, 5}) {
    std::atomic<bool> interrupt = false;
    EnsemblePlan plan = growing(threads);
    plan.integration.interrupt = &interrupt;
    Ensemble broken_off(std::move(plan));
    bool more = true;
    while (more && !broken_off.finished())
      more = broken_off.advance([&](long sample, const SampleRun&) {
        if (sample >= 150) interrupt = true;
      });
    EXPECT_GT(broken_off.done(), 150) << threads;
    EXPECT_LT(broken_off.done(), 700) << threads;
    EXPECT_EQ(broken_off.bands().count(0) + std::uint64_t(broken_off.failures()),
              std::uint64_t(broken_off.done()));
    interrupt = false;
    const std::string state = bytes(broken_off);
    Ensemble goes_on(growing(threads));
    RecordReader from(state);
    goes_on.restore(from);
    EXPECT_TRUE(bytes_at_the_end(goes_on) == expected) << threads;
    EXPECT_TRUE(bytes_at_the_end(broken_off) == expected) << threads;
  }
}

TEST(EnsembleThreads, WhatASampleThrowsEndsTheRound) {
  Ensemble ensemble(growing(4));
  EXPECT_THROW(while (!ensemble.finished()) ensemble.advance([](long sample, const SampleRun&) {
    if (sample == 200) throw std::runtime_error("no more");
  }),
               std::runtime_error);
}

}  // namespace
}  // namespace stiffit::internal
