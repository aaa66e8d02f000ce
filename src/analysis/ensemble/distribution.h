// Distributions that parameters are drawn from, and draws that depend on nothing but the seed, the
// sample's number and the parameter's: any thread may make any sample.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stiffit::internal {

struct Distribution {
  enum class Kind { normal, lognormal, uniform, loguniform };
  Kind kind = Kind::uniform;
  // normal: mean and standard deviation; lognormal: median and standard deviation of the logarithm;
  // uniform and loguniform: from, to.
  double a = 0, b = 1;
};

// "lognormal(1,0.2)". Throws std::invalid_argument with the reason.
Distribution parse_distribution(std::string_view text);
std::string to_text(const Distribution& distribution);

// The draw of parameter `which` in sample number `sample`.
double draw(const Distribution& distribution, std::uint64_t seed, std::uint64_t sample,
            std::uint64_t which);

}  // namespace stiffit::internal
