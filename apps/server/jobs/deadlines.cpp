// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/deadlines.h"

namespace stiffit::internal {

using Clock = std::chrono::steady_clock;

Deadlines::Deadlines() : thread_([this] { watch(); }) {}

Deadlines::~Deadlines() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    for (auto& [time, flag] : flags_) flag->store(true);
  }
  changed_.notify_all();
  thread_.join();
}

Deadlines::Hold::Hold(Deadlines& owner, Flag flag, double seconds)
    : owner_(owner),
      until_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {
  if (!(seconds > 0)) flag->store(true);
  {
    std::lock_guard lock(owner_.mutex_);
    place_ = owner_.flags_.emplace(until_, std::move(flag));
  }
  owner_.changed_.notify_all();
}

Deadlines::Hold::~Hold() {
  std::lock_guard lock(owner_.mutex_);
  owner_.flags_.erase(place_);
}

void Deadlines::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    // Flags that were raised stay in place until they are taken back.
    const auto now = Clock::now();
    auto next = flags_.begin();
    for (; next != flags_.end() && next->first <= now; ++next) next->second->store(true);
    if (next == flags_.end()) {
      changed_.wait(lock);
    } else {
      const auto until = next->first;  // the flag may be taken back while we wait
      changed_.wait_until(lock, until);
    }
  }
}

}  // namespace stiffit::internal
