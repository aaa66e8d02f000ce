// Pieces of work of very different length over the processes of one run. The coordinator (rank 0)
// hands them out one by one to whoever is free, its own threads among them, and keeps the results.
// While there are many left each process has one in reserve, so that it never waits for the
// coordinator. What a process that has fallen silent was working on is given to others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/distributed/channel.h"

namespace stiffit::internal {

// Tells the coordinator something about a piece before it is done, to be kept.
using WorkerNote = std::function<void(std::string_view)>;
// From the input of a piece to its result. Runs on several threads at once.
using WorkerTask = std::function<std::string(std::string_view input, const WorkerNote& note)>;

// What another process could not do, in its words.
class WorkerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct WorkerResults {
  std::function<void(std::size_t piece, std::string_view)> note;
  std::function<void(std::size_t piece, std::string_view)> done;
};

struct WorkerTimes {
  std::chrono::milliseconds alive{2000};    // between signs of life
  std::chrono::milliseconds silent{60000};  // without one a process counts as lost
};

class WorkerPool {
 public:
  // `interrupt` of the coordinator: what is not begun is not begun any more, and the others are
  // told.
  WorkerPool(std::unique_ptr<Channel> channel, const std::atomic<bool>* interrupt,
             WorkerTimes times = {});
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  bool is_coordinator() const { return channel_->rank() == 0; }
  int size() const { return channel_->size(); }

  // Of the coordinator: the results of all inputs, in any order; on an interrupt without those that
  // were not begun. `arrivals` are called on this thread. Throws what `work` throws, WorkerError
  // for what it throws elsewhere.
  void spread(const std::string& kind, std::span<const std::string> inputs, int threads,
              const WorkerTask& work, const WorkerResults& arrivals);
  // Workers that have answered so far, each with its threads, and `own` threads.
  int places(int own) const;

  // Of the others: works on `threads` threads until the coordinator has no more.
  void serve(const std::map<std::string, WorkerTask>& works, int threads);
  // Set when the coordinator is interrupted, or this process.
  const std::atomic<bool>* interrupted() const { return &interrupted_; }
  // Of the others, instead of serve: why this process cannot take part.
  void decline(const std::string& reason);

  // Of the coordinator: lets the others go home. Also done by the destructor.
  void dismiss();

 private:
  class TaskLoop;
  class WorkerLoop;
  using Clock = std::chrono::steady_clock;
  struct Member {
    int threads = 0;  // 0: has not said anything yet
    bool lost = false;
    Clock::time_point heard{};
    std::string declined;
  };
  void check_interrupt();

  std::unique_ptr<Channel> channel_;
  const std::atomic<bool>* outside_;
  std::atomic<bool> interrupted_{false};
  WorkerTimes times_;
  std::vector<Member> members_;
  std::int64_t round_ = 0;
  bool told_ = false, dismissed_ = false;
};

}  // namespace stiffit::internal
