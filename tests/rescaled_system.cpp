// SPDX-License-Identifier: Apache-2.0
#include "rescaled_system.h"

#include <cmath>
#include <random>

#include "symbolic/substitution.h"

namespace stiffit::internal {

void rescale(ResolvedSystem& resolved, const std::vector<double>& factors) {
  System& s = resolved.system;
  Graph& g = s.graph;
  Substitution old(g);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const NodeId state = g.state(static_cast<int>(i));
    if (factors[i] != 1) old.replace(state, g.mul(g.number(1 / factors[i]), state));
  }
  auto translate = [&](NodeId& node) {
    if (node != no_node) node = old.of(node);
  };
  auto enlarge = [&](NodeId& node, std::size_t state) {
    if (factors[state] != 1) node = g.mul(g.number(factors[state]), node);
  };
  for (NodeId& rate : s.rates) translate(rate);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (Term& term : s.terms[i]) {
      translate(term.coefficient);
      enlarge(term.coefficient, i);
    }
    translate(s.rhs[i]);
    enlarge(s.rhs[i], i);
    enlarge(s.initial[i], i);
  }
  for (Mode& mode : s.modes) {
    translate(mode.root);
    translate(mode.slope);
  }
  for (SystemEvent& event : s.events) {
    translate(event.trigger);
    translate(event.delay);
    translate(event.priority);
    for (SystemAssignment& a : event.assignments) {
      translate(a.value);
      translate(a.size);
      enlarge(a.value, static_cast<std::size_t>(a.state));
    }
  }
  for (SystemDelay& delay : s.delays) {
    translate(delay.value);
    translate(delay.lag);
  }
  for (Output& column : resolved.columns) translate(column.node);
}

std::vector<double> random_units(int states, unsigned long seed) {
  std::mt19937_64 dice(seed);
  std::vector<double> factors(static_cast<std::size_t>(states), 1.0);
  for (double& c : factors)
    if (dice() % 2) c = std::ldexp(1.0, static_cast<int>(dice() % 201) - 100);
  return factors;
}

}  // namespace stiffit::internal
