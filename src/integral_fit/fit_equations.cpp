// SPDX-License-Identifier: Apache-2.0
#include "integral_fit/fit_equations.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/diagnostic.h"
#include "objective/prepared_model.h"
#include "symbolic/moieties.h"
#include "symbolic/operands_first.h"
#include "symbolic/substitution.h"

namespace stiffit {
namespace {

std::vector<int> leaves(const Graph& graph, NodeId node, Leaf kind) {
  std::vector<int> found;
  if (!graph.depends_on(node, kind)) return found;
  for (NodeId id :
       operands_first(graph, node, [&](NodeId n) { return !graph.depends_on(n, kind); }))
    if (graph[id].op == Op::symbol && graph[id].a == static_cast<std::uint32_t>(kind))
      found.push_back(static_cast<int>(graph[id].b));
  std::sort(found.begin(), found.end());
  return found;
}

bool placeholders_vary(const ProblemObservable& observable) {
  return static_cast<int>(observable.placeholders.size()) > observable.noise_placeholders;
}

}  // namespace

FitEquations::FitEquations(const FitProblem& problem, std::vector<int> unknowns)
    : problem_(problem), unknowns_(std::move(unknowns)) {
  if (!problem.parts.empty())
    throw InputError("error: this method is for problems with one model; this one has " +
                     std::to_string(problem.parts.size()));
  PreparedModel prepared = prepare_model(problem);
  model_ = std::move(prepared.model);
  default_values_ = std::move(prepared.default_values);
  free_measured_rules();
  resolved_ = resolve(model_, system_options(problem, *model_, default_values_, unknowns_));
  resolved_.builder->attach(resolved_.system);
  System& system = resolved_.system;
  SystemBuilder& builder = *resolved_.builder;
  check_model();
  states_ = static_cast<int>(system.states.size());
  observables_ = static_cast<int>(problem.observables.size());
  for (const ProblemObservable& o : problem.observables)
    observable_.push_back(builder.value({SymbolKind::observable, o.formula}));
  for (auto& [target, rule] : freed_)
    freed_rule_.push_back(builder.convert(rule, SystemBuilder::Moment::now));
  for (std::size_t e = 0; e < problem.experiments.size(); ++e)
    settings_.push_back(settings_of(static_cast<int>(e)));
  for (int u : unknowns_) {
    const Ref ref = model_->find(problem.parameters[static_cast<std::size_t>(u)].id);
    int found = -1;
    for (std::size_t i = 0; i < system.parameters.size(); ++i)
      if (ref.kind != SymbolKind::none && system.parameters[i].ref == ref)
        found = static_cast<int>(i);
    unknown_parameter_.push_back(found);
  }
  delays_ = static_cast<int>(system.delays.size());
  unfreeze();
  std::vector<std::set<int>> measured(problem.experiments.size());
  for (const Measurement& m : problem.measurements)
    if (std::isfinite(m.time) &&
        !placeholders_vary(problem.observables[static_cast<std::size_t>(m.observable)]))
      measured[static_cast<std::size_t>(m.experiment)].insert(m.observable);
  for (const std::set<int>& set : measured) measured_.emplace_back(set.begin(), set.end());
}

// A variable that a rule gives and that was measured is read from its data; the rule is then an
// equation between data (an algebraic row).
void FitEquations::free_measured_rules() {
  Model& m = *model_;
  for (const ProblemObservable& o : problem_.observables) {
    const ExprNode& formula =
        m.expressions[m.observables[static_cast<std::size_t>(o.formula)].value];
    if (formula.op != Op::symbol) continue;
    const Ref ref = formula.ref;
    if (ref.kind != SymbolKind::species && ref.kind != SymbolKind::parameter) continue;
    for (Rule& rule : m.rules) {
      if (rule.kind != RuleKind::assignment || rule.target != ref) continue;
      freed_.emplace_back(ref, rule.value);
      m.initial_assignments.push_back({ref, rule.value, rule.span});
      rule.kind = RuleKind::rate;
      rule.value = m.expressions.number(0);
    }
  }
}

void FitEquations::check_model() const {
  const System& system = resolved_.system;
  std::string text;
  for (const SystemEvent& event : system.events)
    for (const SystemAssignment& a : event.assignments)
      if (a.state >= 0 && a.value != no_node) {
        text += "error: event '" + event.name + "' sets '" +
                system.states[static_cast<std::size_t>(a.state)].name +
                "': an integral along the data cannot follow jumps\n";
        break;
      }
  for (const Experiment& e : problem_.experiments)
    if (e.periods.size() > 1 || (!e.periods.empty() && !std::isfinite(e.periods.front().start)))
      text += "error: experiment '" + e.id +
              "' has several periods or a pre-equilibration; this method needs one period\n";
  if (!system.equilibrium.states.empty())
    text += "error: the model has fast reactions, whose totals are not what is measured\n";
  if (!text.empty()) throw InputError(text + "  --method trust-region serves it");
}

// Modes stay fixed during a step; along data there are no steps.
void FitEquations::unfreeze() {
  System& system = resolved_.system;
  Graph& g = system.graph;
  Substitution live(g);
  for (int k = 0; k < delays_; ++k) live.replace(g.leaf(Leaf::input, k), g.state(past(k)));
  const auto first = static_cast<int>(system.parameters.size());
  for (std::size_t k = 0; k < system.modes.size(); ++k) {
    const Mode& mode = system.modes[k];
    const NodeId root = live.of(mode.root), zero = g.number(0);
    NodeId value = 0;
    switch (mode.kind) {
      case ModeKind::positive:
        value = g.apply(Op::gt, root, zero);
        break;
      case ModeKind::not_negative:
        value = g.apply(Op::ge, root, zero);
        break;
      case ModeKind::zero:
        value = g.apply(Op::eq, root, zero);
        break;
      case ModeKind::whole:
        value = g.apply(Op::floor, root);
        break;
    }
    live.replace(g.parameter(first + static_cast<int>(k)), value);
  }
  for (NodeId node : system.rhs) rhs_.push_back(live.of(node));
  for (NodeId& node : observable_) node = live.of(node);
  for (NodeId& node : freed_rule_) node = live.of(node);
}

int FitEquations::unknown_of(int parameter) const {
  for (std::size_t u = 0; u < unknown_parameter_.size(); ++u)
    if (unknown_parameter_[u] == parameter) return static_cast<int>(u);
  return -1;
}

std::vector<int> FitEquations::unknowns_in(NodeId node) const {
  std::vector<int> found;
  for (int parameter : leaves(resolved_.system.graph, node, Leaf::parameter))
    if (int u = unknown_of(parameter); u >= 0) found.push_back(u);
  return found;
}

std::vector<int> FitEquations::unknowns_felt() const {
  std::set<int> felt;
  auto add = [&](NodeId node) {
    for (int u : unknowns_in(node)) felt.insert(u);
  };
  for (const auto* nodes : {&rhs_, &observable_, &freed_rule_, &resolved_.system.initial})
    for (NodeId node : *nodes) add(node);
  for (const SystemDelay& d : resolved_.system.delays) {
    add(d.value);
    add(d.lag);
  }
  for (const auto& settings : settings_)
    for (const Setting& s : settings)
      if (s.node != no_node) add(s.node);
  return {felt.begin(), felt.end()};
}

bool FitEquations::past_in(NodeId node) const {
  const std::vector<int> found = leaves(resolved_.system.graph, node, Leaf::state);
  return std::any_of(found.begin(), found.end(), [this](int leaf) { return leaf >= past(0); });
}

NodeId FitEquations::noise(int observable) {
  return resolved_.builder->value(
      {SymbolKind::observable, problem_.observables[static_cast<std::size_t>(observable)].noise});
}

std::vector<int> FitEquations::states_in(NodeId node) const {
  std::vector<int> found = leaves(resolved_.system.graph, node, Leaf::state);
  std::erase_if(found, [this](int state) { return state >= states_; });
  return found;
}

double FitEquations::start_time(int experiment) const {
  const auto& periods = problem_.experiments[static_cast<std::size_t>(experiment)].periods;
  return periods.empty() ? resolved_.system.start_time : periods.front().start;
}

std::vector<FitEquations::Setting> FitEquations::settings_of(int experiment) const {
  const System& system = resolved_.system;
  SystemBuilder& builder = *resolved_.builder;
  std::map<int, Setting> settings;
  auto add = [&](Ref target, ExprId value) {
    for (std::size_t i = 0; i < system.parameters.size(); ++i) {
      if (!(system.parameters[i].ref == target)) continue;
      const NodeId node = builder.convert(value, SystemBuilder::Moment::start);
      Setting s;
      s.parameter = static_cast<int>(i);
      if (system.graph.is_number(node))
        s.number = system.graph[node].value;
      else
        s.node = node;
      settings[s.parameter] = s;
      return;
    }
  };
  for (auto& [target, value] : default_values_) add(target, value);
  for (const Period& p : problem_.experiments[static_cast<std::size_t>(experiment)].periods)
    for (const ConditionAssignment& a : p.assignments) add(a.target, a.value);
  std::vector<Setting> result;
  for (auto& [parameter, setting] : settings) result.push_back(setting);
  return result;
}

std::vector<double> FitEquations::parameter_values(int experiment) const {
  std::vector<double> values;
  for (const SystemParameter& p : resolved_.system.parameters) values.push_back(p.value);
  for (const Setting& s : settings_[static_cast<std::size_t>(experiment)])
    if (s.node == no_node) values[static_cast<std::size_t>(s.parameter)] = s.number;
  return values;
}

const ExperimentEquations& FitEquations::of(int experiment) {
  const auto e = static_cast<std::size_t>(experiment);
  std::vector<std::uint64_t> key;
  for (int o : measured_[e]) key.push_back(static_cast<std::uint64_t>(o));
  std::vector<Setting> nodes;
  for (const Setting& s : settings_[e])
    if (s.node != no_node) {
      key.push_back((std::uint64_t{1} << 63) | static_cast<std::uint64_t>(s.parameter));
      key.push_back(s.node);
      nodes.push_back(s);
    }
  auto found = known_.find(key);
  if (found == known_.end()) found = known_.emplace(key, build(measured_[e], nodes)).first;
  return found->second;
}

ExperimentEquations FitEquations::build(const std::vector<int>& measured,
                                        const std::vector<Setting>& settings) {
  System& system = resolved_.system;
  Graph& g = system.graph;
  Substitution set(g);  // what the experiment sets
  for (const Setting& s : settings) set.replace(g.parameter(s.parameter), s.node);

  // What ties states to series and to each other; each is zero.
  std::vector<Relation> relations;
  std::vector<Relation> measuring;
  for (int o : measured) {
    const NodeId node = set.of(observable_[static_cast<std::size_t>(o)]);
    measuring.push_back({g.sub(node, g.state(series(o))), o, false});
  }
  for (std::size_t k = 0; k < freed_.size(); ++k) {
    const int state = system.state_index(freed_[k].first);
    if (state >= 0) relations.push_back({set.of(g.sub(freed_rule_[k], g.state(state))), -1, false});
  }
  for (int i = 0; i < states_; ++i)
    if (system.states[static_cast<std::size_t>(i)].algebraic)
      relations.push_back({set.of(rhs_[static_cast<std::size_t>(i)]), -1, false});
  for (const Moiety& moiety : conserved_moieties(system)) {
    NodeId sum = g.number(0);
    bool freed = false;
    for (auto& [state, weight] : moiety.terms) {
      const NodeId w = g.number(weight);
      sum = g.add(sum, g.mul(w, g.sub(g.state(state),
                                      set.of(system.initial[static_cast<std::size_t>(state)]))));
      for (auto& [target, rule] : freed_) freed |= system.state_index(target) == state;
    }
    if (!freed) relations.push_back({sum, -1, true});
  }

  enum class Told { no, directly, by_rule, by_balance };
  std::vector<Told> told(static_cast<std::size_t>(states_), Told::no);
  std::vector<NodeId> value(static_cast<std::size_t>(states_), no_node);
  auto substitution = [&] {
    Substitution s(g);
    for (int i = 0; i < states_; ++i)
      if (told[static_cast<std::size_t>(i)] != Told::no)
        s.replace(g.state(i), value[static_cast<std::size_t>(i)]);
    return s;
  };
  // Solves a relation for the one state that is not told yet.
  auto solve = [&](const Relation& r, Told how, bool alone) {
    if (has_unknown(r.node)) return false;
    std::vector<int> in = states_in(r.node), open;
    for (int i : in)
      if (told[static_cast<std::size_t>(i)] == Told::no) open.push_back(i);
    if (open.size() != 1 || (alone && in.size() != 1)) return false;
    const int state = open.front();
    NodeId factor = no_node;
    for (auto& [index, node] : g.gradient(r.node, Leaf::state))
      if (index == state) factor = node;
    if (factor == no_node || !states_in(factor).empty()) return false;
    Substitution zero(g);
    zero.replace(g.state(state), g.number(0));
    NodeId rest = zero.of(r.node);
    if (in.size() > 1) rest = substitution().of(rest);
    value[static_cast<std::size_t>(state)] = g.neg(g.div(rest, factor));
    told[static_cast<std::size_t>(state)] = how;
    return true;
  };
  std::vector<char> used(measuring.size(), 0);
  for (std::size_t k = 0; k < measuring.size(); ++k)
    used[k] = solve(measuring[k], Told::directly, true);
  std::vector<char> spent(relations.size(), 0);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < measuring.size(); ++k)
      if (!used[k] && solve(measuring[k], Told::by_rule, false)) used[k] = more = true;
    for (std::size_t k = 0; k < relations.size() && !more; ++k)
      if (!spent[k] &&
          solve(relations[k], relations[k].conserved ? Told::by_balance : Told::by_rule, false))
        spent[k] = more = true;
  }

  ExperimentEquations result;
  result.measured = measured;
  for (int o : measured) {
    Substitution start(g);
    for (int i = 0; i < states_; ++i)
      start.replace(g.state(i), set.of(system.initial[static_cast<std::size_t>(i)]));
    start.replace(g.time(), g.number(system.start_time));
    result.start.push_back(start.of(set.of(observable_[static_cast<std::size_t>(o)])));
  }
  Substitution told_states = substitution();
  for (const SystemDelay& d : system.delays) {
    Substitution inputs(g);
    for (int k = 0; k < delays_; ++k) inputs.replace(g.leaf(Leaf::input, k), g.state(past(k)));
    result.past.push_back({told_states.of(set.of(inputs.of(d.value))), set.of(inputs.of(d.lag))});
  }
  for (int i = 0; i < states_; ++i)
    if (told[static_cast<std::size_t>(i)] == Told::no)
      result.untold.push_back(system.states[static_cast<std::size_t>(i)].name);

  auto series_in = [&](NodeId node) {
    std::vector<int> found;
    for (int leaf : leaves(g, node, Leaf::state))
      if (leaf >= states_ && leaf < states_ + observables_) found.push_back(leaf - states_);
    return found;
  };
  auto add = [&](EquationRow row) {
    std::set<std::string> missing;
    for (NodeId node : {row.rate, row.left})
      for (int state : states_in(node))
        missing.insert(system.states[static_cast<std::size_t>(state)].name);
    for (int leaf : leaves(g, row.rate, Leaf::state))
      if (leaf >= states_ + 2 * observables_)
        for (int state : states_in(
                 result.past[static_cast<std::size_t>(leaf - states_ - 2 * observables_)].value))
          missing.insert(system.states[static_cast<std::size_t>(state)].name);
    if (!missing.empty()) {
      std::string names;
      for (const std::string& name : missing) names += (names.empty() ? "" : ", ") + name;
      result.not_usable.push_back("the equation of " + row.name + " needs " + names +
                                  ", which nothing measured tells");
      return;
    }
    row.series = series_in(row.algebraic ? row.rate : row.left);
    if (!row.algebraic) {
      row.slope = g.time_derivative(row.left);
      for (auto& [leaf, node] : g.gradient(row.left, Leaf::state))
        if (leaf >= states_ && leaf < states_ + observables_)
          row.slope = g.add(row.slope, g.mul(node, g.state(slope(leaf - states_))));
    }
    result.rows.push_back(std::move(row));
  };
  std::vector<char> is_freed(static_cast<std::size_t>(states_), 0);
  for (auto& [target, rule] : freed_)
    if (int state = system.state_index(target); state >= 0)
      is_freed[static_cast<std::size_t>(state)] = 1;
  for (int i = 0; i < states_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (told[k] == Told::no || told[k] == Told::by_balance || is_freed[k] ||
        system.states[k].algebraic)
      continue;
    add({system.states[k].name,
         false,
         value[k],
         told_states.of(set.of(rhs_[k])),
         0,
         set.of(system.initial[k]),
         {}});
  }
  for (std::size_t k = 0; k < relations.size(); ++k)
    if (!spent[k] && !relations[k].conserved) {
      std::vector<int> in = states_in(relations[k].node);
      if (std::all_of(in.begin(), in.end(),
                      [&](int i) { return told[static_cast<std::size_t>(i)] != Told::no; }))
        add({"the algebraic rule " + std::to_string(k + 1),
             true,
             g.number(0),
             told_states.of(relations[k].node),
             0,
             g.number(0),
             {}});
    }
  // A further measurement: of a state measured already, of a sum, or with unknowns in its formula.
  for (std::size_t k = 0; k < measuring.size(); ++k) {
    if (used[k]) continue;
    const int o = measuring[k].observable;
    const std::string& name = problem_.observables[static_cast<std::size_t>(o)].id;
    const NodeId formula = set.of(observable_[static_cast<std::size_t>(o)]);
    if (has_unknown(measuring[k].node) || states_in(formula).empty()) {
      add({name, true, g.number(0), told_states.of(measuring[k].node), 0, g.number(0), {}});
      continue;
    }
    NodeId rate = g.time_derivative(formula);
    for (auto& [state, node] : g.gradient(formula, Leaf::state))
      rate = g.add(rate, g.mul(node, set.of(rhs_[static_cast<std::size_t>(state)])));
    const auto at = std::find(measured.begin(), measured.end(), o) - measured.begin();
    add({name,
         false,
         g.state(series(o)),
         told_states.of(rate),
         0,
         result.start[static_cast<std::size_t>(at)],
         {}});
  }
  return result;
}

}  // namespace stiffit
