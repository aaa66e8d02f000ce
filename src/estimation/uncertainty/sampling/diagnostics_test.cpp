// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/sampling/diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/normal_draw.h"

using namespace stiffit::internal;

namespace {

// x(t+1) = rho x(t) + noise, stationary, of variance one.
Chains autoregressive(double rho, std::size_t chains, std::size_t draws, double shift = 0,
                      double width = 1) {
  Chains result(chains);
  for (std::size_t c = 0; c < chains; ++c) {
    SplitMix random(17 + c);
    double x = normal_draw(random);
    for (std::size_t t = 0; t < draws; ++t) {
      const double own = c == 0 ? width : 1;
      result[c].push_back(own * x + (c == 0 ? shift : 0));
      x = rho * x + std::sqrt(1 - rho * rho) * normal_draw(random);
    }
  }
  return result;
}

TEST(Diagnostics, EffectiveSizeOfAnAutoregressiveProcess) {
  for (double rho : {0.0, 0.5, 0.9}) {
    const Chains chains = autoregressive(rho, 4, 20000);
    const double expected = 80000 * (1 - rho) / (1 + rho);
    EXPECT_NEAR(effective_size(chains), expected, 0.12 * expected) << rho;
    const Convergence c = convergence(chains);
    EXPECT_LT(c.r_hat, 1.01);
    EXPECT_NEAR(c.bulk_size, expected, 0.12 * expected);
    EXPECT_GT(c.tail_size, 0.5 * expected);
    EXPECT_TRUE(converged(c, {}));
  }
}

TEST(Diagnostics, SeeChainsThatDisagree) {
  EXPECT_GT(convergence(autoregressive(0.5, 4, 2000, 2)).r_hat, 1.1) << "another place";
  EXPECT_GT(convergence(autoregressive(0.5, 4, 2000, 0, 8)).r_hat, 1.1) << "another width";
  Chains drifting = autoregressive(0.5, 4, 2000);
  for (std::vector<double>& chain : drifting)
    for (std::size_t t = 0; t < chain.size(); ++t) chain[t] += 0.002 * static_cast<double>(t);
  EXPECT_GT(convergence(drifting).r_hat, 1.1) << "a drift that all share";
}

TEST(Diagnostics, TooFewDrawsAreNotEnough) {
  EXPECT_FALSE(converged(convergence(autoregressive(0, 4, 5)), {}));
  EXPECT_FALSE(converged(convergence(autoregressive(0, 4, 50)), {}));
  EXPECT_FALSE(converged(convergence({}), {}));
  EXPECT_FALSE(converged(convergence(Chains(4, std::vector<double>(1000, 3.0))), {}))
      << "chains that never moved";
}

}  // namespace
