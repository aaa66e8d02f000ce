// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/work_threads.h"

#include "base/interrupt.h"

namespace stiffit::internal {

WorkThreads::WorkThreads(int threads) {
  for (int k = 0; k < threads; ++k)
    threads_.emplace_back([this, interrupt = InterruptScope::flag()] {
      const InterruptScope scope(interrupt);
      run();
    });
}

WorkThreads::~WorkThreads() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
    pieces_.clear();
  }
  given_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

int WorkThreads::free() const {
  std::lock_guard lock(mutex_);
  return static_cast<int>(threads_.size()) - busy_;
}

void WorkThreads::give(std::int64_t round, std::size_t piece, std::string input,
                       const WorkerTask& work) {
  {
    std::lock_guard lock(mutex_);
    pieces_.push_back({round, piece, std::move(input), &work});
    ++busy_;
  }
  given_.notify_one();
}

std::optional<WorkEvent> WorkThreads::event(std::chrono::microseconds patience) {
  std::unique_lock lock(mutex_);
  if (events_.empty() && patience.count() > 0)
    told_.wait_for(lock, patience, [&] { return !events_.empty(); });
  if (events_.empty()) return std::nullopt;
  WorkEvent event = std::move(events_.front());
  events_.pop_front();
  if (!event.note) --busy_;
  return event;
}

void WorkThreads::tell(WorkEvent event) {
  {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  told_.notify_one();
}

void WorkThreads::run() {
  for (;;) {
    Piece piece;
    {
      std::unique_lock lock(mutex_);
      given_.wait(lock, [&] { return end_ || !pieces_.empty(); });
      if (end_) return;
      piece = std::move(pieces_.front());
      pieces_.pop_front();
    }
    WorkEvent event{piece.round, piece.number, false, {}, nullptr};
    try {
      event.bytes = (*piece.work)(piece.input, [&](std::string_view bytes) {
        tell({piece.round, piece.number, true, std::string(bytes), nullptr});
      });
    } catch (...) {
      event.trouble = std::current_exception();
    }
    tell(std::move(event));
  }
}

}  // namespace stiffit::internal
