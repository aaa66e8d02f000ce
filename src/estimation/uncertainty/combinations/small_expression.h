// Expressions that people read at a glance: products of powers of sums of a few variables, with
// small integers. (k_1+k2)/k1, a*b, k1+k2+k3, a*b/(c+d).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace stiffit::internal {

struct ExpressionTerm {
  int coefficient = 1;
  std::vector<int> variables;  // whose product it is
};

struct ExpressionFactor {
  std::vector<ExpressionTerm> terms;  // whose sum it is
  int power = 1;
};

struct SmallExpression {
  std::vector<ExpressionFactor> factors;
  int complexity = 0;  // variables as often as they occur, and one for everything unusual

  // `gradient`: by all values, if not null.
  double value(std::span<const double> values, std::vector<double>* gradient = nullptr) const;
  std::string text(const std::vector<std::string>& names) const;
  std::vector<int> variables() const;  // each once, ascending
};

// What expressions are made of: every expression holds two of `open` at least; the others stand in
// sums with one of these only. Constants count as one more.
struct ExpressionParts {
  std::vector<int> open, known, constants;
  int most_complexity = 5;
};
void for_each_expression(const ExpressionParts& parts,
                         const std::function<void(const SmallExpression&)>& use);

}  // namespace stiffit::internal
