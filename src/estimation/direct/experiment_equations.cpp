// The equations of one experiment in terms of its measured series: which states the data tell, how
// the others follow, and which rows that leaves.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "estimation/direct/fit_equations.h"
#include "symbolic/moieties.h"
#include "symbolic/substitution.h"

namespace stiffit::internal {

class ExperimentBuilder {
 public:
  ExperimentBuilder(FitEquations& all, const std::vector<int>& measured,
                    const std::vector<FitEquations::Setting>& settings)
      : all_(all), system_(all.system()), g_(all.graph()), set_(g_) {
    for (const FitEquations::Setting& s : settings) set_.replace(g_.parameter(s.parameter), s.node);
    told_.assign(all_.states_, Told::no);
    value_.assign(told_.size(), no_node);
    freed_.assign(told_.size(), 0);
    for (auto& [target, rule] : all_.freed_)
      if (int state = system_.state_index(target); state >= 0) freed_[state] = 1;
    result_.measured = measured;
  }

  ExperimentEquations build() {
    collect_relations();
    tell_states();
    drive_states();
    add_sources();
    add_state_rows();
    add_algebraic_rows();
    add_further_rows();
    return std::move(result_);
  }

 private:
  // How a state is known: from a series of its own; from a sum or a rule; from what is conserved
  // (its equation then says nothing new); by integrating its equation along the data.
  enum class Told { no, directly, by_rule, by_balance, by_equation };
  // Something that is zero.
  struct Relation {
    NodeId node = 0;
    Told tells = Told::by_rule;
    int observable = -1;  // whose series takes part
    bool used = false;
  };

  Told& told(int state) { return told_[state]; }
  NodeId& value(int state) { return value_[state]; }
  NodeId rate(int state) { return set_.of(all_.rhs_[state]); }
  NodeId initial(int state) { return set_.of(system_.initial[state]); }
  NodeId formula(int observable) { return set_.of(all_.observable_[observable]); }
  const std::string& name(int state) const { return system_.states[state].name; }
  bool algebraic(int state) const { return system_.states[state].algebraic; }
  bool has_algebraic(NodeId node) const {
    const std::vector<int> in = all_.states_in(node);
    return std::any_of(in.begin(), in.end(), [this](int i) { return algebraic(i); });
  }
  Substitution known_states() {
    Substitution s(g_);
    for (int i = 0; i < all_.states_; ++i)
      if (told(i) != Told::no) s.replace(g_.state(i), value(i));
    return s;
  }

  void collect_relations() {
    for (int o : result_.measured)
      measuring_.push_back({g_.sub(formula(o), g_.state(all_.series(o))), Told::by_rule, o, false});
    for (std::size_t k = 0; k < all_.freed_.size(); ++k)
      if (const int state = system_.state_index(all_.freed_[k].first); state >= 0)
        relations_.push_back({set_.of(g_.sub(all_.freed_rule_[k], g_.state(state)))});
    for (int i = 0; i < all_.states_; ++i)
      if (algebraic(i)) relations_.push_back({rate(i)});
    for (const Moiety& moiety : conserved_moieties(system_)) {
      NodeId sum = g_.number(0);
      bool freed = false;
      for (auto& [state, weight] : moiety.terms) {
        sum = g_.add(sum, g_.mul(g_.number(weight), g_.sub(g_.state(state), initial(state))));
        freed |= freed_[state] != 0;
      }
      if (!freed) relations_.push_back({sum, Told::by_balance});
    }
  }

  // Solves a relation for the one state that is not told yet.
  bool solve(Relation& relation, Told how, bool alone) {
    if (relation.used || all_.has_unknown(relation.node)) return false;
    const std::vector<int> in = all_.states_in(relation.node);
    std::vector<int> open;
    for (int i : in)
      if (told(i) == Told::no) open.push_back(i);
    if (open.size() != 1 || (alone && in.size() != 1)) return false;
    const int state = open.front();
    NodeId factor = no_node;
    for (auto& [index, node] : g_.gradient(relation.node, Leaf::state))
      if (index == state) factor = node;
    if (factor == no_node || !all_.states_in(factor).empty()) return false;
    Substitution zero(g_);
    zero.replace(g_.state(state), g_.number(0));
    NodeId rest = zero.of(relation.node);
    if (in.size() > 1) rest = known_states().of(rest);
    value(state) = g_.neg(g_.div(rest, factor));
    told(state) = how;
    return relation.used = true;
  }

  void tell_states() {
    for (Relation& r : measuring_) solve(r, Told::directly, true);
    for (bool more = true; more;) {
      more = false;
      for (auto* list : {&measuring_, &relations_})
        for (std::size_t k = 0; k < list->size() && !more; ++k)
          more = solve((*list)[k], (*list)[k].tells, false);
    }
  }

  // States whose equations hold no unknown and nothing that is not known.
  void drive_states() {
    std::vector<NodeId> rates;
    std::vector<char> candidate;
    Substitution known = known_states();
    for (int i = 0; i < all_.states_; ++i) {
      rates.push_back(known.of(rate(i)));
      candidate.push_back(told(i) == Told::no && !algebraic(i) && !freed_[i]);
    }
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < candidate.size(); ++i) {
        if (!candidate[i]) continue;
        const std::vector<int> others = all_.states_in(rates[i]);
        if (!all_.has_unknown(rates[i]) && !all_.has_unknown(initial(static_cast<int>(i))) &&
            !all_.past_in(rates[i]) &&
            std::all_of(others.begin(), others.end(), [&](int other) { return candidate[other]; }))
          continue;
        candidate[i] = 0;
        more = true;
      }
    }
    Substitution leaf(g_);
    for (int i = 0; i < all_.states_; ++i)
      if (candidate[i]) leaf.replace(g_.state(i), g_.state(all_.driven(i)));
    for (int i = 0; i < all_.states_; ++i) {
      if (!candidate[i]) continue;
      result_.driven.push_back({all_.driven(i), leaf.of(rates[i]), initial(i)});
      told(i) = Told::by_equation;
      value(i) = g_.state(all_.driven(i));
    }
  }

  // Start values of the series, delayed values, signals of memories.
  void add_sources() {
    Substitution start(g_), inputs(g_), known = known_states();
    for (int i = 0; i < all_.states_; ++i) start.replace(g_.state(i), initial(i));
    start.replace(g_.time(), g_.number(system_.start_time));
    // What an algebraic variable starts from is a guess.
    for (int o : result_.measured)
      result_.start.push_back(has_algebraic(formula(o)) ? no_node : start.of(formula(o)));
    for (int k = 0; k < all_.delays_; ++k)
      inputs.replace(g_.leaf(Leaf::input, k), g_.state(all_.past(k)));
    for (const SystemDelay& d : system_.delays)
      result_.past.push_back({known.of(set_.of(inputs.of(d.value))), set_.of(inputs.of(d.lag))});
    for (NodeId signal : all_.memory_signal_) result_.memories.push_back(known.of(set_.of(signal)));
  }

  // What a leaf that looks back is computed from; a number for all others.
  NodeId source_of(int leaf) {
    if (leaf >= all_.memory(0)) return result_.memories[leaf - all_.memory(0)];
    if (leaf >= all_.past(0) && leaf < all_.past(all_.delays_))
      return result_.past[leaf - all_.past(0)].value;
    return g_.number(0);
  }

  void add(EquationRow row) {
    std::set<std::string> missing;
    for (NodeId node : {row.rate, row.left})
      for (int state : all_.states_in(node)) missing.insert(name(state));
    for (int leaf : all_.leaves_in(row.rate))
      for (int state : all_.states_in(source_of(leaf))) missing.insert(name(state));
    if (!missing.empty()) {
      std::string names;
      for (const std::string& one : missing) names += (names.empty() ? "" : ", ") + one;
      result_.not_usable.push_back("the equation of " + row.name + " needs " + names +
                                   ", which nothing measured tells");
      return;
    }
    for (int leaf : all_.leaves_in(row.algebraic ? row.rate : row.left))
      if (leaf < all_.slope(0)) row.series.push_back(leaf - all_.series(0));
    if (!row.algebraic) {
      row.slope = g_.time_derivative(row.left);
      for (auto& [leaf, node] : g_.gradient(row.left, Leaf::state))
        if (leaf < all_.slope(0))
          row.slope = g_.add(row.slope, g_.mul(node, g_.state(all_.slope(leaf - all_.series(0)))));
    }
    result_.rows.push_back(std::move(row));
  }

  void add_state_rows() {
    Substitution known = known_states();
    for (int i = 0; i < all_.states_; ++i)
      if ((told(i) == Told::directly || told(i) == Told::by_rule) && !freed_[i] && !algebraic(i))
        add({name(i), false, value(i), known.of(rate(i)), 0, initial(i), {}});
  }

  void add_algebraic_rows() {
    Substitution known = known_states();
    int number = 0;
    for (const Relation& r : relations_) {
      if (r.tells == Told::by_balance) continue;
      ++number;
      const std::vector<int> in = all_.states_in(r.node);
      if (!r.used && std::all_of(in.begin(), in.end(), [&](int i) { return told(i) != Told::no; }))
        add({"rule " + std::to_string(number),
             true,
             g_.number(0),
             known.of(r.node),
             0,
             g_.number(0),
             {}});
    }
  }

  // A measurement of a state that is told already, of a sum, or with unknowns in its formula.
  void add_further_rows() {
    Substitution known = known_states();
    for (std::size_t k = 0; k < measuring_.size(); ++k) {
      const Relation& r = measuring_[k];
      if (r.used) continue;
      const std::string& id = all_.problem_.observables[r.observable].id;
      const NodeId own = formula(r.observable);
      if (all_.has_unknown(r.node) || all_.states_in(own).empty() || has_algebraic(own)) {
        add({id, true, g_.number(0), known.of(r.node), 0, g_.number(0), {}});
        continue;
      }
      NodeId slope = g_.time_derivative(own);
      for (auto& [state, node] : g_.gradient(own, Leaf::state))
        if (state < all_.states_) slope = g_.add(slope, g_.mul(node, rate(state)));
      add({id,
           false,
           g_.state(all_.series(r.observable)),
           known.of(slope),
           0,
           result_.start[k],
           {}});
    }
  }

  FitEquations& all_;
  System& system_;
  Graph& g_;
  Substitution set_;  // what the experiment sets
  std::vector<Relation> measuring_, relations_;
  std::vector<Told> told_;
  std::vector<NodeId> value_;  // of told states
  std::vector<char> freed_;    // states that stand for a measured variable with a rule
  ExperimentEquations result_;
};

ExperimentEquations FitEquations::build(const std::vector<int>& measured,
                                        const std::vector<Setting>& settings) {
  return ExperimentBuilder(*this, measured, settings).build();
}

}  // namespace stiffit::internal
