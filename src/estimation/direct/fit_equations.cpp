// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/fit_equations.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/diagnostic.h"
#include "estimation/objective/prepared_model.h"
#include "io/text/read_formula.h"
#include "symbolic/operands_first.h"
#include "symbolic/substitution.h"

namespace stiffit::internal {
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

// True if what is measured (not only its noise) is told anew by each measurement.
bool formula_varies(const System& system, NodeId formula, const ProblemObservable& observable) {
  const std::vector<int> in = leaves(system.graph, formula, Leaf::parameter);
  return std::any_of(in.begin(), in.end(), [&](int p) {
    return p < static_cast<int>(system.parameters.size()) &&
           std::find(observable.placeholders.begin(), observable.placeholders.end(),
                     system.parameters[p].name) != observable.placeholders.end();
  });
}

}  // namespace

FitEquations::FitEquations(const FitProblem& problem, std::vector<int> unknowns,
                           const std::vector<Memory>& memories)
    : problem_(problem), unknowns_(std::move(unknowns)) {
  if (!problem.parts.empty())
    throw InputError("error: this method is for problems with one model; this one has " +
                     std::to_string(problem.parts.size()));
  PreparedModel prepared = prepare_model(problem);
  model_ = std::move(prepared.model);
  default_values_ = std::move(prepared.default_values);
  read_memories(memories);
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
  for (auto& [target, signal] : memory_)
    memory_signal_.push_back(builder.convert(signal, SystemBuilder::Moment::now));
  for (std::size_t e = 0; e < problem.experiments.size(); ++e)
    settings_.push_back(settings_of(static_cast<int>(e)));
  for (int u : unknowns_) {
    const Ref ref = model_->find(problem.parameters[u].id);
    int found = -1;
    for (std::size_t i = 0; i < system.parameters.size(); ++i)
      if (ref.kind != SymbolKind::none && system.parameters[i].ref == ref)
        found = static_cast<int>(i);
    unknown_parameter_.push_back(found);
  }
  delays_ = static_cast<int>(system.delays.size());
  raise_discontinuities();
  std::vector<std::set<int>> measured(problem.experiments.size());
  for (const Measurement& m : problem.measurements)
    if (std::isfinite(m.time) &&
        !formula_varies(system, observable_[m.observable], problem.observables[m.observable]))
      measured[m.experiment].insert(m.observable);
  for (const std::set<int>& set : measured) measured_.emplace_back(set.begin(), set.end());
}

// A variable that a rule gives and that was measured is read from its data; the rule is then an
// equation between data (an algebraic row).
void FitEquations::free_measured_rules() {
  Model& m = *model_;
  for (const ProblemObservable& o : problem_.observables) {
    const ExprNode& formula = m.expressions[m.observables[o.formula].value];
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

void FitEquations::read_memories(const std::vector<Memory>& memories) {
  for (const Memory& memory : memories) {
    Diagnostics diagnostics(
        std::make_shared<Source>("--memory", memory.name + " = " + memory.signal));
    const Ref ref = model_->find(memory.name);
    const bool constant =
        ref.kind == SymbolKind::parameter && model_->parameters[ref.index].constant;
    if (!constant) diagnostics.error({}, "'" + memory.name + "' is no constant of the model");
    const std::optional<Formula> formula = parse_formula(diagnostics);
    ExprId signal = no_expr;
    if (formula) signal = build_formula(*formula, *model_, diagnostics);
    if (diagnostics.has_errors()) throw InputError(render(diagnostics));
    memory_.emplace_back(ref, signal);
  }
}

void FitEquations::check_model() const {
  const System& system = resolved_.system;
  std::string text;
  for (const SystemEvent& event : system.events)
    for (const SystemAssignment& a : event.assignments)
      if (a.state >= 0 && a.value != no_node) {
        text += "error: event '" + event.name + "' sets '" + system.states[a.state].name +
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
void FitEquations::raise_discontinuities() {
  System& system = resolved_.system;
  Graph& g = system.graph;
  Substitution live(g);
  for (int k = 0; k < delays_; ++k) live.replace(g.leaf(Leaf::input, k), g.state(past(k)));
  for (std::size_t k = 0; k < memory_.size(); ++k)
    for (std::size_t i = 0; i < system.parameters.size(); ++i)
      if (system.parameters[i].ref == memory_[k].first)
        live.replace(g.parameter(static_cast<int>(i)), g.state(memory(static_cast<int>(k))));
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
  for (NodeId& node : memory_signal_) node = live.of(node);
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
  return resolved_.builder->value({SymbolKind::observable, problem_.observables[observable].noise});
}

std::vector<int> FitEquations::leaves_in(NodeId node) const {
  std::vector<int> found = leaves(resolved_.system.graph, node, Leaf::state);
  std::erase_if(found, [this](int leaf) { return leaf < states_; });
  return found;
}

std::vector<int> FitEquations::states_in(NodeId node) const {
  std::vector<int> found = leaves(resolved_.system.graph, node, Leaf::state);
  std::erase_if(found, [this](int state) { return state >= states_; });
  return found;
}

double FitEquations::start_time(int experiment) const {
  const auto& periods = problem_.experiments[experiment].periods;
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
  for (const Period& p : problem_.experiments[experiment].periods)
    for (const ConditionAssignment& a : p.assignments) add(a.target, a.value);
  std::vector<Setting> result;
  for (auto& [parameter, setting] : settings) result.push_back(setting);
  return result;
}

std::vector<double> FitEquations::parameter_values(int experiment) const {
  std::vector<double> values;
  for (const SystemParameter& p : resolved_.system.parameters) values.push_back(p.value);
  for (const Setting& s : settings_[experiment])
    if (s.node == no_node) values[s.parameter] = s.number;
  return values;
}

const ExperimentEquations& FitEquations::of(int experiment) {
  const std::size_t e = experiment;
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

}  // namespace stiffit::internal
