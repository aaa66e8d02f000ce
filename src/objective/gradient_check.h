// Is a gradient right? Central differences of the objective, with steps that suit each unknown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "fit/objective.h"

namespace stiffit {

struct GradientCheck {
  std::size_t unknown = 0;
  double gradient = 0, difference = 0;
  double error = 0;  // |gradient - difference| / max(|gradient|, 1e-3 |all of it|)
  bool passed = false;
};

// Differences with several steps; the one nearest to the gradient counts, for too large a step
// bends and too small a one drowns in the integration's error. An entry passes if its error is at
// most `tolerance`.
std::vector<GradientCheck> check_gradient(const Objective& objective, std::span<const double> theta,
                                          std::span<const double> gradient,
                                          double tolerance = 1e-4);

}  // namespace stiffit
