// Is a gradient right? Central differences of the objective, which say how sure they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "estimation/optimizers/objective.h"

namespace stiffit::internal {

// d objective / d theta of one unknown, and how far off it may be.
struct Difference {
  std::size_t unknown = 0;
  double value = 0, error = 0;
};

// Differences with halved steps, extrapolated to no step at all. The gradient is used for one thing
// only: to stop as soon as the error is small beside what an entry of this size may be off. By all
// unknowns, or by those in `which`.
std::vector<Difference> central_differences(const Objective& objective,
                                            std::span<const double> theta,
                                            std::span<const double> gradient,
                                            double tolerance = 1e-4,
                                            std::span<const std::size_t> which = {});

enum class GradientVerdict {
  right,
  unsure,  // the differences themselves are too noisy to tell
  wrong,
};

struct GradientCheck {
  std::size_t unknown = 0;
  double gradient = 0, difference = 0;
  double uncertainty = 0;  // of the difference, in the measure of `error`
  double error = 0;        // |gradient - difference| / max(|gradient|, 1e-3 |all of it|)
  bool passed = false;     // error <= tolerance
  GradientVerdict verdict = GradientVerdict::right;
};

// One for each difference.
std::vector<GradientCheck> compare_gradient(std::span<const double> gradient,
                                            std::span<const Difference> differences,
                                            double tolerance = 1e-4);

// Both in one.
std::vector<GradientCheck> check_gradient(const Objective& objective, std::span<const double> theta,
                                          std::span<const double> gradient,
                                          double tolerance = 1e-4);

}  // namespace stiffit::internal
