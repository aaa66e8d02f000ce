// CPU time of the calling thread: what work costs, however busy the machine is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace stiffit::internal {

inline double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace stiffit::internal
