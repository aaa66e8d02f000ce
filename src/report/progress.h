// A progress bar for long runs, on a terminal only, or whoever wants to be told instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

namespace stiffit::internal {

class ProgressBar {
 public:
  // Draws on `stream` if `shown`; the bar spans `from`..`to`. Runs shorter than half a second show
  // nothing. The position is a time, or so many of `things`: then their rate and the time left are
  // shown. `told` (may be empty) hears of every position, as a share of the whole.
  ProgressBar(std::ostream& stream, bool shown, double from, double to, std::string things = {},
              std::function<void(double share)> told = {});
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void at(double position);
  void clear();  // wipes the bar, so that messages start on a clean line

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& stream_;
  bool shown_, drawn_ = false;
  double from_, to_;
  std::string things_;
  std::function<void(double)> told_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace stiffit::internal
