// What a network conserves: equations from the stoichiometry, a basis from moiety_balance, made
// short and non-negative.
// SPDX-License-Identifier: Apache-2.0
#include "symbolic/moieties.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "symbolic/moiety_balance.h"

namespace stiffit::internal {
namespace {

// The different columns of the stoichiometric matrix, up to a factor, and a column of its own for
// each state that can be part of nothing.
std::vector<Combination> balance_equations(const System& system,
                                           std::span<const double> parameters) {
  std::vector<Combination> columns(system.rates.size());
  std::unordered_map<NodeId, double> values;
  std::vector<Combination> result;
  std::vector<char> set_by_event(system.states.size(), 0);
  for (const SystemEvent& event : system.events)
    for (const SystemAssignment& a : event.assignments)
      if (a.state >= 0) set_by_event[a.state] = 1;
  // Setting an amount changes totals that it is part of.
  for (const SystemEquilibrium::Total& total : system.equilibrium.totals)
    if (!system.events.empty()) set_by_event[total.state] = 1;
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    bool moving = set_by_event[i];
    for (const Term& term : system.terms[i]) {
      double value = not_set;
      if (system.graph.is_number(term.coefficient)) {
        value = system.graph[term.coefficient].value;
      } else if (system.graph.is_fixed(term.coefficient)) {
        auto [at, fresh] = values.try_emplace(term.coefficient, 0.0);
        if (fresh)
          at->second = system.graph.value(term.coefficient, [&](Leaf, int index) {
            std::size_t p = index;
            if (p >= system.parameters.size()) return not_set;  // a mode
            return parameters.empty() ? system.parameters[p].value : parameters[p];
          });
        value = at->second;
      }
      if (!std::isfinite(value))
        moving = true;
      else if (value != 0)
        columns[term.reaction].emplace_back(static_cast<int>(i), value);
    }
    if (moving) result.push_back({{static_cast<int>(i), 1.0}});
  }
  std::erase_if(columns, [](const Combination& c) { return c.empty(); });
  for (Combination& c : columns) {
    // A reaction may name a state twice; states come in ascending order.
    std::size_t last = 0;
    for (std::size_t k = 1; k < c.size(); ++k) {
      if (c[k].first == c[last].first)
        c[last].second += c[k].second;
      else
        c[++last] = c[k];
    }
    c.resize(last + 1);
    std::erase_if(c, [](auto& term) { return term.second == 0; });
    if (!c.empty()) scale(c, 1 / c.front().second);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  std::erase_if(columns, [](const Combination& c) { return c.empty(); });
  std::move(columns.begin(), columns.end(), std::back_inserter(result));
  return result;
}

long negatives(const Combination& c) {
  return std::count_if(c.begin(), c.end(), [](auto& t) { return t.second < 0; });
}

// Whole coefficients without a common divisor if small ones exist, else the smallest is 1.
void normalise(Combination& c) {
  double smallest = std::fabs(c.front().second);
  for (auto& [index, value] : c) smallest = std::min(smallest, std::fabs(value));
  double sign = 2 * negatives(c) > static_cast<long>(c.size()) ? -1 : 1;
  scale(c, sign / smallest);
  for (int factor = 1; factor <= 12; ++factor) {
    bool whole = std::all_of(c.begin(), c.end(), [&](auto& t) {
      double v = factor * t.second;
      return std::fabs(v - std::round(v)) < 1e-7 * std::fabs(v);
    });
    if (!whole) continue;
    for (auto& [index, value] : c) value = std::round(factor * value);
    return;
  }
}

double value_at(const Combination& c, int index) {
  auto at =
      std::lower_bound(c.begin(), c.end(), index, [](auto& term, int i) { return term.first < i; });
  return at != c.end() && at->first == index ? at->second : 0;
}

// Makes a have fewer negative terms, or fewer terms, by adding a multiple of b that removes one of
// its terms. True if that helped.
bool improve(Combination& a, const Combination& b) {
  constexpr std::size_t most_trials = 8;
  std::vector<double> factors;
  for (auto& [index, value] : b)
    if (double own = value_at(a, index); own != 0) factors.push_back(-own / value);
  std::sort(factors.begin(), factors.end());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  // The extremes lift all negatives at once; what lies between serves only small combinations.
  if (factors.size() > most_trials) factors = {factors.front(), factors.back()};
  auto rank = [](const Combination& c) { return std::pair(negatives(c), c.size()); };
  Combination best = a;
  for (double factor : factors) {
    Combination trial = plus(a, factor, b);
    if (trial.empty()) continue;
    normalise(trial);
    if (rank(trial) < rank(best)) best = std::move(trial);
  }
  if (!(rank(best) < rank(a))) return false;
  a = std::move(best);
  return true;
}

void beautify(std::vector<Combination>& basis) {
  double budget = 3e7;  // terms looked at: a second for the largest, far more than most need
  for (Combination& c : basis) normalise(c);
  for (bool again = true; again && budget > 0;) {
    again = false;
    for (std::size_t i = 0; i < basis.size(); ++i)
      for (std::size_t j = 0; j < basis.size() && budget > 0; ++j) {
        if (i == j) continue;
        budget -= 8 * static_cast<double>(basis[i].size() + basis[j].size());
        again |= improve(basis[i], basis[j]);
      }
  }
}

}  // namespace

bool moieties_vary(const System& system) {
  for (auto& row : system.terms)
    for (const Term& term : row)
      if (!system.graph.is_number(term.coefficient)) return true;
  return false;
}

std::vector<Moiety> conserved_moieties(const System& system, std::span<const double> parameters) {
  std::vector<Combination> equations = balance_equations(system, parameters);
  std::vector<Combination> basis = solve_balance(system.states.size(), equations);
  beautify(basis);
  std::sort(basis.begin(), basis.end(), [](auto& a, auto& b) {
    return a.front().first != b.front().first ? a.front().first < b.front().first
                                              : a.size() < b.size();
  });
  // Coefficients of very different size can leave more than rounding: such are not claimed.
  std::vector<Moiety> result;
  std::vector<double> dense(system.states.size());
  for (Combination& c : basis) {
    for (auto& [index, value] : c) dense[index] = value;
    bool holds = std::all_of(equations.begin(), equations.end(), [&](const Combination& e) {
      double sum = 0, size = 0;
      for (auto& [index, value] : e) {
        double part = value * dense[index];
        sum += part;
        size += std::fabs(part);
      }
      return std::fabs(sum) <= 1e-8 * size;
    });
    for (auto& [index, value] : c) dense[index] = 0;
    if (holds) result.push_back({std::move(c)});
  }
  return result;
}

}  // namespace stiffit::internal
