// Threads that stay awake between pieces of work of some ten microseconds, for what one trajectory
// does thousands of times a second: starting a thread, or waking one, takes as long as such a
// piece. Work is cut into parts that whoever is there takes, so that a thread that sleeps, or has
// no core, is not waited for; where one is taken from its core in the middle, the team rests for a
// while. Each calling thread has a team of its own, made when it is first asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace stiffit::internal {

class ThreadPool {
 public:
  // The calling thread's, of so many threads with itself.
  static ThreadPool& of(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // work(part) for every part below parts(), in any order and on any of the threads; returns when
  // all are done. `work` must not throw, nor ask for a team.
  template <class Work>
  void run(const Work& work) {
    run([](const void* context, int part) { (*static_cast<const Work*>(context))(part); }, &work);
  }
  int parts() const { return 4 * size(); }
  int size() const { return 1 + static_cast<int>(others_.size()); }

 private:
  using Call = void (*)(const void* context, int part);
  using Clock = std::chrono::steady_clock;
  explicit ThreadPool(int threads);
  void run(Call call, const void* context);
  bool take_one(std::uint64_t round);
  void wait_for_others();
  void wait_for_work();

  std::vector<std::thread> others_;
  Call call_ = nullptr;
  const void* context_ = nullptr;
  Clock::time_point rests_until_{};
  // The number of the round above, the next part that nobody has taken below.
  alignas(64) std::atomic<std::uint64_t> ticket_{0};
  alignas(64) std::atomic<int> done_{0};
  std::atomic<bool> over_{false};
};

}  // namespace stiffit::internal
