// Pieces of work of very different length over the processes of one run. The chief (rank 0) hands
// them out one by one to whoever is free, its own threads among them, and keeps the results. While
// there are many left each process has one in reserve, so that it never waits for the chief. What a
// process that has fallen silent was working on is given to others.
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

namespace stiffit {

// Tells the chief something about a piece before it is done, to be kept.
using CrewNote = std::function<void(std::string_view)>;
// From the input of a piece to its result. Runs on several threads at once.
using CrewWork = std::function<std::string(std::string_view input, const CrewNote& note)>;

// What another process could not do, in its words.
class CrewError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct CrewArrivals {
  std::function<void(std::size_t piece, std::string_view)> note;
  std::function<void(std::size_t piece, std::string_view)> done;
};

struct CrewTimes {
  std::chrono::milliseconds alive{2000};    // between signs of life
  std::chrono::milliseconds silent{60000};  // without one a process counts as lost
};

class Crew {
 public:
  // `interrupt` of the chief: what is not begun is not begun any more, and the others are told.
  Crew(std::unique_ptr<Channel> channel, const std::atomic<bool>* interrupt, CrewTimes times = {});
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  bool chief() const { return channel_->rank() == 0; }
  int size() const { return channel_->size(); }

  // Of the chief: the results of all inputs, in any order; on an interrupt without those that were
  // not begun. `arrivals` are called on this thread. Throws what `work` throws, CrewError for
  // what it throws elsewhere.
  void spread(const std::string& kind, std::span<const std::string> inputs, int threads,
              const CrewWork& work, const CrewArrivals& arrivals);
  // Workers that have answered so far, each with its threads, and `own` threads.
  int places(int own) const;

  // Of the others: works on `threads` threads until the chief has no more.
  void serve(const std::map<std::string, CrewWork>& works, int threads);
  // Set when the chief is interrupted, or this process.
  const std::atomic<bool>* interrupted() const { return &interrupted_; }
  // Of the others, instead of serve: why this process cannot take part.
  void decline(const std::string& reason);

  // Of the chief: lets the others go home. Also done by the destructor.
  void dismiss();

 private:
  class Round;
  class Shift;
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
  CrewTimes times_;
  std::vector<Member> members_;
  std::int64_t round_ = 0;
  bool told_ = false, dismissed_ = false;
};

}  // namespace stiffit
