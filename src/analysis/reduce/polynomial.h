// Polynomials in numbered variables. Coefficients are nodes of a graph that depend on parameters
// at most, so that a polynomial form keeps the parameters of its model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "symbolic/graph.h"

namespace stiffit::internal {

// Variables and their exponents (> 0), ascending; empty: one.
using Monomial = std::vector<std::pair<int, int>>;
int degree(const Monomial& m);
int exponent(const Monomial& m, int variable);
// m/d, if d divides m.
bool divides(const Monomial& d, const Monomial& m);
Monomial quotient(const Monomial& m, const Monomial& d);
// All that divide m, with one and m itself.
std::vector<Monomial> divisors(const Monomial& m);

using Polynomial = std::map<Monomial, NodeId>;

// w = 1/(rest + factor * product): wherever w meets the product, both give way to
// (1 - rest * w)/factor, which has a lower degree.
struct FractionRule {
  int fraction = -1;  // w
  Monomial product;
  NodeId rest = 0, factor = 0;
};

// Sums and products over one graph. Variables may be declared inverse to each other; their product
// is one.
class PolynomialAlgebra {
 public:
  explicit PolynomialAlgebra(Graph& graph) : graph_(graph) {}
  Graph& graph() { return graph_; }
  void declare_inverse(int a, int b);
  int inverse_of(int variable) const;  // -1: none declared
  void declare_fraction(const FractionRule& rule);

  Monomial product(const Monomial& a, const Monomial& b) const;
  Polynomial constant(NodeId coefficient) const;
  Polynomial variable(int index);
  void add_to(Polynomial& sum, const Polynomial& p, NodeId factor);
  Polynomial times(const Polynomial& a, const Polynomial& b);
  // The partial derivative by a variable.
  Polynomial partial(const Polynomial& p, int variable);

 private:
  NodeId coefficient(NodeId a, NodeId b);
  void add_term(Polynomial& sum, const Monomial& m, NodeId coefficient);
  void add_reduced(Polynomial& sum, const Monomial& m, NodeId coefficient);

  Graph& graph_;
  std::vector<int> inverse_;
  std::map<int, FractionRule> fractions_;  // by w
};

}  // namespace stiffit::internal
