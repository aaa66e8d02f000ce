// The same work for every index, on several threads. What one of them throws is thrown here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace stiffit {

template <class Work>
void for_each_index(std::size_t count, int threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr trouble;
  auto each = [&] {
    for (std::size_t k; (k = next++) < count;) {
      try {
        work(k);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!trouble) trouble = std::current_exception();
        next = count;
      }
    }
  };
  const std::size_t most = std::min(static_cast<std::size_t>(std::max(1, threads)), count);
  std::vector<std::thread> pool;
  for (std::size_t k = 1; k < most; ++k) pool.emplace_back(each);
  each();
  for (std::thread& thread : pool) thread.join();
  if (trouble) std::rethrow_exception(trouble);
}

}  // namespace stiffit
