// Threads of one process that work on pieces given to them, and what they have to say, in the order
// of its happening.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/distributed/worker_pool.h"

namespace stiffit::internal {

struct WorkEvent {
  std::int64_t round = 0;
  std::size_t piece = 0;
  bool note = false;
  std::string bytes;
  std::exception_ptr trouble;  // then the piece has ended without a result
};

class WorkThreads {
 public:
  explicit WorkThreads(int threads);
  ~WorkThreads();  // pieces that are not begun are dropped; waits for the others
  WorkThreads(const WorkThreads&) = delete;
  WorkThreads& operator=(const WorkThreads&) = delete;

  int count() const { return static_cast<int>(threads_.size()); }
  // Pieces that can be given without one waiting for another; below 0: so many wait.
  int free() const;
  void give(std::int64_t round, std::size_t piece, std::string input, const WorkerTask& work);
  // The next event; waits up to `patience` for it.
  std::optional<WorkEvent> event(std::chrono::microseconds patience);

 private:
  struct Piece {
    std::int64_t round;
    std::size_t number;
    std::string input;
    const WorkerTask* work;
  };
  void run();
  void tell(WorkEvent event);

  mutable std::mutex mutex_;
  std::condition_variable given_, told_;
  std::deque<Piece> pieces_;
  std::deque<WorkEvent> events_;
  int busy_ = 0;  // given and not ended
  bool end_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace stiffit::internal
