// SPDX-License-Identifier: Apache-2.0
#include "ensemble/sketch.h"

#include <algorithm>
#include <cmath>

namespace stiffit {

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
  zero_ += other.zero_;
  total_ += other.total_;
}

double Sketch::quantile(double share) const {
  if (total_ == 0) return NAN;
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

void Sketch::save(std::vector<std::uint64_t>& out) const {
  out.push_back(zero_);
  out.push_back(total_);
  for (const Bins* bins : {&positive_, &negative_}) {
    out.push_back(bins->first);
    out.push_back(bins->counts.size());
    for (std::uint32_t c : bins->counts) out.push_back(c);
  }
}

const std::uint64_t* Sketch::restore(const std::uint64_t* from) {
  zero_ = *from++;
  total_ = *from++;
  for (Bins* bins : {&positive_, &negative_}) {
    bins->first = static_cast<std::uint32_t>(*from++);
    bins->counts.resize(*from++);
    for (std::uint32_t& c : bins->counts) c = static_cast<std::uint32_t>(*from++);
  }
  return from;
}

}  // namespace stiffit
