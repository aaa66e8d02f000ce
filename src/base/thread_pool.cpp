// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include "base/thresholds.h"

namespace stiffit::internal {
namespace {

constexpr int part_bits = 32;
constexpr std::uint64_t round_of(std::uint64_t ticket) { return ticket >> part_bits; }
constexpr int part_of(std::uint64_t ticket) { return static_cast<int>(ticket & 0xffffffffu); }

// A thread that has been waited for this long has lost its core; the team rests this many times as
// long as it was waited for.
constexpr std::chrono::microseconds too_long{300};
constexpr int rest = 50;

void breathe() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadPool& ThreadPool::of(int threads) {
  thread_local std::unique_ptr<ThreadPool> own;
  if (!own || own->size() != threads) {
    own.reset();
    own.reset(new ThreadPool(threads));
  }
  return *own;
}

ThreadPool::ThreadPool(int threads) {
  for (int part = 1; part < threads; ++part) others_.emplace_back([this] { wait_for_work(); });
}

ThreadPool::~ThreadPool() {
  over_ = true;
  ticket_.store((round_of(ticket_) + 1) << part_bits | 0x7fffffffu);  // a round without parts
  ticket_.notify_all();
  for (std::thread& other : others_) other.join();
}

void ThreadPool::run(Call call, const void* context) {
  if (rests_until_ != Clock::time_point{}) {
    if (Clock::now() < rests_until_) {
      for (int part = 0; part < parts(); ++part) call(context, part);
      return;
    }
    rests_until_ = {};
  }
  call_ = call;
  context_ = context;
  done_.store(0, std::memory_order_relaxed);
  const std::uint64_t round = round_of(ticket_.load(std::memory_order_relaxed)) + 1;
  ticket_.store(round << part_bits, std::memory_order_release);
  ticket_.notify_all();
  while (take_one(round)) {
  }
  wait_for_others();
}

// False: no part of this round is left.
bool ThreadPool::take_one(std::uint64_t round) {
  std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
  do {
    if (round_of(ticket) != round || part_of(ticket) >= parts()) return false;
  } while (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel));
  call_(context_, part_of(ticket));
  done_.fetch_add(1, std::memory_order_release);
  return true;
}

void ThreadPool::wait_for_others() {
  constexpr int turns_without_clock = 2000;
  Clock::time_point began{};
  for (int turn = 0; done_.load(std::memory_order_acquire) < parts(); ++turn) {
    if (turn < turns_without_clock) {
      breathe();
      continue;
    }
    if (turn == turns_without_clock) began = Clock::now();
    std::this_thread::yield();
  }
  if (began == Clock::time_point{}) return;
  const Clock::time_point now = Clock::now();
  if (now - began > too_long) rests_until_ = now + rest * (now - began);
}

void ThreadPool::wait_for_work() {
  for (std::uint64_t seen = 0; !over_;) {
    std::uint64_t ticket = seen;
    for (int turn = 0; (ticket = ticket_.load(std::memory_order_acquire)) == seen; ++turn)
      if (turn < thresholds::turns_awake)
        breathe();
      else
        ticket_.wait(seen, std::memory_order_acquire);
    while (take_one(round_of(ticket))) {
    }
    seen = ticket_.load(std::memory_order_acquire);
    if (round_of(seen) != round_of(ticket)) seen = ticket;  // another has begun meanwhile
  }
}

}  // namespace stiffit::internal
