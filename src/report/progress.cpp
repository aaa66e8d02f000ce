// SPDX-License-Identifier: Apache-2.0
#include "report/progress.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "base/number.h"

namespace stiffit::internal {

namespace {
constexpr int cells = 40;
constexpr auto first_after = std::chrono::milliseconds(500);
constexpr auto then_every = std::chrono::milliseconds(100);

std::string duration_text(double seconds) {
  if (seconds < 100) return format_short(seconds, 2) + " s";
  if (seconds < 6000) return format_short(seconds / 60, 2) + " min";
  return format_short(seconds / 3600, 3) + " h";
}
}  // namespace

ProgressBar::ProgressBar(std::ostream& stream, bool shown, double from, double to,
                         std::string things, std::function<void(double share)> told)
    : stream_(stream),
      shown_(shown),
      from_(from),
      to_(to),
      things_(std::move(things)),
      told_(std::move(told)),
      next_(Clock::now() + first_after) {}

void ProgressBar::at(double position) {
  const double part = to_ > from_ ? std::clamp((position - from_) / (to_ - from_), 0.0, 1.0) : 1.0;
  if (told_) told_(part);
  if (!shown_ || Clock::now() < next_) return;
  next_ = Clock::now() + then_every;
  auto full = static_cast<std::size_t>(part * cells);
  std::string bar = "\r[" + std::string(full, '#') + std::string(cells - full, ' ') + "] ";
  stream_ << bar << static_cast<int>(part * 100) << " %  ";
  if (things_.empty()) {
    stream_ << "time " << format_number(position);
  } else {
    stream_ << format_number(position) << " of " << format_number(to_) << " " << things_;
    const double rate =
        (position - from_) / std::chrono::duration<double>(Clock::now() - began_).count();
    if (rate > 0)
      stream_ << ", " << format_short(rate, 3) << "/s, " << duration_text((to_ - position) / rate)
              << " left";
  }
  stream_ << "\x1b[K" << std::flush;
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) stream_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace stiffit::internal
