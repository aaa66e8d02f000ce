// A rate as a product: how often each species is a factor, and what else there is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

struct NetFactors {
  bool negative = false;
  std::map<std::int32_t, int> species;  // index, power
  std::vector<ExprId> above, below;     // other factors, and divisors

  // Takes the species of one side of a reaction out; false, and nothing changed, if they are not
  // all factors.
  bool take(const std::map<std::int32_t, int>& side);
};

NetFactors net_factors(const Expressions& expressions, ExprId rate);

struct NetTerm {
  ExprId value = no_expr;
  bool negative = false;
};
// a - b + c as its terms.
std::vector<NetTerm> net_terms(const Expressions& expressions, ExprId rate);

}  // namespace stiffit::internal
