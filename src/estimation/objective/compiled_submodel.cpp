// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/compiled_submodel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/ensemble/ensemble.h"
#include "base/diagnostic.h"
#include "estimation/objective/prepared_model.h"
#include "estimation/objective/shared_courses.h"
#include "symbolic/system_builder.h"

namespace stiffit::internal {
CompiledSubmodel::CompiledSubmodel(const FitProblem& problem, const std::vector<int>& unknowns,
                                   bool derivatives)
    : problem_(problem) {
  PreparedModel prepared = prepare_model(problem);
  begin_ = begin_at_own_times(problem_, prepared);
  model_ = std::move(prepared.model);
  default_values_ = std::move(prepared.default_values);
  resolve_model(unknowns);
  compile_formulas();
  compile_experiments(unknowns);
  if (derivatives)
    compile_sensitivities();
  else
    no_sensitivity_ = "derivatives were not asked for";
}

void CompiledSubmodel::resolve_model(const std::vector<int>& unknowns) {
  SystemOptions options = system_options(problem_, *model_, default_values_, unknowns);
  if (begin_.kind != SymbolKind::none) options.varied.insert(model_->id_of(begin_));
  resolved_ = resolve(model_, options);
  resolved_.builder->attach(resolved_.system);
  System& system = resolved_.system;
  integration_ = make_problem(compile(system, {}));
  steady_ = std::make_unique<SteadyProblem>(system, integration_);
  for (const SystemParameter& p : system.parameters) values_.push_back(p.value);
}

const Problem& CompiledSubmodel::in_lanes() const {
  std::call_once(once_, [this] {
    System system = resolved_.system;  // gains derivatives
    ProgramOptions options;
    options.lanes = ensemble_lanes(system);
    in_lanes_ = options.lanes == 1 ? integration_ : make_problem(compile(system, {}, options));
  });
  return in_lanes_;
}

int CompiledSubmodel::leaf(Ref ref) const {
  const auto& parameters = resolved_.system.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].ref == ref) return static_cast<int>(i);
  return -1;
}

int CompiledSubmodel::begin_parameter() const {
  return begin_.kind == SymbolKind::none ? -1 : leaf(begin_);
}

// All parameters that the nodes depend on.
std::vector<int> CompiledSubmodel::leaves_of(const std::vector<NodeId>& nodes) const {
  const Graph& g = resolved_.system.graph;
  const auto count = static_cast<int>(resolved_.system.parameters.size());
  std::vector<char> seen(g.size(), 0);
  std::vector<NodeId> stack(nodes.begin(), nodes.end());
  std::set<int> found;
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (id == no_node || seen[id]) continue;
    seen[id] = 1;
    const GraphNode& node = g[id];
    if (node.op == Op::number) continue;
    if (node.op == Op::symbol) {
      if (static_cast<Leaf>(node.a) == Leaf::parameter && static_cast<int>(node.b) < count)
        found.insert(static_cast<int>(node.b));
      continue;
    }
    const NodeId operands[3] = {node.a, node.b, node.c};
    for (int k = 0; k < arity(node.op); ++k) stack.push_back(operands[k]);
  }
  return {found.begin(), found.end()};
}

void CompiledSubmodel::compile_formulas() {
  System& system = resolved_.system;
  SystemBuilder& builder = *resolved_.builder;
  for (const ProblemParameter& p : problem_.parameters) {
    const Ref ref = model_->find(p.id);
    problem_parameter_.push_back(ref.kind == SymbolKind::none ? -1 : leaf(ref));
  }
  for (const ProblemObservable& o : problem_.observables) {
    std::vector<NodeId> values{builder.value({SymbolKind::observable, o.formula}),
                               builder.value({SymbolKind::observable, o.noise})};
    if (o.freedom >= 0) values.push_back(builder.value({SymbolKind::observable, o.freedom}));
    observables_.push_back(differentiate(system, values));
    placeholders_.emplace_back();
    for (const std::string& name : o.placeholders)
      placeholders_.back().push_back(leaf(model_->find(name)));
  }
  std::vector<NodeId> nodes = system.initial;
  initial_ = differentiate(system, nodes);

  std::vector<NodeId> sizes;
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    const SystemState& s = system.states[i];
    if (s.ref.kind != SymbolKind::species || !s.is_amount) continue;
    const Species& species = model_->species[s.ref.index];
    if (species.in_amount || species.compartment < 0) continue;
    sized_.push_back({static_cast<int>(i)});
    sizes.push_back(builder.value({SymbolKind::compartment, species.compartment}));
  }
  sizes_ = differentiate(system, sizes);

  std::vector<NodeId> starts;
  std::map<int, int> default_of;
  for (auto& [target, value] : default_values_) {
    const int parameter = leaf(target);
    default_of[parameter] = static_cast<int>(starts.size());
    default_target_.push_back(parameter);
    starts.push_back(builder.convert(value, SystemBuilder::Moment::start));
  }
  defaults_ = differentiate(system, starts);
  std::vector<int> depth(starts.size(), 0);
  for (std::size_t round = 0; round < starts.size(); ++round)
    for (std::size_t i = 0; i < starts.size(); ++i)
      for (int parameter : leaves_of({starts[i]}))
        if (auto other = default_of.find(parameter); other != default_of.end())
          depth[i] = std::max(depth[i], depth[other->second] + 1);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t d =
        std::min(depth[i], static_cast<int>(starts.size()));  // a circle: the model's own checks
    if (default_rounds_.size() <= d) default_rounds_.resize(d + 1);
    default_rounds_[d].push_back(static_cast<int>(i));
  }

  nodes = system.rhs;
  nodes.insert(nodes.end(), system.initial.begin(), system.initial.end());
  for (const Mode& mode : system.modes) nodes.push_back(mode.root);
  for (const SystemEvent& event : system.events) {
    for (NodeId node : {event.trigger, event.delay, event.priority}) nodes.push_back(node);
    for (const SystemAssignment& a : event.assignments) {
      nodes.push_back(a.value);
      nodes.push_back(a.size);
    }
  }
  dynamic_ = leaves_of(nodes);
}

void CompiledSubmodel::compile_period(const Period& period, bool first, CompiledPeriod& result) {
  System& system = resolved_.system;
  SystemBuilder& builder = *resolved_.builder;
  result.start = period.start;
  result.name = period.name;
  std::vector<NodeId> expressions;
  for (const ConditionAssignment& a : period.assignments) {
    CompiledAssignment c;
    const int state = first ? -1 : system.state_index(a.target);
    if (state >= 0) {
      c.state = state;
      for (std::size_t k = 0; k < sized_.size(); ++k)
        if (sized_[k].state == state) c.sized = static_cast<int>(k);
    } else {
      c.parameter = leaf(a.target);
    }
    result.resizes |= c.sized >= 0 || (!first && a.target.kind == SymbolKind::compartment);
    const NodeId node =
        builder.convert(a.value, first ? SystemBuilder::Moment::start : SystemBuilder::Moment::now);
    c.node = node;
    const GraphNode& n = system.graph[node];
    if (n.op == Op::number) {
      c.number = n.value;
    } else if (n.op == Op::symbol && static_cast<Leaf>(n.a) == Leaf::parameter) {
      c.source = static_cast<int>(n.b);
    } else {
      c.expression = static_cast<int>(expressions.size());
      expressions.push_back(node);
    }
    result.assignments.push_back(c);
  }
  if (!expressions.empty()) result.expressions = differentiate(system, expressions);
}

void CompiledSubmodel::compile_experiments(const std::vector<int>& unknowns) {
  for (int u : unknowns) unknown_parameter_.push_back(problem_parameter_[u]);
  std::map<std::vector<std::pair<int, ExprId>>, int> equilibria;
  for (const Experiment& e : problem_.experiments) {
    CompiledExperiment c;
    c.id = e.id;
    std::vector<Period> periods = e.periods;
    if (periods.empty()) periods.push_back({start_time(), "", {}});
    c.begin = begin_of(e, *model_);
    for (std::size_t k = 0; k < periods.size(); ++k)
      compile_period(periods[k], k == 0, c.periods.emplace_back());
    if (std::isinf(periods.front().start)) {
      std::vector<std::pair<int, ExprId>> key;
      for (std::size_t k = 0; k < periods.front().assignments.size(); ++k)
        key.emplace_back(c.periods.front().assignments[k].parameter,
                         periods.front().assignments[k].value);
      c.equilibrium = equilibria.emplace(key, static_cast<int>(equilibria.size())).first->second;
    }
    experiments_.push_back(std::move(c));
  }
  equilibria_ = static_cast<int>(equilibria.size());
  place_measurements();
  for (CompiledExperiment& e : experiments_) find_columns(e);
  courses_ =
      share_courses(experiments_, dynamic_, {&defaults_, &sizes_, &initial_}, values_.size());
}

void CompiledSubmodel::place_measurements() {
  std::vector<std::vector<int>> order(experiments_.size());
  for (std::size_t i = 0; i < problem_.measurements.size(); ++i)
    order[problem_.measurements[i].experiment].push_back(static_cast<int>(i));
  auto at = [&](int index) -> const Measurement& { return problem_.measurements[index]; };
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    CompiledExperiment& experiment = experiments_[e];
    std::stable_sort(order[e].begin(), order[e].end(),
                     [&](int a, int b) { return at(a).time < at(b).time; });
    for (int index : order[e]) {
      const double time = at(index).time;
      if (std::isinf(time)) {
        experiment.at_steady_state.push_back(index);
        continue;
      }
      std::size_t k = experiment.periods.size();
      while (k > 0 && experiment.periods[k - 1].start > time) --k;
      if (k == 0 || std::isinf(experiment.periods[k - 1].start))
        throw InputError("error: experiment '" + experiment.id +
                         "' has a measurement before its start" + place_text(at(index).place));
      CompiledPeriod& period = experiment.periods[k - 1];
      if (period.times.empty() || period.times.back() != time) {
        period.times.push_back(time);
        period.measured.emplace_back();
      }
      period.measured.back().push_back(index);
    }
  }
}

// Parameters that the formulas of an experiment's measurements read, and what fills their
// placeholders.
std::vector<int> CompiledSubmodel::parameters_read(const CompiledExperiment& experiment) const {
  std::set<int> result, observables;
  auto add = [&](int index) {
    const Measurement& m = problem_.measurements[index];
    observables.insert(m.observable);
    for (const PlaceholderValue& value : m.placeholders)
      if (value.parameter >= 0)
        if (const int p = problem_parameter_[value.parameter]; p >= 0) result.insert(p);
  };
  for (const CompiledPeriod& period : experiment.periods)
    for (const std::vector<int>& measured : period.measured)
      std::for_each(measured.begin(), measured.end(), add);
  std::for_each(experiment.at_steady_state.begin(), experiment.at_steady_state.end(), add);
  for (int observable : observables)
    for (const auto& entry : observables_[observable].by_parameter) result.insert(entry.column);
  return {result.begin(), result.end()};
}

// Which unknowns reach what, followed through the assignments.
void CompiledSubmodel::find_columns(CompiledExperiment& experiment) const {
  const std::size_t count = values_.size();
  std::vector<std::set<int>> reach(count);
  for (std::size_t u = 0; u < unknown_parameter_.size(); ++u)
    if (unknown_parameter_[u] >= 0) reach[unknown_parameter_[u]].insert(static_cast<int>(u));
  std::set<int> active, all;
  const std::vector<int> read = parameters_read(experiment);
  auto of = [&](const Differentiated& d, int row) {
    std::set<int> result;
    for (const auto& entry : d.by_parameter)
      if (entry.row == row) {
        auto& own = reach[entry.column];
        result.insert(own.begin(), own.end());
      }
    for (const auto& entry : d.by_state)
      if (entry.row == row) {
        result.insert(active.begin(), active.end());
        break;
      }
    return result;
  };
  for (std::size_t k = 0; k < experiment.periods.size(); ++k) {
    const CompiledPeriod& period = experiment.periods[k];
    const std::vector<std::set<int>> before = reach;
    std::vector<std::set<int>> values;
    for (const CompiledAssignment& a : period.assignments)
      values.push_back(a.expression >= 0 ? of(period.expressions, a.expression)
                       : a.source >= 0   ? before[a.source]
                                         : std::set<int>{});
    std::vector<char> assigned(count, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const CompiledAssignment& a = period.assignments[i];
      if (a.parameter >= 0) {
        reach[a.parameter] = values[i];
        assigned[a.parameter] = 1;
      } else {
        active.insert(values[i].begin(), values[i].end());
      }
    }
    if (k == 0)
      for (const auto& round : default_rounds_)
        for (int i : round) {
          const auto target = default_target_[i];
          if (!assigned[target]) reach[target] = of(defaults_, i);
        }
    for (int parameter : dynamic_) {
      auto& own = reach[parameter];
      active.insert(own.begin(), own.end());
    }
    for (int parameter : read) {
      auto& own = reach[parameter];
      all.insert(own.begin(), own.end());
    }
  }
  experiment.columns.assign(active.begin(), active.end());
  experiment.active = active.size();
  for (int u : all)
    if (!active.contains(u)) experiment.columns.push_back(u);
}

void CompiledSubmodel::compile_sensitivities() {
  std::set<int> reached;
  for (int parameter : unknown_parameter_)
    if (parameter >= 0) reached.insert(parameter);
  for (const CompiledExperiment& e : experiments_)
    for (const CompiledPeriod& period : e.periods)
      for (const CompiledAssignment& a : period.assignments)
        if (a.parameter >= 0) reached.insert(a.parameter);
  reached.insert(default_target_.begin(), default_target_.end());
  std::vector<int> parameters;
  for (int parameter : dynamic_)
    if (reached.contains(parameter)) parameters.push_back(parameter);
  try {
    sensitivity_ = make_sensitivity_problem(resolved_.system, integration_, parameters);
  } catch (const InputError& error) {
    no_sensitivity_ = error.what();
  }
}

}  // namespace stiffit::internal
