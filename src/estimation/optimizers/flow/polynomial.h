// Polynomials of several variables as lists of monomials, each made of a lower one and a variable,
// so that values, derivatives and Taylor series of all of them come one after another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace stiffit::internal {

// All monomials up to a degree: the first is 1, then the variables, then those of degree two, ...
class Monomials {
 public:
  Monomials(int variables, int degree);
  int variables() const { return variables_; }
  int size() const { return static_cast<int>(list_.size()); }
  // List[k] = list[lower] * u[variable]; the first has none.
  struct Entry {
    int lower = -1, variable = -1;
    std::vector<int> exponents;
  };
  const Entry& operator[](int k) const { return list_[k]; }
  // The monomial with one exponent less in a variable, or -1.
  int without(int k, int variable) const;

  Eigen::VectorXd values(const Eigen::VectorXd& u) const;

 private:
  int variables_;
  std::vector<Entry> list_;
  std::vector<int> without_;  // [monomial][variable]
};

}  // namespace stiffit::internal
