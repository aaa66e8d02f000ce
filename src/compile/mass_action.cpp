// Finds the mass-action form in a system's rates and lays out its tables.
// SPDX-License-Identifier: Apache-2.0
#include "compile/mass_action.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stiffit::internal {
namespace {

struct Product {
  std::vector<int> states;
  std::vector<NodeId> fixed;  // factors of parameters and numbers
};

// A rate as a signed sum of products.
bool split_sum(const Graph& g, NodeId id, double sign,
               std::vector<std::pair<double, NodeId>>& out) {
  const GraphNode n = g[id];
  switch (n.op) {
    case Op::neg:
      return split_sum(g, n.a, -sign, out);
    case Op::add:
      return split_sum(g, n.a, sign, out) && split_sum(g, n.b, sign, out);
    case Op::sub:
      return split_sum(g, n.a, sign, out) && split_sum(g, n.b, -sign, out);
    default:
      out.emplace_back(sign, id);
      return out.size() < 8;
  }
}

// Splits node into factors; false if one of them is neither a state nor fixed.
bool split(const Graph& g, NodeId id, Product& product) {
  const GraphNode& n = g[id];
  if (g.is_fixed(id)) {
    product.fixed.push_back(id);
    return true;
  }
  if (n.op == Op::symbol && static_cast<Leaf>(n.a) == Leaf::state) {
    product.states.push_back(static_cast<int>(n.b));
    return true;
  }
  return n.op == Op::mul && split(g, n.a, product) && split(g, n.b, product);
}

using Effects = std::vector<std::vector<std::pair<int, double>>>;  // state, coefficient

void sort_by_kind(MassAction& m, std::vector<std::vector<int>>& reactants, Effects& effects) {
  const std::size_t reactions = effects.size();
  std::vector<MassAction::Kind> kind(reactions);
  std::vector<std::size_t> order(reactions);
  for (std::size_t r = 0; r < reactions; ++r) {
    order[r] = r;
    auto lost = [](const auto& effect) { return effect.second < 0; };
    std::stable_partition(effects[r].begin(), effects[r].end(), lost);
    MassAction::Kind& k = kind[r];
    k.lost = static_cast<int>(std::count_if(effects[r].begin(), effects[r].end(), lost));
    k.made = static_cast<int>(effects[r].size()) - k.lost;
    k.whole = std::all_of(effects[r].begin(), effects[r].end(),
                          [](const auto& effect) { return std::fabs(effect.second) == 1; });
    k.order = static_cast<int>(reactants[r].size());
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return kind[a] < kind[b]; });
  const std::vector<int> slots = m.rate_slot;
  Effects sorted;
  std::vector<std::vector<int>> sorted_reactants;
  sorted.reserve(reactions);
  sorted_reactants.reserve(reactions);
  for (std::size_t r = 0; r < reactions; ++r) {
    const std::size_t from = order[r];
    m.rate_slot[r] = slots[from];
    if (m.runs.empty() || m.runs.back().kind != kind[from])
      m.runs.push_back({kind[from], r, r, m.reactant.size()});
    m.runs.back().last = r + 1;
    m.reactant.insert(m.reactant.end(), reactants[from].begin(), reactants[from].end());
    sorted_reactants.push_back(std::move(reactants[from]));
    sorted.push_back(std::move(effects[from]));
  }
  reactants = std::move(sorted_reactants);
  effects = std::move(sorted);
}

}  // namespace

std::optional<MassAction> MassAction::recognise(System& system, DerivedParameters& derived,
                                                const Thresholds& thresholds) {
  Graph& g = system.graph;
  const NodeId one = g.number(1);
  MassAction m;
  m.states = static_cast<int>(system.states.size());
  // A reversible rate becomes two rows.
  std::vector<std::vector<std::pair<int, double>>> rows(system.rates.size());  // row, sign
  std::vector<std::vector<int>> reactants;                                     // of each of them
  std::vector<std::pair<double, NodeId>> summands;
  for (std::size_t r = 0; r < system.rates.size(); ++r) {
    summands.clear();
    if (!split_sum(g, system.rates[r], 1, summands)) return std::nullopt;
    for (auto& [sign, summand] : summands) {
      Product product;
      if (!split(g, summand, product)) return std::nullopt;
      if (product.states.size() > largest_order || product.fixed.size() > 1) return std::nullopt;
      rows[r].emplace_back(static_cast<int>(m.rate_slot.size()), sign);
      if (product.fixed.empty()) {
        m.rate_slot.push_back(derived.slot(one));
      } else {
        NodeId k = product.fixed.front();
        bool plain = g[k].op == Op::symbol;
        m.rate_slot.push_back(plain ? static_cast<int>(g[k].b) : derived.slot(k));
      }
      reactants.push_back(std::move(product.states));
    }
  }
  const std::size_t reactions = m.rate_slot.size();
  Effects effects(reactions);
  for (std::size_t i = 0; i < system.terms.size(); ++i)
    for (const Term& term : system.terms[i]) {
      if (!g.is_number(term.coefficient)) return std::nullopt;
      for (auto& [row, sign] : rows[term.reaction])
        effects[row].emplace_back(static_cast<int>(i), sign * g[term.coefficient].value);
    }
  sort_by_kind(m, reactants, effects);
  m.effect_start.push_back(0);
  std::vector<std::pair<int, int>> positions;  // column, row
  for (std::size_t r = 0; r < reactions; ++r) {
    for (auto& [state, coefficient] : effects[r]) {
      m.effect_state.push_back(state);
      m.effect.push_back(coefficient);
      for (int x : reactants[r]) positions.emplace_back(x, state);
    }
    m.effect_start.push_back(static_cast<int>(m.effect_state.size()));
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  m.pattern.n = m.states;
  m.pattern.column_start.assign(static_cast<std::size_t>(m.states) + 1, 0);
  for (auto& [column, row] : positions) {
    m.pattern.row.push_back(row);
    ++m.pattern.column_start[static_cast<std::size_t>(column) + 1];
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(m.states); ++j)
    m.pattern.column_start[j + 1] += m.pattern.column_start[j];
  auto position = [&](int column, int row) {
    auto begin = m.pattern.row.begin() + m.pattern.column_start[column];
    auto end = m.pattern.row.begin() + m.pattern.column_start[static_cast<std::size_t>(column) + 1];
    return static_cast<int>(std::lower_bound(begin, end, row) - m.pattern.row.begin());
  };
  for (Run& run : m.runs) {
    run.entry = m.entry.size();
    for (std::size_t r = run.first; r < run.last; ++r)
      for (int x : reactants[r])
        for (auto& [state, coefficient] : effects[r]) m.entry.push_back(position(x, state));
  }
  m.terms_for_threads = thresholds.terms_for_threads;
  m.gather_by_states(thresholds.rhs_stretch);
  return m;
}

void MassAction::gather_by_states(int states_of_stretch) {
  const std::size_t stretch = states_of_stretch;
  const auto reactions = rate_slot.size(), count = static_cast<std::size_t>(states);
  std::vector<std::vector<int>> terms(count);
  for (std::size_t r = 0; r < reactions; ++r)
    for (int e = effect_start[r]; e < effect_start[r + 1]; ++e) {
      const double coefficient = effect[e];
      std::size_t position = r;
      if (std::fabs(coefficient) != 1) {
        position = reactions + scaled.size();
        scaled.push_back({static_cast<int>(r), coefficient});
      }
      terms[effect_state[e]].push_back(static_cast<int>(2 * position) +
                                       (coefficient == -1 ? 1 : 0));
    }
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t first = 0; first < count; first += stretch)
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(std::min(first + stretch, count)),
                     [&](int a, int b) { return terms[a].size() < terms[b].size(); });
  for (int state : order) {
    const std::vector<int>& own = terms[state];
    const int length = static_cast<int>(own.size());
    if (sums.empty() || sums.back().terms != length)
      sums.push_back(
          {length, 0, static_cast<int>(sum_state.size()), static_cast<int>(sum_term.size())});
    ++sums.back().count;
    sum_state.push_back(state);
    sum_term.insert(sum_term.end(), own.begin(), own.end());
  }
}

}  // namespace stiffit::internal
