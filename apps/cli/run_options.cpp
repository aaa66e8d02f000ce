// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

int threads_option(const Arguments& arguments) {
  constexpr long most = 1024;
  return static_cast<int>(std::min(arguments.count("threads", 0), most));
}

std::uint64_t seed_option(const Arguments& arguments) {
  constexpr double largest = 9e15;  // beyond it doubles skip whole numbers
  const double seed = arguments.number("seed", 1);
  if (seed < 0 || seed != std::floor(seed) || seed > largest)
    throw UsageError("--seed is a whole number from 0 on");
  return static_cast<std::uint64_t>(seed);
}

}  // namespace stiffit::internal
