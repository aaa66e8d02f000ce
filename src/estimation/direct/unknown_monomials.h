// Expressions as quotients of polynomials in the unknowns, whose coefficients know no unknowns:
// what makes a model with fractions linear again (Belbas and Kim, section 4). Products of unknowns
// become columns of their own, and the unknowns are found from them afterwards.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "estimation/direct/fit_equations.h"

namespace stiffit::internal {

// (unknown, exponent), ascending; empty: one.
using Monomial = std::vector<std::pair<int, double>>;
using Polynomial = std::map<Monomial, NodeId>;

struct Fraction {
  Polynomial above, below;
};

// Nothing if it is no such quotient; `trouble` then names the unknown.
std::optional<Fraction> fraction_of(FitEquations& equations, NodeId node, int& trouble);

double value_of(const Monomial& monomial, const Eigen::VectorXd& unknowns);
std::string name_of(const Monomial& monomial, const std::vector<std::string>& names);

// The unknowns whose monomials come nearest to the coefficients found, each weighed by `weights`
// (an information matrix); from `start` where nothing better is known. `slopes` gets d monomials /
// d unknowns there.
Eigen::VectorXd unknowns_behind(const std::vector<Monomial>& monomials,
                                const Eigen::VectorXd& coefficients, const Eigen::MatrixXd& weights,
                                const Eigen::VectorXd& start, Eigen::MatrixXd& slopes);

}  // namespace stiffit::internal
