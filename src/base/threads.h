// Work over several threads; what one of them throws is thrown here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "base/interrupt.h"

namespace stiffit::internal {

// The same work on every thread, the caller's being the first; `work` is told the number of its
// thread.
inline void on_threads(std::size_t threads, const std::function<void(std::size_t)>& work) {
  if (threads <= 1) return work(0);
  std::vector<std::exception_ptr> trouble(threads);
  const std::atomic<bool>* interrupt = InterruptScope::flag();
  auto guarded = [&](std::size_t k) {
    const InterruptScope same(interrupt);
    try {
      work(k);
    } catch (...) {
      trouble[k] = std::current_exception();
    }
  };
  std::vector<std::thread> pool;
  for (std::size_t k = 1; k < threads; ++k) pool.emplace_back(guarded, k);
  guarded(0);
  for (auto& thread : pool) thread.join();
  for (auto& exception : trouble)
    if (exception) std::rethrow_exception(exception);
}

// Every index once, in order of their beginning. After one has thrown no other is begun.
template <class Work>
void for_each_index(std::size_t count, int threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  const std::size_t most = std::min(static_cast<std::size_t>(std::max(1, threads)), count);
  on_threads(most, [&](std::size_t) {
    for (std::size_t k; (k = next++) < count;) {
      try {
        work(k);
      } catch (...) {
        next = count;
        throw;
      }
    }
  });
}

}  // namespace stiffit::internal
