// Which few of many possible measurements tell most, in the linear theory: D-optimal for some
// functions of the unknowns, whatever that does for the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace stiffit::internal {

struct DesignTask {
  Eigen::MatrixXd covariance;    // of the unknowns as they are known so far; finite
  Eigen::MatrixXd slopes;        // a column per candidate: of its prediction, beside its error
  Eigen::MatrixXd interest;      // a row per function: its derivatives by the unknowns
  std::vector<char> repeatable;  // may be taken more than once
};

// Positions of `count` candidates, ascending: the best one first taken, then the best one beside
// it, and so on; then each is exchanged for a better one as long as there is any. Where that takes
// no time, the same from other beginnings.
std::vector<std::size_t> optimal_design(const DesignTask& task, std::size_t count);

// ln of the factor by which the volume of the region of the functions of interest shrinks.
double design_gain(const DesignTask& task, const std::vector<std::size_t>& chosen);

}  // namespace stiffit::internal
