// SPDX-License-Identifier: Apache-2.0
#include "analysis/ensemble/sketch.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

void Sketch::widen(Bins& bins, std::uint32_t key) {
  constexpr std::uint32_t room = 16;  // so that a slow drift does not move everything each time
  if (bins.counts.empty()) {
    bins.first = key - std::min(key, room);
    bins.counts.assign(2 * room, 0);
  } else if (key < bins.first) {
    const std::uint32_t more = bins.first - key + std::min(key, room);
    bins.counts.insert(bins.counts.begin(), more, 0);
    bins.first -= more;
  } else {
    bins.counts.resize(key - bins.first + room, 0);
  }
}

double Sketch::edge(std::uint32_t key) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(key) << dropped);
}

void Sketch::add(const Sketch& other) {
  for (auto [mine, theirs] :
       {std::pair{&positive_, &other.positive_}, {&negative_, &other.negative_}})
    for (std::size_t i = 0; i < theirs->counts.size(); ++i)
      if (theirs->counts[i]) {
        const std::uint32_t key = theirs->first + static_cast<std::uint32_t>(i);
        if (key - mine->first >= mine->counts.size()) widen(*mine, key);
        mine->counts[key - mine->first] += theirs->counts[i];
      }
  smallest_ = std::min(smallest_, other.smallest_);
  largest_ = std::max(largest_, other.largest_);
  zero_ += other.zero_;
  total_ += other.total_;
}

double Sketch::quantile(double share) const {
  if (total_ == 0) return NAN;
  if (share <= 0) return smallest_;
  if (share >= 1) return largest_;
  return std::clamp(within_bins(share), smallest_, largest_);
}

double Sketch::within_bins(double share) const {
  double left = share * static_cast<double>(total_);
  // Within a bin, as if its numbers lay evenly.
  auto within = [&](std::uint32_t key, double count) {
    return edge(key) + (edge(key + 1) - edge(key)) * std::clamp(left / count, 0.0, 1.0);
  };
  for (std::size_t i = negative_.counts.size(); i-- > 0;) {
    const double count = negative_.counts[i];
    if (count == 0) continue;
    const std::uint32_t key = negative_.first + static_cast<std::uint32_t>(i);
    if (left <= count) return -(edge(key) + edge(key + 1) - within(key, count));
    left -= count;
  }
  if (zero_ > 0 && left <= static_cast<double>(zero_)) return 0;
  left -= static_cast<double>(zero_);
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < positive_.counts.size(); ++i) {
    const double count = positive_.counts[i];
    if (count == 0) continue;
    last = positive_.first + static_cast<std::uint32_t>(i);
    if (left <= count) return within(last, count);
    left -= count;
  }
  return last ? edge(last + 1) : 0;
}

double Sketch::share_below(double value) const {
  if (total_ == 0) return NAN;
  // What lies between zero and a magnitude, the bin it falls in by its part of the width.
  auto up_to = [](const Bins& bins, double magnitude) {
    double sum = 0;
    for (std::size_t i = 0; i < bins.counts.size(); ++i) {
      const std::uint32_t key = bins.first + static_cast<std::uint32_t>(i);
      const double part = (magnitude - edge(key)) / (edge(key + 1) - edge(key));
      sum += bins.counts[i] * std::clamp(part, 0.0, 1.0);
    }
    return sum;
  };
  const double all_negative = up_to(negative_, std::numeric_limits<double>::max());
  double below = all_negative - up_to(negative_, std::max(-value, 0.0));
  if (value > 0) below += static_cast<double>(zero_) + up_to(positive_, value);
  return below / static_cast<double>(total_);
}

void Sketch::save(RecordWriter& out) const {
  out.whole(zero_);
  out.whole(total_);
  out.number(smallest_);
  out.number(largest_);
  for (const Bins* bins : {&positive_, &negative_}) {
    out.whole(bins->first);
    out.counts(bins->counts);
  }
}

void Sketch::restore(RecordReader& from) {
  zero_ = static_cast<std::uint64_t>(from.whole());
  total_ = static_cast<std::uint64_t>(from.whole());
  smallest_ = from.number();
  largest_ = from.number();
  for (Bins* bins : {&positive_, &negative_}) {
    bins->first = static_cast<std::uint32_t>(from.whole());
    bins->counts = from.counts();
  }
}

}  // namespace stiffit::internal
