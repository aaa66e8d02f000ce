// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace stiffit::internal {
namespace {

// Many short rounds, so that threads meet each other in every state: awake, asleep, late.
void run_rounds(int threads, int rounds) {
  ThreadPool& pool = ThreadPool::of(threads);
  ASSERT_EQ(pool.size(), threads);
  std::vector<int> times(static_cast<std::size_t>(pool.parts()));
  for (int round = 1; round <= rounds; ++round) {
    std::atomic<long> sum{0};
    pool.run([&](int part) {
      ++times[part];
      sum += part;
    });
    ASSERT_EQ(sum, long{pool.parts()} * (pool.parts() - 1) / 2);
    if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (int each : times) EXPECT_EQ(each, rounds);
}

TEST(ThreadPool, DoesEveryPartOnce) {
  for (int threads : {1, 2, 3, 5}) run_rounds(threads, 3000);
}

TEST(ThreadPool, IsTheCallersOwn) {
  std::vector<std::thread> callers;
  for (int k = 0; k < 3; ++k) callers.emplace_back([] { run_rounds(2, 2000); });
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace stiffit::internal
