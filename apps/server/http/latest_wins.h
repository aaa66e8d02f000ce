// Of the requests of one tab only the newest counts: an older one that still runs is stopped, and
// one that arrives late is refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include "base/lru_cache.h"
#include "server/jobs/deadlines.h"

namespace stiffit::internal {

class LatestWins {
 public:
  LatestWins() : clients_(256) {}

  // Raises the flag of the client's older request. False: this one is the older.
  bool enter(const std::string& client, long sequence, const Flag& flag) {
    std::lock_guard lock(mutex_);
    auto last = clients_.find(client);
    if (last && last->sequence > sequence) return false;
    if (last) last->flag->store(true);
    clients_.put(client, std::make_shared<Entry>(Entry{sequence, flag}));
    return true;
  }

 private:
  struct Entry {
    long sequence;
    Flag flag;
  };
  std::mutex mutex_;
  LruCache<Entry> clients_;
};

}  // namespace stiffit::internal
