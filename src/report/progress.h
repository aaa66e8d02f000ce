// A progress bar for long runs, on a terminal only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

namespace stiffit {

class ProgressBar {
 public:
  // Draws on `stream` if `shown`; the bar spans `from`..`to`. Runs shorter than half a second show
  // nothing. The position is a time, or so many of `things`: then their rate and the time left are
  // shown.
  ProgressBar(std::ostream& stream, bool shown, double from, double to, std::string things = {});
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
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace stiffit
