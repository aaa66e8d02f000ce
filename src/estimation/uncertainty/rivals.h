// Minima that the data do not tell from the best one: what is said of a parameter has to hold in
// all of them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// As a place to make profiles around: noise of unknown size is that of the best fit everywhere.
LocalFit with_noise_of(const LocalFit& best, LocalFit there);

// One of them. Its statistics have what the difference leaves of the threshold.
struct Rival {
  const LocalFit* fit = nullptr;
  double difference = 0;  // 2 (value - best) / unit
  FitStatistics statistics;
};

// Those of `others` within the threshold of one parameter's limits; `statistics` are of `best`.
std::vector<Rival> rivals_among(const FitStatistics& statistics, const Objective& objective,
                                const LocalFit& best, const std::vector<const LocalFit*>& others);

// Widens limits to those around the rival, grades them anew, and says so.
void judge_over_rival(FitStatistics& statistics, const Objective& objective, const Rival& rival);

}  // namespace stiffit::internal
