// J = df/dx from the rates: every rate is differentiated once, then spread by the stoichiometry.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "symbolic/system.h"

namespace stiffit::internal {
namespace {

struct Entry {
  int column, row;
  NodeId value;
};

}  // namespace

SparseExpressions jacobian(System& system) {
  Graph& g = system.graph;
  std::vector<std::vector<std::pair<int, NodeId>>> gradients(system.rates.size());
  for (std::size_t r = 0; r < system.rates.size(); ++r)
    gradients[r] = g.gradient(system.rates[r], Leaf::state);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < system.states.size(); ++i)
    for (const Term& term : system.terms[i]) {
      for (auto& [column, partial] : gradients[term.reaction])
        entries.push_back({column, static_cast<int>(i), g.mul(term.coefficient, partial)});
      // A stoichiometry that depends on the state contributes too.
      if (g.depends_on(term.coefficient, Leaf::state))
        for (auto& [column, partial] : g.gradient(term.coefficient, Leaf::state))
          entries.push_back(
              {column, static_cast<int>(i), g.mul(partial, system.rates[term.reaction])});
    }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return x.column != y.column ? x.column < y.column : x.row < y.row;
  });
  SparseExpressions result;
  Sparsity& pattern = result.pattern;
  pattern.n = static_cast<int>(system.states.size());
  pattern.column_start.assign(static_cast<std::size_t>(pattern.n) + 1, 0);
  for (std::size_t k = 0; k < entries.size();) {
    std::size_t end = k;
    NodeId sum = g.number(0);
    for (; end < entries.size() && entries[end].column == entries[k].column &&
           entries[end].row == entries[k].row;
         ++end)
      sum = g.add(sum, entries[end].value);
    if (!g.is_number(sum, 0)) {
      pattern.row.push_back(entries[k].row);
      result.values.push_back(sum);
      ++pattern.column_start[static_cast<std::size_t>(entries[k].column) + 1];
    }
    k = end;
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(pattern.n); ++j)
    pattern.column_start[j + 1] += pattern.column_start[j];
  return result;
}

std::vector<NodeId> time_derivatives(System& system) {
  Graph& g = system.graph;
  std::vector<NodeId> rate_slopes(system.rates.size());
  for (std::size_t r = 0; r < system.rates.size(); ++r)
    rate_slopes[r] = g.time_derivative(system.rates[r]);
  std::vector<NodeId> result(system.states.size());
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    NodeId sum = g.number(0);
    for (const Term& term : system.terms[i]) {
      std::size_t r = term.reaction;
      sum = g.add(sum, g.mul(term.coefficient, rate_slopes[r]));
      if (g.depends_on(term.coefficient, Leaf::time))
        sum = g.add(sum, g.mul(g.time_derivative(term.coefficient), system.rates[r]));
    }
    result[i] = sum;
  }
  return result;
}

}  // namespace stiffit::internal
