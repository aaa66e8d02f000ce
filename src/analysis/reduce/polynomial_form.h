// A system of equations as a polynomial one: every function in it becomes a variable of its own,
// whose derivative along the solution is polynomial again (gradient equations and Taylor series,
// section 2.4, equations 34-44). The quadratic form goes on to name products, until no derivative
// has a degree above two. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reduce/polynomial.h"
#include "symbolic/system.h"

namespace stiffit::internal {

struct PolynomialVariable {
  int state = -1;         // of the system; -1: a new one
  NodeId definition = 0;  // in the states, time and parameters
  Polynomial derivative;
  Monomial product;  // of a variable that quadratic_form named: the two it is the product of
  // Of a fraction w = 1/(a + b p): 1/a - w - (b/a) p w, zero along the solution. Empty: none.
  Polynomial relation;
};

struct PolynomialForm {
  std::vector<PolynomialVariable> variables;  // the states first, in their order
  std::vector<std::pair<int, int>> inverses;  // pairs of variables whose product is one
  std::vector<FractionRule> fractions;
  int largest_degree() const;
};

// Throws InputError if the model holds what no polynomial can say.
PolynomialForm polynomial_form(System& system);
// Degree two at most. Throws InputError if that takes too many products, or was interrupted.
PolynomialForm quadratic_form(Graph& graph, const PolynomialForm& form,
                              const std::atomic<bool>* interrupt = nullptr);
// Degree two at most, by another way that is quick and ends with more variables; nothing if they
// are more than `most`.
std::optional<PolynomialForm> logarithmic_form(Graph& graph, const PolynomialForm& form,
                                               std::size_t most);
// With strength*(a*b - w) added to w' of each product w = a*b, and strength times their relation to
// that of fractions. It is zero along the solution and draws back what strays from it, where errors
// would grow.
PolynomialForm held_products(Graph& graph, const PolynomialForm& form, double strength);

}  // namespace stiffit::internal
