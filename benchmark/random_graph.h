// A random graph of first-order reversible reactions, mean degree 3, rates over six decades around
// one, as a model text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/splitmix.h"

namespace stiffit::internal::benchmark {

inline std::string random_graph(int n) {
  SplitMix random(2);
  auto name = [](int species) { return "s" + std::to_string(species); };
  auto rate = [&] {
    std::string text = std::to_string(1 + random.below(9));
    text += "e";
    return text += std::to_string(random.below(6) - 3);
  };
  std::string text = "model graph\n";
  for (int edge = 0; edge < 3 * n / 2; ++edge) {
    const int from = random.below(n), to = random.below(n);
    if (from == to) continue;
    const std::string there = rate();
    text += name(from) + " <-> " + name(to) + "; " + there + ", " + rate() + "\n";
  }
  for (int i = 0; i < n; ++i)
    text += name(i) + " = " + std::to_string(1 + random.below(9)) + "e-1\n";
  return text + "end\n";
}

}  // namespace stiffit::internal::benchmark
