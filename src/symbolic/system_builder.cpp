// What each thing of the model is: a constant, assigned by a rule, or a state; and the equations.
// SPDX-License-Identifier: Apache-2.0
#include "symbolic/system_builder.h"

#include <cmath>

#include "base/diagnostic.h"

namespace stiffit::internal {

namespace {
constexpr int deepest_rate = 200;  // rates of change that speak of each other; deeper is a cycle
}

SystemBuilder::SystemBuilder(std::shared_ptr<const Model> model, const SystemOptions& options,
                             System& system, const std::vector<Undefined>& undefined)
    : model_(std::move(model)), options_(options), system_(&system) {
  species_.resize(model_->species.size());
  parameters_.resize(model_->parameters.size());
  compartments_.resize(model_->compartments.size());
  for (const Undefined& u : undefined) {
    place(u.ref).undefined = true;
    place(u.ref).unset = u.at_start;
  }
  reaction_now_.assign(model_->reactions.size(), none);
  reaction_start_ = reaction_now_;
  observable_now_.assign(model_->observables.size(), none);
  observable_start_ = observable_now_;
  reaction_busy_.assign(model_->reactions.size(), 0);
  memo_now_.assign(model_->expressions.size(), none);
  memo_start_ = memo_past_ = memo_now_;
  for (std::size_t i = 0; i < model_->expressions.size(); ++i) {
    const ExprNode& n = model_->expressions[static_cast<ExprId>(i)];
    functions_see_rates_ |=
        n.op == Op::rate_of && model_->expressions[n.a].ref.kind == SymbolKind::argument;
  }
}

void SystemBuilder::fail(Span span, const std::string& message, const std::string& hint) const {
  static const Source no_source;
  throw InputError(render(Diagnostic{Severity::error, message, span, hint},
                          model_->source ? *model_->source : no_source));
}

SystemBuilder::Place& SystemBuilder::place(Ref ref) {
  std::size_t i = ref.index;
  switch (ref.kind) {
    case SymbolKind::species:
      return species_[i];
    case SymbolKind::parameter:
      return parameters_[i];
    default:
      return compartments_[i];
  }
}

void SystemBuilder::build() {
  system_->start_time = std::isnan(options_.start_time) ? model_->start_time : options_.start_time;
  classify();
  match_algebraic_rules();
  add_states();
  add_equations();
  add_events_and_modes();
}

void SystemBuilder::classify() {
  const Model& m = *model_;
  for (std::size_t i = 0; i < m.rules.size(); ++i) {
    const Rule& rule = m.rules[i];
    if (rule.kind == RuleKind::algebraic) continue;
    Place& p = place(rule.target);
    if (p.rule >= 0)
      fail(
          rule.span, "two rules set '" + m.id_of(rule.target) + "'",
          m.source ? "the other stands on " + m.source->line_text(m.rules[p.rule].span.begin) : "");
    p.rule = static_cast<int>(i);
    p.role = rule.kind == RuleKind::assignment ? Role::assigned : Role::state;
  }
  for (std::size_t i = 0; i < m.initial_assignments.size(); ++i)
    place(m.initial_assignments[i].target).initial = static_cast<int>(i);
  auto changes = [&](const SpeciesReference& reference) {
    const Species& s = m.species[reference.species];
    Place& p = species_[reference.species];
    if (s.boundary || s.constant) return;
    if (p.rule >= 0)
      fail(reference.span.empty() ? s.span : reference.span,
           "species '" + s.id + "' is changed by a reaction and by a rule",
           "make it a boundary species ($" + s.id + ") if the rule is meant");
    p.role = Role::state;
  };
  for (const Reaction& r : m.reactions) {
    for (auto& x : r.reactants) changes(x);
    for (auto& x : r.products) changes(x);
  }
  // What an event sets is a state, if only one that stands still in between.
  for (const Event& event : m.events)
    for (const EventAssignment& assignment : event.assignments) {
      Place& p = place(assignment.target);
      if (p.role == Role::assigned)
        fail(assignment.span,
             "'" + m.id_of(assignment.target) + "' is set by an event and by a rule");
      p.role = Role::state;
    }
}

void SystemBuilder::add_states() {
  const Model& m = *model_;
  auto add = [&](Ref ref, Place& p, bool is_amount) {
    if (p.role != Role::state) return;
    p.state = static_cast<int>(system_->states.size());
    system_->states.push_back({m.id_of(ref), ref, is_amount, p.algebraic,
                               ref.kind == SymbolKind::species && p.rule < 0 && !p.algebraic});
  };
  for (std::size_t i = 0; i < m.species.size(); ++i) {
    const Species& s = m.species[i];
    bool varies = s.compartment >= 0 && compartment_varies(s.compartment);
    // An algebraic equation speaks of what the name means.
    const bool is_amount = s.in_amount || (varies && !species_[i].algebraic);
    add({SymbolKind::species, static_cast<int>(i)}, species_[i], is_amount);
  }
  for (std::size_t i = 0; i < m.parameters.size(); ++i)
    add({SymbolKind::parameter, static_cast<int>(i)}, parameters_[i], false);
  for (std::size_t i = 0; i < m.compartments.size(); ++i)
    add({SymbolKind::compartment, static_cast<int>(i)}, compartments_[i], false);
  add_set_flags();
}

// Integrators cannot carry a NaN: what has no value yet is 0 with a second state beside it that
// tells so.
void SystemBuilder::add_set_flags() {
  const std::size_t count = system_->states.size();
  for (std::size_t i = 0; i < count; ++i) {
    Place& p = place(system_->states[i].ref);
    if (!p.undefined) continue;
    p.set_flag = static_cast<int>(system_->states.size());
    SystemState flag;
    flag.name = system_->states[i].name + " is set";
    system_->states.push_back(std::move(flag));
  }
}

int SystemBuilder::set_flag(std::size_t state) {
  const Ref ref = system_->states[state].ref;
  return ref.kind == SymbolKind::none ? -1 : place(ref).set_flag;
}

// It does not move before it has a value.
void SystemBuilder::stop_undefined(DiscontinuityLowering& lowering) {
  System& s = *system_;
  Graph& g = s.graph;
  for (std::size_t i = 0; i < s.states.size(); ++i) {
    if (set_flag(i) < 0) continue;
    const NodeId is_set = lowering.lower_condition(g.state(set_flag(i)));
    for (Term& term : s.terms[i]) {
      const NodeId rate = where_defined(g, s.rates[term.reaction]);
      term.reaction = static_cast<int>(s.rates.size());
      s.rates.push_back(g.apply(Op::select, rate, is_set, g.number(0)));
    }
  }
}

bool SystemBuilder::compartment_varies(int compartment) {
  return compartments_[compartment].role != Role::constant;
}

NodeId SystemBuilder::size_of(int compartment, Moment moment) {
  if (compartment < 0) return system_->graph.number(1);
  return value({SymbolKind::compartment, compartment}, moment);
}

void SystemBuilder::add_equations() {
  const Model& m = *model_;
  System& s = *system_;
  Graph& g = s.graph;
  s.terms.resize(s.states.size());
  s.initial.resize(s.states.size());
  add_leaves();
  find_equilibria();
  // Terms come first: an initial value may speak of a rate of change.
  add_reaction_terms();
  rate_rules_.clear();
  for (std::size_t i = 0; i < m.rules.size(); ++i) {
    if (m.rules[i].kind != RuleKind::rate) continue;
    s.terms[place(m.rules[i].target).state].push_back(
        {static_cast<int>(m.reactions.size() + rate_rules_.size()), g.number(1)});
    rate_rules_.push_back(static_cast<int>(i));
  }
  for (auto& [rule, unknown] : algebraic_) {
    s.terms[place(unknown).state].push_back(
        {static_cast<int>(m.reactions.size() + rate_rules_.size()), g.number(1)});
    rate_rules_.push_back(rule);
  }
  add_drift_of_totals();
  for (std::size_t i = 0; i < m.parameters.size(); ++i)
    value({SymbolKind::parameter, static_cast<int>(i)}, Moment::start);
  for (std::size_t i = 0; i < m.compartments.size(); ++i)
    value({SymbolKind::compartment, static_cast<int>(i)}, Moment::start);
  for (std::size_t i = 0; i < m.species.size(); ++i)
    value({SymbolKind::species, static_cast<int>(i)}, Moment::start);
  for (std::size_t i = 0; i < s.states.size(); ++i) {
    const Ref ref = s.states[i].ref;
    if (ref.kind == SymbolKind::none) continue;  // a flag, set with its state
    const bool unset = place(ref).unset;
    s.initial[i] = unset ? g.number(0) : state_start(static_cast<int>(i));
    if (set_flag(i) >= 0) s.initial[set_flag(i)] = g.number(unset ? 0 : 1);
  }
  s.rates.resize(m.reactions.size() + rate_rules_.size() + extra_rates_.size());
  for (std::size_t r = 0; r < s.rates.size(); ++r) s.rates[r] = rate(static_cast<int>(r));
  s.rhs.resize(s.states.size());
  for (std::size_t i = 0; i < s.states.size(); ++i) s.rhs[i] = slope(static_cast<int>(i));
}

// Parameters stand in the model's order, whether a kernel needs them or not.
void SystemBuilder::add_leaves() {
  const Model& m = *model_;
  auto add = [&](SymbolKind kind, std::size_t index, double given) {
    Ref ref{kind, static_cast<int>(index)};
    if (place(ref).role != Role::assigned && place(ref).initial < 0) leaf_parameter(ref, given);
  };
  for (std::size_t i = 0; i < m.parameters.size(); ++i)
    add(SymbolKind::parameter, i, m.parameters[i].value);
  for (std::size_t i = 0; i < m.compartments.size(); ++i)
    add(SymbolKind::compartment, i, m.compartments[i].size);
  for (std::size_t i = 0; i < m.species.size(); ++i)
    add(SymbolKind::species, i, m.species[i].initial);
}

// What the name is at the start, as an amount if the state is one.
NodeId SystemBuilder::own_start(int state) {
  const SystemState& st = system_->states[state];
  NodeId start = value(st.ref, Moment::start);
  if (st.ref.kind != SymbolKind::species || !st.is_amount) return start;
  const Species& species = model_->species[st.ref.index];
  if (species.in_amount) return start;
  if (species.initial_is_amount && place(st.ref).initial < 0)
    return leaf_parameter(st.ref, species.initial);  // even if the size is not known yet
  return system_->graph.mul(start, size_of(species.compartment, Moment::start));
}

// The rate of a reaction, or of a rate rule (numbered after the reactions).
NodeId SystemBuilder::rate(int index) {
  const Model& m = *model_;
  Graph& g = system_->graph;
  auto reactions = static_cast<int>(m.reactions.size());
  if (index < reactions) return value({SymbolKind::reaction, index});
  if (auto rules = static_cast<int>(rate_rules_.size()); index >= reactions + rules)
    return extra_rates_[index - reactions - rules];
  const Rule& rule = m.rules[rate_rules_[index - reactions]];
  if (++rate_depth_ > deepest_rate)
    fail(rule.span, "the rate of change of '" + m.id_of(rule.target) + "' depends on itself");
  NodeId result = convert(rule.value, Moment::now);
  --rate_depth_;
  if (rule.kind == RuleKind::algebraic || rule.target.kind != SymbolKind::species) return result;
  const Species& sp = m.species[rule.target.index];
  int state = place(rule.target).state;
  if (sp.in_amount || !system_->states[state].is_amount) return result;
  // The rule speaks of the concentration c, the state is c V: (c V)' = c' V + c V'.
  NodeId growth = derivative({SymbolKind::compartment, sp.compartment});
  return g.add(g.mul(result, size_of(sp.compartment, Moment::now)),
               g.mul(concentration(rule.target.index), growth));
}

NodeId SystemBuilder::slope(int state) {
  Graph& g = system_->graph;
  NodeId sum = g.number(0);
  for (const Term& term : system_->terms[state])
    sum = g.add(sum, g.mul(term.coefficient, rate(term.reaction)));
  return sum;
}

// What one reaction event adds to the amount of the species.
NodeId SystemBuilder::stoichiometry(const SpeciesReference& x, bool product) {
  Graph& g = system_->graph;
  const Species& species = model_->species[x.species];
  NodeId c =
      x.parameter >= 0 ? value({SymbolKind::parameter, x.parameter}) : g.number(x.stoichiometry);
  if (!product) c = g.neg(c);
  if (species.conversion_factor < 0) return c;
  return g.mul(c, value({SymbolKind::parameter, species.conversion_factor}));
}

void SystemBuilder::add_reaction_terms() {
  const Model& m = *model_;
  System& s = *system_;
  Graph& g = s.graph;
  std::vector<std::pair<int, NodeId>> net;  // state, coefficient
  for (std::size_t r = 0; r < m.reactions.size(); ++r) {
    const Reaction& reaction = m.reactions[r];
    net.clear();
    auto collect = [&](const SpeciesReference& x, bool product) {
      const Species& sp = m.species[x.species];
      const Place& p = species_[x.species];
      if (p.state < 0 || p.rule >= 0 || sp.boundary || sp.constant) return;
      NodeId c = stoichiometry(x, product);
      for (auto& [state, sum] : net)
        if (state == p.state) {
          sum = g.add(sum, c);
          return;
        }
      net.emplace_back(p.state, c);
    };
    for (auto& x : reaction.reactants) collect(x, false);
    for (auto& x : reaction.products) collect(x, true);
    if (!reaction.fast) spread_to_totals(net);
    for (auto& [state, coefficient] : net) {
      const SystemState& st = s.states[state];
      if (reaction.fast && st.total) continue;
      if (reaction.fast && st.equilibrium) coefficient = g.mul(g.number(fast_factor), coefficient);
      const Species& sp = m.species[st.ref.index];
      NodeId c = coefficient;
      if (!st.is_amount && sp.compartment >= 0) c = g.div(c, size_of(sp.compartment, Moment::now));
      if (!g.is_number(c, 0)) s.terms[state].push_back({static_cast<int>(r), c});
    }
  }
}

void SystemBuilder::add_events_and_modes() {
  const Model& m = *model_;
  System& s = *system_;
  Graph& g = s.graph;
  std::vector<char> still;
  for (std::size_t i = 0; i < s.states.size(); ++i)
    still.push_back(g.is_number(s.rhs[i], 0) && !s.states[i].algebraic && !s.states[i].equilibrium);
  DiscontinuityLowering lowering(g, static_cast<int>(s.parameters.size()), std::move(still));
  for (NodeId& rate : s.rates) rate = lowering.lower(rate);
  for (auto& row : s.terms)
    for (Term& term : row) term.coefficient = lowering.lower(term.coefficient);
  stop_undefined(lowering);
  for (std::size_t i = 0; i < s.states.size(); ++i) {
    NodeId sum = g.number(0);
    for (const Term& term : s.terms[i])
      sum = g.add(sum, g.mul(term.coefficient, s.rates[term.reaction]));
    s.rhs[i] = sum;
  }
  add_residuals();
  for (const Event& event : m.events) {
    if (event.trigger == no_expr) continue;  // never fires
    SystemEvent e;
    e.name = event.id;
    e.trigger = lowering.lower_condition(convert(event.trigger, Moment::now));
    if (event.delay != no_expr) e.delay = convert(event.delay, Moment::now);
    if (event.priority != no_expr) e.priority = convert(event.priority, Moment::now);
    e.initial_value = event.initial_value;
    e.persistent = event.persistent;
    e.values_at_trigger = event.values_at_trigger;
    for (const EventAssignment& assignment : event.assignments) {
      if (assignment.value == no_expr) continue;
      SystemAssignment a;
      a.state = place(assignment.target).state;
      a.value = convert(assignment.value, Moment::now);
      if (assignment.target.kind == SymbolKind::species) {
        const Species& sp = m.species[assignment.target.index];
        if (!sp.in_amount && s.states[a.state].is_amount)
          a.size = size_of(sp.compartment, Moment::now);
      }
      const int flag = place(assignment.target).set_flag;
      if (flag >= 0) {
        const NodeId has_value = g.apply(Op::lt, g.apply(Op::abs, a.value), g.number(HUGE_VAL));
        a.value = g.apply(Op::select, a.value, has_value, g.number(0));
        e.assignments.push_back({flag, has_value});
      }
      e.assignments.push_back(a);
    }
    s.events.push_back(std::move(e));
  }
  // Rules and observables that only outputs look at may hold delays too.
  for (const Rule& rule : m.rules)
    if (rule.kind == RuleKind::assignment) value(rule.target);
  for (std::size_t i = 0; i < m.observables.size(); ++i)
    value({SymbolKind::observable, static_cast<int>(i)});
  // Where a condition in what is delayed changes, the delayed value does so later: it is watched
  // as it happens.
  for (SystemDelay& delay : s.delays) {
    delay.smooth_value = lowering.lower(delay.value);
    delay.smooth_lag = lowering.lower(delay.lag);
  }
  s.modes = lowering.modes();
}

NodeId SystemBuilder::derivative(Ref ref) {
  Graph& g = system_->graph;
  if (ref.kind == SymbolKind::time) return g.number(1);
  return total_derivative(value(ref));
}

NodeId SystemBuilder::total_derivative(NodeId node) {
  Graph& g = system_->graph;
  if (g.depends_on(node, Leaf::input))
    fail({}, "the rate of change of a delayed value is not known");
  NodeId sum = g.time_derivative(node);
  for (auto [state, partial] : g.gradient(node, Leaf::state)) {
    const SystemState& st = system_->states[state];
    if (st.algebraic)
      fail({},
           "the rate of change of '" + st.name + "' is not known: an algebraic rule determines it");
    if (st.equilibrium)
      fail({}, "the rate of change of '" + st.name + "' is not known: fast reactions change it");
    sum = g.add(sum, g.mul(partial, slope(state)));
  }
  return sum;
}

}  // namespace stiffit::internal
