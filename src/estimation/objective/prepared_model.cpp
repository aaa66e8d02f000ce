// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/prepared_model.h"

#include <cmath>
#include <set>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

bool less(Ref a, Ref b) { return a.kind != b.kind ? a.kind < b.kind : a.index < b.index; }

struct ByRef {
  bool operator()(Ref a, Ref b) const { return less(a, b); }
};

// The expression that gives a target its value at the start, if it is not a plain number; the
// target becomes a plain number of its own.
ExprId take_start_value(Model& model, Ref target) {
  ExprId value = no_expr;
  for (const InitialAssignment& a : model.initial_assignments)
    if (a.target == target) value = a.value;
  std::erase_if(model.initial_assignments,
                [&](const InitialAssignment& a) { return a.target == target; });
  if (target.kind != SymbolKind::species) return value;
  Species& s = model.species[target.index];
  if (value == no_expr && s.initial_is_amount != s.in_amount && s.compartment >= 0) {
    Expressions& e = model.expressions;
    const ExprId size = e.symbol({SymbolKind::compartment, s.compartment});
    value = e.apply(s.initial_is_amount ? Op::div : Op::mul, e.number(s.initial), size);
  }
  s.initial_is_amount = s.in_amount;
  return value;
}

void set_value(Model& model, Ref target, double value) {
  const std::size_t i = target.index;
  if (target.kind == SymbolKind::species)
    model.species[i].initial = value;
  else if (target.kind == SymbolKind::parameter)
    model.parameters[i].value = value;
  else if (target.kind == SymbolKind::compartment)
    model.compartments[i].size = value;
}

// The expression with another one in place of the time.
ExprId at_time(Expressions& e, ExprId id, ExprId time) {
  if (id == no_expr) return id;
  const ExprNode n = e[id];  // by value: the expressions grow
  if (n.op == Op::number) return id;
  if (n.op == Op::symbol) return n.ref.kind == SymbolKind::time ? time : id;
  if (n.op == Op::call) {
    std::vector<ExprId> arguments(e.arguments(n), e.arguments(n) + n.b);
    const std::vector<ExprId> before = arguments;
    for (ExprId& argument : arguments) argument = at_time(e, argument, time);
    return arguments == before ? id : e.call(n.ref.index, arguments, n.span);
  }
  const ExprId a = at_time(e, n.a, time), b = at_time(e, n.b, time), c = at_time(e, n.c, time);
  return a == n.a && b == n.b && c == n.c ? id : e.apply(n.op, a, b, c, n.span);
}

}  // namespace

double begin_of(const Experiment& experiment, const Model& model) {
  const auto& periods = experiment.periods;
  return periods.empty() || std::isinf(periods.front().start) ? model.start_time
                                                              : periods.front().start;
}

Ref begin_at_own_times(FitProblem& problem, PreparedModel& prepared) {
  Model& m = *prepared.model;
  std::set<double> begins;
  for (Experiment& e : problem.experiments) {
    const double begin = begin_of(e, m);
    begins.insert(begin);
    if (e.periods.empty()) continue;
    const ExprId time = m.expressions.number(begin);
    for (ConditionAssignment& a : e.periods.front().assignments)
      a.value = at_time(m.expressions, a.value, time);
  }
  if (begins.size() < 2) return {};
  std::string id = "begin";
  while (m.find(id).kind != SymbolKind::none) id += "_";
  Parameter own;
  own.id = id;
  own.value = *begins.begin();
  m.parameters.push_back(own);
  const Ref ref{SymbolKind::parameter, static_cast<std::int32_t>(m.parameters.size()) - 1};
  const ExprId time = m.expressions.symbol(ref);
  bool used = false;
  auto change = [&](ExprId& value) {
    const ExprId before = value;
    value = at_time(m.expressions, value, time);
    used |= value != before;
  };
  for (InitialAssignment& a : m.initial_assignments) change(a.value);
  for (auto& [target, value] : prepared.default_values) change(value);
  if (used) return ref;
  m.parameters.pop_back();
  return {};
}

std::string place_text(const TablePlace& place) {
  if (place.file.empty()) return "";
  std::string text = "\n  " + place.file;
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (!place.column.empty()) text += ", column " + place.column;
  return text;
}

PreparedModel prepare_model(const FitProblem& problem) {
  PreparedModel prepared;
  prepared.model = std::make_shared<Model>(*problem.model);
  Model& m = *prepared.model;
  for (const ProblemParameter& p : problem.parameters) {
    const Ref ref = m.find(p.id);
    if (ref.kind == SymbolKind::none) continue;  // of another part
    take_start_value(m, ref);
    if (!std::isnan(p.nominal)) set_value(m, ref, p.nominal);
  }
  std::set<Ref, ByRef> targets;
  bool later = false;
  for (const Experiment& e : problem.experiments)
    for (std::size_t k = 0; k < e.periods.size(); ++k)
      for (const ConditionAssignment& a : e.periods[k].assignments) {
        for (const Rule& rule : m.rules)
          if (rule.kind == RuleKind::assignment && rule.target == a.target)
            throw InputError("error: condition '" + e.periods[k].name + "' sets '" +
                             m.id_of(a.target) + "', which a rule of the model computes" +
                             place_text(a.place));
        targets.insert(a.target);
        later |= k > 0;
      }
  // Later periods change what initial assignments were computed from, but not what they gave.
  if (later) {
    for (const InitialAssignment& a : m.initial_assignments) targets.insert(a.target);
    for (std::size_t i = 0; i < m.species.size(); ++i)
      if (m.species[i].initial_is_amount != m.species[i].in_amount && m.species[i].compartment >= 0)
        targets.insert({SymbolKind::species, static_cast<int>(i)});
  }
  for (Ref target : targets)
    if (ExprId value = take_start_value(m, target); value != no_expr)
      prepared.default_values.emplace_back(target, value);
  return prepared;
}

SystemOptions system_options(const FitProblem& problem, const Model& model,
                             const std::vector<std::pair<Ref, ExprId>>& default_values,
                             const std::vector<int>& unknowns) {
  SystemOptions options;
  for (int u : unknowns) options.varied.insert(problem.parameters[u].id);
  for (const ProblemObservable& o : problem.observables)
    options.varied.insert(o.placeholders.begin(), o.placeholders.end());
  for (auto& [target, value] : default_values) options.varied.insert(model.id_of(target));
  for (const Experiment& e : problem.experiments)
    for (const Period& period : e.periods)
      for (const ConditionAssignment& a : period.assignments)
        options.varied.insert(model.id_of(a.target));
  // The time at which initial assignments are evaluated, if all experiments agree.
  for (const Experiment& e : problem.experiments)
    if (!e.periods.empty() && std::isfinite(e.periods.front().start))
      options.start_time = e.periods.front().start;
  return options;
}

}  // namespace stiffit::internal
