// SPDX-License-Identifier: Apache-2.0
#include "compile/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace stiffit::internal {
namespace {

TEST(Kernel, BestIsaIsPossible) {
  const std::vector<Isa> possible = possible_isas();
  EXPECT_NE(std::find(possible.begin(), possible.end(), best_isa()), possible.end());
  EXPECT_EQ(possible.front(), Isa::portable);
}

// The choice is made once per process, so each wish is tried in a process of its own.
TEST(KernelDeathTest, EnvironmentLowersTheIsa) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto chosen_under = [](const char* wish) {
    setenv("STIFFIT_ISA", wish, 1);
    std::exit(10 + static_cast<int>(best_isa()));
  };
  const int best = static_cast<int>(possible_isas().back());
  const int avx2 = std::min(best, static_cast<int>(Isa::avx2));
  EXPECT_EXIT(chosen_under("portable"), testing::ExitedWithCode(10), "");
  EXPECT_EXIT(chosen_under("avx2"), testing::ExitedWithCode(10 + avx2), "");
  EXPECT_EXIT(chosen_under("avx512"), testing::ExitedWithCode(10 + best), "");
  EXPECT_EXIT(chosen_under("nonsense"), testing::ExitedWithCode(10 + best), "");
}

TEST(Kernel, CodeBytesTellMachineCodeFromInterpretation) {
  Tape tape;
  tape.store(0, 1, tape.mul(tape.load(0, 0), tape.constant(2)));
  EXPECT_FALSE(Kernel());
  for (Isa isa : possible_isas()) {
    const Kernel kernel = make_kernel(tape, 1, isa);
    EXPECT_EQ(kernel.code_bytes() > 0, isa != Isa::portable);
    double memory[2] = {21, 0};
    double* arrays[] = {memory};
    kernel(arrays);
    EXPECT_EQ(memory[1], 42);
  }
}

}  // namespace
}  // namespace stiffit::internal
