// The distribution of many numbers in little memory: counts in bins of one relative width, so that
// any quantile is known to 0.4 % of its value. Counts do not depend on the order of what came.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/record.h"

namespace stiffit::internal {

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
    if (value < smallest_) smallest_ = value;
    if (value > largest_) largest_ = value;
  }
  void add(const Sketch& other);
  std::uint64_t total() const { return total_; }
  // The value below which this share of the numbers lies, exact for 0 and 1; NaN if there are none.
  double quantile(double share) const;

  // The share of the numbers below a value; NaN if there are none.
  double share_below(double value) const;

  void save(RecordWriter& out) const;
  void restore(RecordReader& from);

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
  double within_bins(double share) const;

  Bins positive_, negative_;  // by magnitude
  std::uint64_t zero_ = 0, total_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity(), largest_ = -smallest_;
};

}  // namespace stiffit::internal
