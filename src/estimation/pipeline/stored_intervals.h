// Confidence intervals that a finished `profile` or `ensemble` has left in a folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/pipeline/fit_summary.h"
#include "estimation/uncertainty/confidence_interval.h"

namespace stiffit::internal {

// From the intervals.tsv of `folder`; empty: there is none, or it cannot be used for this fit,
// which is said in `message`.
std::vector<ConfidenceInterval> stored_intervals(const std::string& folder, const FitSummary& fit,
                                                 std::string& message);

}  // namespace stiffit::internal
