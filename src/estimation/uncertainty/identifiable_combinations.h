// Products and quotients of unknowns that the data determine though they do not determine the
// unknowns themselves: the ratio of two rate constants, the product of a rate and a scale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

namespace stiffit::internal {

struct IdentifiableCombination {
  std::vector<std::pair<std::string, double>> exponents;
  double value = 0;
  double error = 0;   // standard, of its logarithm
  std::string words;  // "kf1/kb1 = 1.11, within 3 %"
};

// `covariance` of the logarithms of the (positive) values. `quantile`: how many standard errors
// "within" means. Only combinations that are clearly better known than what they are made of.
std::vector<IdentifiableCombination> identifiable_combinations(
    const std::vector<std::string>& names, const Eigen::VectorXd& values,
    const Eigen::MatrixXd& covariance, double quantile);

}  // namespace stiffit::internal
