// The values used last, so many at most; for any number of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace stiffit::internal {

template <class Value>
class LruCache {
 public:
  explicit LruCache(std::size_t most) : most_(most) {}

  // Null if there is none. Values may still be in use when they are dropped.
  std::shared_ptr<Value> find(const std::string& key) {
    std::lock_guard lock(mutex_);
    auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }
  void put(const std::string& key, std::shared_ptr<Value> value) {
    std::lock_guard lock(mutex_);
    if (auto found = places_.find(key); found != places_.end()) {
      order_.erase(found->second);
      places_.erase(found);
    }
    order_.emplace_front(key, std::move(value));
    places_[key] = order_.begin();
    if (order_.size() > most_) {
      places_.erase(order_.back().first);
      order_.pop_back();
    }
  }
  std::size_t size() {
    std::lock_guard lock(mutex_);
    return order_.size();
  }

 private:
  using Order = std::list<std::pair<std::string, std::shared_ptr<Value>>>;
  std::size_t most_;
  std::mutex mutex_;
  Order order_;
  std::map<std::string, typename Order::iterator> places_;
};

}  // namespace stiffit::internal
