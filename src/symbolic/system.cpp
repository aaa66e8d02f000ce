// SPDX-License-Identifier: Apache-2.0
#include "symbolic/system.h"

#include "symbolic/solved_rules.h"
#include "symbolic/system_builder.h"

namespace stiffit {

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
    if (state.ref.kind != SymbolKind::species)
      columns.push_back({state.name, builder.value(state.ref)});
  // What an algebraic rule of the model determines, also where the rule could be solved.
  for (std::size_t i = 0; i < m.rules.size(); ++i)
    if (original.rules[i].kind == RuleKind::algebraic && m.rules[i].kind == RuleKind::assignment &&
        m.rules[i].target.kind != SymbolKind::species)
      columns.push_back({m.id_of(m.rules[i].target), builder.value(m.rules[i].target)});
  return columns;
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

}  // namespace stiffit
