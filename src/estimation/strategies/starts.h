// Points to start from, spread over the bounds on the estimation scale (or over what is given
// instead: the quantiles of a prior).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "estimation/optimizers/objective.h"

namespace stiffit::internal {

enum class Sampling { latin_hypercube, sobol, uniform };

// theta of an unknown (by its index) at a quantile in (0, 1).
using Quantile = std::function<double(std::size_t unknown, double quantile)>;

// Uniform between the bounds. An unknown without bounds is spread around its start.
Quantile uniform_in_bounds(const std::vector<EstimatedParameter>& unknowns);

// `count` points; the same seed gives the same points everywhere.
std::vector<std::vector<double>> sample_starts(const std::vector<EstimatedParameter>& unknowns,
                                               std::size_t count, Sampling sampling,
                                               std::uint64_t seed, const Quantile& quantile);

}  // namespace stiffit::internal
