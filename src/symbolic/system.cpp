// SPDX-License-Identifier: Apache-2.0
#include "symbolic/system.h"

#include <algorithm>
#include <cmath>

#include "symbolic/resolve_run.h"
#include "symbolic/solved_rules.h"
#include "symbolic/start_values.h"
#include "symbolic/system_builder.h"

namespace stiffit::internal {

bool System::has_algebraic() const {
  for (const SystemState& s : states)
    if (s.algebraic) return true;
  return false;
}

int System::state_index(Ref ref) const {
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i].ref == ref) return static_cast<int>(i);
  return -1;
}

int System::parameter_index(std::string_view name) const {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name) return static_cast<int>(i);
  return -1;
}

namespace {

// The default columns: observables if the model names any, else what moves.
std::vector<Output> default_columns(SystemBuilder& builder, const System& system,
                                    const Model& original) {
  const Model& m = builder.model();
  std::vector<Output> columns;
  if (!m.observables.empty()) {
    for (std::size_t i = 0; i < m.observables.size(); ++i)
      columns.push_back(
          {m.observables[i].id, builder.value({SymbolKind::observable, static_cast<int>(i)})});
    return columns;
  }
  for (std::size_t i = 0; i < m.species.size(); ++i) {
    Ref ref{SymbolKind::species, static_cast<int>(i)};
    NodeId node = builder.value(ref);
    const GraphNode& n = system.graph[node];
    if (n.depends & ~(1u << static_cast<int>(Leaf::parameter)))
      columns.push_back({m.id_of(ref), node});
  }
  for (const SystemState& state : system.states)
    if (state.ref.kind != SymbolKind::species && state.ref.kind != SymbolKind::none)
      columns.push_back({state.name, builder.value(state.ref)});
  // What an algebraic rule of the model determines, also where the rule could be solved.
  for (std::size_t i = 0; i < m.rules.size(); ++i)
    if (original.rules[i].kind == RuleKind::algebraic && m.rules[i].kind == RuleKind::assignment &&
        m.rules[i].target.kind != SymbolKind::species)
      columns.push_back({m.id_of(m.rules[i].target), builder.value(m.rules[i].target)});
  return columns;
}

}  // namespace

namespace {

// States that have no value at the start and can do without: events give them one, or nothing
// moves them. And those to which an event might give what has no value.
std::vector<SystemBuilder::Undefined> undefined_states(const System& system,
                                                       const SystemOptions& options) {
  std::vector<char> waits(system.states.size());
  for (std::size_t i = 0; i < waits.size(); ++i)
    waits[i] = system.graph.is_number(system.rhs[i], 0) && !system.states[i].algebraic &&
               !system.states[i].equilibrium && !system.states[i].total;
  for (const SystemEvent& event : system.events)
    for (const SystemAssignment& assignment : event.assignments)
      waits[assignment.state] = !system.has_algebraic() && system.equilibrium.states.empty();
  const std::vector<double> start = start_states(system);
  std::vector<char> doubtful(waits.size());
  if (!system.events.empty()) {
    const std::vector<double> values = node_values(system, system.start_time, start);
    for (const SystemEvent& event : system.events)
      for (const SystemAssignment& assignment : event.assignments)
        if (std::isnan(values[assignment.value])) doubtful[assignment.state] = 1;
  }
  std::vector<SystemBuilder::Undefined> undefined;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (!waits[i] || (!std::isnan(start[i]) && !doubtful[i])) continue;
    bool comes = false;  // from outside, with each run
    for (int p : system.graph.leaves(system.initial[i], Leaf::parameter))
      comes |= options.varied.contains(system.parameters[p].name);
    if (!comes) undefined.push_back({system.states[i].ref, std::isnan(start[i])});
  }
  return undefined;
}

void begin_with_limits(System& system, SystemBuilder& builder) {
  const std::vector<double> values = node_values(system, system.start_time, start_states(system));
  const std::vector<NodeId> given = system.rates;
  if (std::none_of(given.begin(), given.end(), [&](NodeId r) { return std::isnan(values[r]); }))
    return;
  Graph& g = system.graph;
  const std::vector<double> limits = start_rates(system);
  for (std::size_t r = 0; r < given.size(); ++r) {
    if (!std::isnan(values[given[r]]) || !std::isfinite(limits[r])) continue;
    system.rates[r] = law_after(g, system.start_time, limits[r], given[r]);
    if (r < builder.model().reactions.size())
      builder.begin_reaction(static_cast<int>(r), limits[r]);
  }
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    NodeId sum = g.number(0);
    for (const Term& term : system.terms[i])
      sum = g.add(sum, g.mul(term.coefficient, system.rates[term.reaction]));
    system.rhs[i] = sum;
  }
}

}  // namespace

ResolvedSystem resolve(std::shared_ptr<const Model> model, const SystemOptions& options) {
  ResolvedSystem resolved;
  resolved.builder =
      std::make_shared<SystemBuilder>(with_solved_rules(model), options, resolved.system);
  resolved.builder->build();
  resolved.columns = default_columns(*resolved.builder, resolved.system, *model);
  return resolved;
}

ResolvedSystem resolve_run(const std::shared_ptr<const Model>& model,
                           const SystemOptions& options) {
  ResolvedSystem resolved = resolve(model, options);
  const std::vector<SystemBuilder::Undefined> undefined =
      undefined_states(resolved.system, options);
  if (!undefined.empty()) {
    resolved.system = {};
    resolved.builder = std::make_shared<SystemBuilder>(with_solved_rules(model), options,
                                                       resolved.system, undefined);
    resolved.builder->build();
    resolved.columns = default_columns(*resolved.builder, resolved.system, *model);
  }
  resolved.builder->attach(resolved.system);
  begin_with_limits(resolved.system, *resolved.builder);
  return resolved;
}

std::optional<Output> ResolvedSystem::find(std::string_view name) {
  builder->attach(system);
  const Model& m = builder->model();
  auto inside = [&](std::string_view prefix) -> std::string_view {
    if (name.size() <= prefix.size() + 1 || !name.starts_with(prefix) || name.back() != ')')
      return {};
    return name.substr(prefix.size(), name.size() - prefix.size() - 1);
  };
  std::string header(name);
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
    Ref ref = m.find(name.substr(1, name.size() - 2));
    if (ref.kind != SymbolKind::species) return std::nullopt;
    return Output{header, builder->concentration(ref.index)};
  }
  if (auto id = inside("amount("); !id.empty()) {
    Ref ref = m.find(id);
    if (ref.kind != SymbolKind::species) return std::nullopt;
    return Output{header, builder->amount(ref.index)};
  }
  if (auto id = inside("rate("); !id.empty()) {
    Ref ref = m.find(id);
    if (ref.kind != SymbolKind::reaction) return std::nullopt;
    return Output{header, builder->value(ref)};
  }
  if (Ref ref = m.find(name); ref.kind != SymbolKind::none)
    return Output{header, builder->value(ref)};
  if (name.size() > 1 && name.back() == '\'') {
    Ref ref = m.find(name.substr(0, name.size() - 1));
    if (ref.kind != SymbolKind::none) return Output{header, builder->derivative(ref)};
  }
  return std::nullopt;
}

}  // namespace stiffit::internal
