// Whether the limits of the Fisher information can be relied on: it knows the curvature at the best
// point alone. One evaluation at each of its limits tells what a profile would be there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// Of the threshold: how far the objective at a limit may be from it. (A tenth of it is a twentieth
// of the distance to the limit.)
constexpr double straight_enough = 0.1;

// Unknowns with limits on both sides whose profile is not a parabola up to there. `evaluations`
// grows by those that this took.
std::vector<std::size_t> curved_unknowns(const Objective& objective, const LocalFit& best,
                                         const FitStatistics& statistics, int threads,
                                         long& evaluations);

}  // namespace stiffit::internal
