// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/derivative_expressions.h"

#include <algorithm>

namespace stiffit::internal {
namespace {

using Gradient = std::vector<std::pair<int, NodeId>>;

struct Entry {
  int row, column;
  NodeId value;
};

ExpressionRows assemble(Graph& g, int rows, std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return x.row != y.row ? x.row < y.row : x.column < y.column;
  });
  ExpressionRows result;
  std::vector<int>& start = result.pattern.row_start;
  start.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (std::size_t k = 0; k < entries.size();) {
    std::size_t end = k;
    NodeId sum = g.number(0);
    for (; end < entries.size() && entries[end].row == entries[k].row &&
           entries[end].column == entries[k].column;
         ++end)
      sum = g.add(sum, entries[end].value);
    if (!g.is_number(sum, 0)) {
      result.pattern.column.push_back(entries[k].column);
      result.values.push_back(sum);
      ++start[static_cast<std::size_t>(entries[k].row) + 1];
    }
    k = end;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) start[i + 1] += start[i];
  return result;
}

Gradient gradient(Graph& g, NodeId node, Leaf kind, const WantedParameters& wanted) {
  Gradient all = g.gradient(node, kind);
  if (kind == Leaf::parameter)
    std::erase_if(all, [&](const auto& entry) {
      std::size_t index = entry.first;
      return index >= wanted.size() || !wanted[index];
    });
  return all;
}

// x' = sum of coefficient * rate, or a derivative of that along some direction: coefficient * (the
// rate's change) + (the coefficient's change) * rate.
struct Change {
  std::vector<NodeId> rates;                      // per rate
  std::vector<std::vector<NodeId>> coefficients;  // per term; empty: they stay
};

ExpressionRows differentiate(System& s, const Change& change, Leaf kind,
                             const WantedParameters& wanted) {
  Graph& g = s.graph;
  std::vector<Gradient> of_change(s.rates.size());
  for (std::size_t r = 0; r < s.rates.size(); ++r)
    of_change[r] = gradient(g, change.rates[r], kind, wanted);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < s.states.size(); ++i)
    for (std::size_t k = 0; k < s.terms[i].size(); ++k) {
      const Term& term = s.terms[i][k];
      const std::size_t r = term.reaction;
      auto add = [&](const Gradient& partials, NodeId factor) {
        for (auto& [column, partial] : partials)
          entries.push_back({static_cast<int>(i), column, g.mul(factor, partial)});
      };
      add(of_change[r], term.coefficient);
      if (g.depends_on(term.coefficient, kind))
        add(gradient(g, term.coefficient, kind, wanted), change.rates[r]);
      if (change.coefficients.empty()) continue;
      const NodeId moved = change.coefficients[i][k];
      if (g.is_number(moved, 0)) continue;
      add(gradient(g, s.rates[r], kind, wanted), moved);
      add(gradient(g, moved, kind, wanted), s.rates[r]);
    }
  return assemble(g, static_cast<int>(s.states.size()), entries);
}

// Of an expression, along v and with u times its change with time.
NodeId along_inputs(Graph& g, NodeId node, int states) {
  NodeId sum = g.number(0);
  for (auto& [column, partial] : g.gradient(node, Leaf::state))
    sum = g.add(sum, g.mul(partial, g.leaf(Leaf::input, column)));
  if (g.depends_on(node, Leaf::time))
    sum = g.add(sum, g.mul(g.time_derivative(node), g.leaf(Leaf::input, states)));
  return sum;
}

}  // namespace

StepDerivatives step_derivatives(System& s, const WantedParameters& wanted) {
  Graph& g = s.graph;
  const int n = static_cast<int>(s.states.size());
  StepDerivatives d;
  const Change plain{s.rates, {}};
  d.state = differentiate(s, plain, Leaf::state, wanted);
  d.parameter = differentiate(s, plain, Leaf::parameter, wanted);
  Change along;
  for (NodeId rate : s.rates) along.rates.push_back(along_inputs(g, rate, n));
  for (const auto& row : s.terms) {
    along.coefficients.emplace_back();
    for (const Term& term : row)
      along.coefficients.back().push_back(along_inputs(g, term.coefficient, n));
  }
  d.bend_state = differentiate(s, along, Leaf::state, wanted);
  d.bend_parameter = differentiate(s, along, Leaf::parameter, wanted);
  return d;
}

FunctionDerivatives function_derivatives(Graph& g, const std::vector<NodeId>& functions,
                                         const WantedParameters& wanted) {
  FunctionDerivatives d;
  std::vector<Entry> by_state, by_parameter;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const int row = static_cast<int>(i);
    for (auto& [column, partial] : gradient(g, functions[i], Leaf::state, wanted))
      by_state.push_back({row, column, partial});
    for (auto& [column, partial] : gradient(g, functions[i], Leaf::parameter, wanted))
      by_parameter.push_back({row, column, partial});
    d.time.push_back(g.time_derivative(functions[i]));
  }
  const int rows = static_cast<int>(functions.size());
  d.state = assemble(g, rows, by_state);
  d.parameter = assemble(g, rows, by_parameter);
  return d;
}

}  // namespace stiffit::internal
