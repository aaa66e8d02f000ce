// The same work on every thread; what one of them throws is thrown here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace stiffit {

// `work` is told the number of its thread.
inline void on_threads(std::size_t threads, const std::function<void(std::size_t)>& work) {
  if (threads <= 1) return work(0);
  std::vector<std::exception_ptr> trouble(threads);
  std::vector<std::thread> pool;
  for (std::size_t k = 0; k < threads; ++k)
    pool.emplace_back([&, k] {
      try {
        work(k);
      } catch (...) {
        trouble[k] = std::current_exception();
      }
    });
  for (auto& thread : pool) thread.join();
  for (auto& exception : trouble)
    if (exception) std::rethrow_exception(exception);
}

}  // namespace stiffit
