// The distribution of many numbers in little memory: counts in bins of one relative width, so that
// any quantile is known to 0.4 % of its value. Counts do not depend on the order of what came.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace stiffit {

class Sketch {
 public:
  // Numbers must be finite.
  void add(double value) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const auto key = static_cast<std::uint32_t>((bits << 1) >> (1 + dropped));
    if (key == 0)
      ++zero_;
    else
      count(bits >> 63 ? negative_ : positive_, key);
    ++total_;
  }
  void add(const Sketch& other);
  std::uint64_t total() const { return total_; }
  // The value below which this share of the numbers lies; NaN if there are none.
  double quantile(double share) const;

  void save(std::vector<std::uint64_t>& out) const;
  const std::uint64_t* restore(const std::uint64_t* from);

 private:
  static constexpr int dropped = 44;  // mantissa bits: 256 bins for a factor of two
  struct Bins {
    std::uint32_t first = 0;
    std::vector<std::uint32_t> counts;
  };
  static void count(Bins& bins, std::uint32_t key) {
    if (key - bins.first >= bins.counts.size()) widen(bins, key);
    ++bins.counts[key - bins.first];
  }
  static void widen(Bins& bins, std::uint32_t key);
  static double edge(std::uint32_t key);

  Bins positive_, negative_;  // by magnitude
  std::uint64_t zero_ = 0, total_ = 0;
};

}  // namespace stiffit
