// SPDX-License-Identifier: Apache-2.0
#include "report/progress.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "base/number.h"

namespace stiffit {

namespace {
constexpr int cells = 40;
constexpr auto first_after = std::chrono::milliseconds(500);
constexpr auto then_every = std::chrono::milliseconds(100);
}  // namespace

ProgressBar::ProgressBar(std::ostream& stream, bool shown, double from, double to)
    : stream_(stream), shown_(shown), from_(from), to_(to), next_(Clock::now() + first_after) {}

void ProgressBar::at(double position) {
  if (!shown_ || Clock::now() < next_) return;
  next_ = Clock::now() + then_every;
  double part = to_ > from_ ? std::clamp((position - from_) / (to_ - from_), 0.0, 1.0) : 1.0;
  auto full = static_cast<std::size_t>(part * cells);
  std::string bar = "\r[" + std::string(full, '#') + std::string(cells - full, ' ') + "] ";
  stream_ << bar << static_cast<int>(part * 100) << " %  time " << format_number(position)
          << "\x1b[K" << std::flush;
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) stream_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace stiffit
