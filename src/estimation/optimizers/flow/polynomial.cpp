// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/flow/polynomial.h"

#include <map>

namespace stiffit::internal {

Monomials::Monomials(int variables, int degree) : variables_(variables) {
  const std::size_t n = variables;
  list_.push_back({-1, -1, std::vector<int>(n, 0)});
  std::size_t first = 0;
  for (int d = 1; d <= degree; ++d) {
    const std::size_t end = list_.size();
    for (std::size_t k = first; k < end; ++k) {
      // Variables in falling order, so that each product is made once.
      const int from = list_[k].variable < 0 ? 0 : list_[k].variable;
      for (int v = from; v < variables; ++v) {
        Entry entry{static_cast<int>(k), v, list_[k].exponents};
        ++entry.exponents[v];
        list_.push_back(std::move(entry));
      }
    }
    first = end;
  }
  std::map<std::vector<int>, int> places;
  for (std::size_t k = 0; k < list_.size(); ++k) places[list_[k].exponents] = static_cast<int>(k);
  without_.assign(list_.size() * n, -1);
  for (std::size_t k = 0; k < list_.size(); ++k)
    for (std::size_t v = 0; v < n; ++v) {
      std::vector<int> exponents = list_[k].exponents;
      if (exponents[v]-- > 0) without_[k * n + v] = places[exponents];
    }
}

int Monomials::without(int k, int variable) const { return without_[k * variables_ + variable]; }

Eigen::VectorXd Monomials::values(const Eigen::VectorXd& u) const {
  Eigen::VectorXd result(size());
  result(0) = 1;
  for (int k = 1; k < size(); ++k) {
    const Entry& entry = list_[k];
    result(k) = result(entry.lower) * u(entry.variable);
  }
  return result;
}

}  // namespace stiffit::internal
