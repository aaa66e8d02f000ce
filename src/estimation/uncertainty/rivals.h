// Minima that the data do not tell from the best one: what is said of a parameter has to hold in
// all of them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// Widens limits to those of every minimum among `others` that is within the threshold of one
// parameter's limits, grades them anew, and says so. `statistics` are of `best`.
void judge_over_rivals(FitStatistics& statistics, const Objective& objective, const LocalFit& best,
                       const std::vector<const LocalFit*>& others);

}  // namespace stiffit::internal
