// Fast reactions: which amounts their equilibrium determines, and which totals they leave alone.
//
// With N the stoichiometry of the fast reactions (a row per species), choose species s whose rows
// are a basis of all rows: N_i = sum_s R_is N_s. Then w_i = a_i - sum_s R_is a_s is untouched by
// fast reactions, and (a_s, w_i) are the states. The amounts a_s alone hold fast terms, so that
// nothing is lost to rounding between a large rate and its opposite.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "symbolic/system_builder.h"

namespace stiffit::internal {
namespace {

// Brings the rows (one per reaction) to reduced echelon form: afterwards row k has 1 in column
// pivots[k] and zeros in the other pivot columns. Columns are taken as pivots in their order.
template <typename Entry>
std::vector<std::size_t> reduce_rows(Graph& g, std::vector<std::vector<Entry>>& rows) {
  const NodeId zero = g.number(0);
  std::vector<std::size_t> pivots;
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  for (std::size_t column = 0; column < columns && pivots.size() < rows.size(); ++column) {
    const std::size_t top = pivots.size();
    std::size_t best = top;
    for (std::size_t r = top; r < rows.size(); ++r)
      if (std::fabs(rows[r][column].value) > std::fabs(rows[best][column].value)) best = r;
    if (rows[best][column].value == 0) continue;
    std::swap(rows[top], rows[best]);
    pivots.push_back(column);
    const Entry pivot = rows[top][column];
    for (Entry& e : rows[top])
      if (e.node != zero) e = {g.div(e.node, pivot.node), e.value / pivot.value};
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Entry factor = rows[r][column];
      if (r == top || factor.node == zero) continue;
      for (std::size_t c = 0; c < columns; ++c) {
        const Entry& from = rows[top][c];
        if (from.node == zero) continue;
        Entry& e = rows[r][c];
        const double change = factor.value * from.value;
        const double size = std::fabs(e.value) + std::fabs(change);
        e = {g.sub(e.node, g.mul(factor.node, from.node)), e.value - change};
        if (c == column || (std::fabs(e.value) <= 1e-12 * size && g.is_fixed(e.node)))
          e = {zero, 0};
      }
    }
  }
  return pivots;
}

}  // namespace

// Species in the order of preference as equilibrium states: what a reaction uses up goes to zero,
// and is then best held as it is.
std::vector<int> SystemBuilder::fast_species() const {
  std::vector<int> species;
  auto touched = [&](const SpeciesReference& x) {
    const Species& sp = model_->species[x.species];
    if (sp.boundary || sp.constant) return;
    if (std::find(species.begin(), species.end(), x.species) == species.end())
      species.push_back(x.species);
  };
  for (const Reaction& r : model_->reactions)
    if (r.fast)
      for (auto& x : r.reactants) touched(x);
  for (const Reaction& r : model_->reactions)
    if (r.fast)
      for (auto& x : r.products) touched(x);
  return species;
}

// A row per fast reaction, a column per species.
SystemBuilder::FastRows SystemBuilder::fast_stoichiometry(const std::vector<int>& species) {
  const Model& m = *model_;
  Graph& g = system_->graph;
  FastRows rows;
  for (const Reaction& r : m.reactions) {
    if (!r.fast) continue;
    rows.emplace_back(species.size(), FastEntry{g.number(0), 0});
    auto add = [&](const SpeciesReference& x, bool product) {
      auto at = std::find(species.begin(), species.end(), x.species);
      if (at == species.end()) return;
      FastEntry& e = rows.back()[at - species.begin()];
      e.node = g.add(e.node, stoichiometry(x, product));
    };
    for (auto& x : r.reactants) add(x, false);
    for (auto& x : r.products) add(x, true);
    for (std::size_t c = 0; c < species.size(); ++c) {
      FastEntry& e = rows.back()[c];
      e.value = g.value(at_start(e.node), [&](Leaf kind, int index) {
        return kind == Leaf::parameter ? system_->parameters[index].value : not_set;
      });
      if (!std::isfinite(e.value))
        fail(r.span, "the stoichiometry of '" + m.species[species[c]].id + "' in fast reaction '" +
                         r.id + "' is not known at the start");
    }
  }
  return rows;
}

// The state of a species that is no pivot: its amount less its shares in those that are.
void SystemBuilder::make_total(std::size_t column, const std::vector<int>& species,
                               const FastRows& rows, const std::vector<std::size_t>& pivots) {
  System& s = *system_;
  const NodeId zero = s.graph.number(0);
  const int index = species_[species[column]].state;
  std::vector<Share> shares;
  std::string name = s.states[index].name;
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    const FastEntry& e = rows[k][column];
    if (e.node == zero) continue;
    shares.push_back({s.equilibrium.states[k], e.node});
    const double size = std::fabs(e.value);
    name += (e.value > 0 ? " - " : " + ") + (size == 1 ? "" : format_number(size) + "*") +
            model_->species[species[pivots[k]]].id;
  }
  if (shares.empty()) return;  // a catalyst
  s.states[index].total = true;
  s.states[index].substance = false;
  s.states[index].name = "total(" + name + ")";
  totals_.emplace_back(index, std::move(shares));
}

void SystemBuilder::find_equilibria() {
  System& s = *system_;
  Graph& g = s.graph;
  const std::vector<int> species = fast_species();
  if (species.empty()) return;

  const NodeId zero = g.number(0);
  finding_equilibria_ = true;
  for (int index : species) species_[index].fast = true;
  FastRows rows = fast_stoichiometry(species);
  const std::vector<std::size_t> pivots = reduce_rows(g, rows);
  for (std::size_t r = pivots.size(); r < rows.size(); ++r)
    for (const FastEntry& e : rows[r])
      if (e.node != zero && !g.is_fixed(e.node))
        fail({}, "the stoichiometries of the fast reactions vary through zero");
  finding_equilibria_ = false;

  auto state_of = [&](std::size_t column) { return species_[species[column]].state; };
  for (std::size_t column : pivots) s.equilibrium.states.push_back(state_of(column));
  for (std::size_t c = 0; c < species.size(); ++c) {
    SystemState& state = s.states[state_of(c)];
    state.is_amount = true;
    if (std::find(pivots.begin(), pivots.end(), c) != pivots.end())
      state.equilibrium = true;
    else
      make_total(c, species, rows, pivots);
  }
  for (auto& [state, shares] : totals_) {
    NodeId sum = g.number(0);
    for (const Share& share : shares)
      sum = g.add(sum, g.mul(share.factor, g.state(share.equilibrium)));
    s.equilibrium.totals.push_back({state, g.add(g.state(state), sum), g.sub(g.state(state), sum)});
  }
}

// The amount of a species that fast reactions change.
NodeId SystemBuilder::amount_behind(int state) {
  if (finding_equilibria_)
    fail(model_->species[system_->states[state].ref.index].span,
         "the stoichiometry of a fast reaction depends on '" + system_->states[state].name +
             "', which fast reactions change");
  for (const SystemEquilibrium::Total& total : system_->equilibrium.totals)
    if (total.state == state) return total.amount;
  return system_->graph.state(state);
}

NodeId SystemBuilder::state_start(int state) {
  Graph& g = system_->graph;
  NodeId start = own_start(state);
  for (auto& [total, shares] : totals_) {
    if (total != state) continue;
    for (const Share& share : shares)
      start = g.sub(start, g.mul(at_start(share.factor), own_start(share.equilibrium)));
  }
  return start;
}

// What a reaction adds to totals, from what it adds to amounts.
void SystemBuilder::spread_to_totals(std::vector<std::pair<int, NodeId>>& net) {
  Graph& g = system_->graph;
  if (totals_.empty()) return;
  const std::vector<std::pair<int, NodeId>> amounts = net;
  for (auto& [total, shares] : totals_)
    for (const Share& share : shares)
      for (auto& [state, coefficient] : amounts) {
        if (state != share.equilibrium) continue;
        const int wanted = total;
        auto at = std::find_if(net.begin(), net.end(),
                               [&](const auto& entry) { return entry.first == wanted; });
        if (at == net.end()) at = net.insert(net.end(), {wanted, g.number(0)});
        at->second = g.sub(at->second, g.mul(share.factor, coefficient));
      }
}

// Where a factor R varies, w = a - R a_s moves by -R' a_s besides.
void SystemBuilder::add_drift_of_totals() {
  Graph& g = system_->graph;
  DiscontinuityLowering lowering(g, 0);
  for (auto& [total, shares] : totals_)
    for (const Share& share : shares) {
      if (g.is_fixed(share.factor)) continue;
      if (lowering.lower(share.factor) != share.factor)
        fail({}, "the stoichiometry of a fast reaction jumps with time or state",
             "an event may set it");
      NodeId drift = g.mul(total_derivative(share.factor), g.state(share.equilibrium));
      if (g.is_number(drift, 0)) continue;
      system_->terms[total].push_back(
          {static_cast<int>(model_->reactions.size() + rate_rules_.size() + extra_rates_.size()),
           g.number(-1)});
      extra_rates_.push_back(drift);
    }
}

void SystemBuilder::add_residuals() {
  Graph& g = system_->graph;
  for (int state : system_->equilibrium.states) {
    NodeId sum = g.number(0);
    for (const Term& term : system_->terms[state]) {
      const std::size_t reaction = term.reaction;
      if (reaction >= model_->reactions.size() || !model_->reactions[reaction].fast) continue;
      sum = g.add(
          sum, g.mul(g.mul(g.number(1 / fast_factor), term.coefficient), system_->rates[reaction]));
    }
    system_->equilibrium.residual.push_back(sum);
  }
}

}  // namespace stiffit::internal
