// Whether chains of draws have converged: rank-normalised split R-hat and effective sample sizes.
// A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Buerkner, Bayesian Analysis 16 (2021).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

// [chain][draw], chains of equal length.
using Chains = std::vector<std::vector<double>>;

// Of one unknown, out of [chain][draw][unknown].
Chains chains_of(const std::vector<std::vector<std::vector<double>>>& draws, std::size_t unknown);

struct Convergence {
  double r_hat = 0;                     // the larger of bulk and tail; NaN: too few draws
  double bulk_size = 0, tail_size = 0;  // effective samples for the middle and for the 95 % limits
};

Convergence convergence(const Chains& chains);

// What a run is held to before it is called done.
struct ConvergenceLimits {
  double r_hat = 1.05;
  double bulk_size = 400, tail_size = 200;
};
bool converged(const Convergence& c, const ConvergenceLimits& limits);

// The effective number of independent draws among the values as they are.
double effective_size(const Chains& chains);

}  // namespace stiffit::internal
