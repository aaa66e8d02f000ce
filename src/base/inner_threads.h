// How many threads the work of the calling thread may be spread over where one piece of it is large
// enough: one, unless a scope says otherwise. Kept by thread, so that what runs many trajectories
// side by side is not multiplied. Results never depend on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace stiffit::internal {

class InnerThreads {
 public:
  explicit InnerThreads(int count) : before_(current_) { current_ = std::max(1, count); }
  ~InnerThreads() { current_ = before_; }
  InnerThreads(const InnerThreads&) = delete;
  InnerThreads& operator=(const InnerThreads&) = delete;
  static int count() { return current_; }

 private:
  static inline thread_local int current_ = 1;
  int before_;
};

}  // namespace stiffit::internal
