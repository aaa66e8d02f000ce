// What profiles and ensembles say about an unknown goes before what the Fisher information says:
// that one knows the curvature at the best point alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "estimation/uncertainty/profile.h"
#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// Where the interval of one unknown ends, as values. NaN: not within its bounds.
struct ConfidenceInterval {
  std::string id;
  double low = 0, high = 0;
  std::string source;              // "profile" or "ensemble"
  std::vector<std::string> moved;  // others that went with it where it has no limit
  // What it may be.
  EstimatedParameter bounds = {"", -INFINITY, INFINITY, std::nan("")};
  // Separate stretches from `low` to `high`; empty: there is one.
  std::vector<Limits> stretches = {};
};

// One for each profile that was followed to its end on both sides.
std::vector<ConfidenceInterval> intervals_of(const std::vector<Profile>& profiles,
                                             const std::vector<EstimatedParameter>& unknowns,
                                             const LocalFit& best);

// Of an interval of draws: an end at a bound is none.
ConfidenceInterval interval_of_ensemble(const EstimatedParameter& unknown, double low, double high);

// Changes identifiability, partners, verdict and source of those that there are intervals of.
void judge_by_intervals(FitStatistics& statistics,
                        const std::vector<ConfidenceInterval>& intervals);

// Unknowns that the Fisher information alone may be wrong about: not determined on both sides, at a
// bound, or known to no better than a factor of two. Those that a profile is likely to settle
// first.
std::vector<std::size_t> doubtful_unknowns(const FitStatistics& statistics);

}  // namespace stiffit::internal
