// SplitMix64 (Steele, Lea and Flood 2014), written out so that what a seed gives never depends on
// a standard library's choice of algorithm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stiffit::internal {

class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // 0 .. count-1; the bias of the remainder is far below what a model could show.
  int below(int count) { return static_cast<int>(next() % static_cast<std::uint64_t>(count)); }
  // In (0, 1), never an end.
  double unit() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace stiffit::internal
