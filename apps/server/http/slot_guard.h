// A place among those that may compute at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <semaphore>

#include "server/http/request_error.h"

namespace stiffit::internal {

using Places = std::counting_semaphore<1024>;

class SlotGuard {
 public:
  // Waits; throws RequestError (503) if that takes too long.
  explicit SlotGuard(Places& free) : free_(free) {
    if (!free_.try_acquire_for(std::chrono::seconds(20)))
      throw RequestError(503, "the server is busy; try again in a moment");
  }
  ~SlotGuard() { free_.release(); }
  SlotGuard(const SlotGuard&) = delete;
  SlotGuard& operator=(const SlotGuard&) = delete;

 private:
  Places& free_;
};

}  // namespace stiffit::internal
