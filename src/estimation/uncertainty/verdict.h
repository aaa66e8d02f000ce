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

constexpr double takes_part_in_words = 0.05;  // of the largest part of a direction
// A direction of theta in words: "k1 * k2^0.5" on logarithmic scales, else "a - 0.5 b".
std::string combination_words(const FitStatistics& statistics, const Eigen::VectorXd& direction);

// Says of each direction without information what it means, if that is so not only at the best
// point: along it, by a factor of 3 and more, the objective stays what it is. `unit`: of that.
void test_null_directions(FitStatistics& statistics, const Objective& objective,
                          const LocalFit& best, double unit);

// After a search for combinations: unknowns that are only known together with others.
void judge_by_combinations(FitStatistics& statistics, const CombinationSearch& search);

}  // namespace stiffit::internal
