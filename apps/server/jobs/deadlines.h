// Flags that are raised when their time is up, unless they are taken back before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace stiffit::internal {

using Flag = std::shared_ptr<std::atomic<bool>>;

class Deadlines {
 public:
  Deadlines();
  ~Deadlines();  // raises all that are left

  // Held as long as the deadline counts.
  class Hold {
   public:
    Hold(Deadlines& owner, Flag flag, double seconds);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    bool passed() const { return std::chrono::steady_clock::now() >= until_; }

   private:
    Deadlines& owner_;
    std::chrono::steady_clock::time_point until_;
    std::multimap<std::chrono::steady_clock::time_point, Flag>::iterator place_;
  };

 private:
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<std::chrono::steady_clock::time_point, Flag> flags_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace stiffit::internal
