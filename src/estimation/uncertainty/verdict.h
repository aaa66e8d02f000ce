// What the statistics mean, in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// Fills identifiability, partners and verdict of each unknown. `vectors` and `spreads` are the axes
// of the free unknowns (columns) and the standard deviation along each.
void judge_unknowns(FitStatistics& statistics, const std::vector<EstimatedParameter>& unknowns,
                    const Eigen::MatrixXd& vectors, const Eigen::VectorXd& spreads);

// Of a search that has not reached a minimum nothing is said, and why.
void leave_unjudged(FitStatistics& statistics, const std::string& why);

// "k1 and k2 are strongly correlated (r = -0.997)", one for each such pair.
std::vector<std::string> correlation_notes(const FitStatistics& statistics);

// A direction of theta in words: "k1 * k2^0.5" on logarithmic scales, else "a - 0.5 b".
std::string combination_words(const FitStatistics& statistics, const Eigen::VectorXd& direction);

}  // namespace stiffit::internal
