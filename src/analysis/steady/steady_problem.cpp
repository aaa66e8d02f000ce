// What steady states of a system need besides its problem.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analysis/steady/steady_state.h"
#include "symbolic/substitution.h"

namespace stiffit::internal {
namespace {

// The system where everything rests: a delayed value is the value as of now, and what fast
// reactions hold at equilibrium obeys 0 = what they add, without their factor.
std::unique_ptr<System> system_at_rest(const System& system) {
  auto result = std::make_unique<System>(system);
  System& s = *result;
  Substitution now(s.graph);
  // What a delayed value is made of comes before it.
  for (std::size_t k = 0; k < s.delays.size(); ++k)
    now.replace(s.graph.leaf(Leaf::input, static_cast<int>(k)), now.of(s.delays[k].value));
  s.delays.clear();
  auto change = [&](NodeId& node) {
    if (node != no_node) node = now.of(node);
  };
  for (NodeId& node : s.rates) change(node);
  for (NodeId& node : s.rhs) change(node);
  for (auto& row : s.terms)
    for (Term& term : row) change(term.coefficient);
  for (Mode& mode : s.modes) {
    change(mode.root);
    change(mode.slope);
  }
  for (SystemEvent& event : s.events) {
    for (NodeId* node : {&event.trigger, &event.delay, &event.priority}) change(*node);
    for (SystemAssignment& a : event.assignments) {
      change(a.value);
      change(a.size);
    }
  }
  for (std::size_t k = 0; k < s.equilibrium.states.size(); ++k) {
    const std::size_t state = s.equilibrium.states[k];
    change(s.equilibrium.residual[k]);
    s.rhs[state] = s.equilibrium.residual[k];
    s.states[state].algebraic = true;
  }
  return result;
}

}  // namespace

SteadyProblem::SteadyProblem(System& system, Problem problem)
    : system_(&system),
      problem_(std::move(problem)),
      equations_(problem_.program),
      moieties_(conserved_moieties(system)),
      moieties_vary_(moieties_vary(system)) {
  System* at_rest = &system;
  if (!system.delays.empty() || !system.equilibrium.states.empty()) {
    at_rest_ = system_at_rest(system);
    at_rest = at_rest_.get();
    equations_ = compile(*at_rest, {});
  }
  if (!equations_->from_tables) rates_ = differentiate(*at_rest, at_rest->rhs);
  for (const SystemState& state : system.states)
    nonnegative_.push_back(!state.total && (state.ref.kind == SymbolKind::species ||
                                            state.ref.kind == SymbolKind::compartment));
}

MoietyRows SteadyProblem::moieties(std::span<const double> parameters,
                                   std::span<const double> state) const {
  if (!moieties_vary_) return solve_moieties(moieties_, state);
  return solve_moieties(conserved_moieties(*system_, parameters), state);
}

double SteadyProblem::longest_lag(double time, std::span<const double> parameters,
                                  std::span<const double> x) const {
  const Program& p = program();
  if (p.inputs == 0) return 0;
  const HybridProgram& hybrid = *p.hybrid;
  const std::size_t inputs = p.inputs;
  std::vector<double> slots(p.parameter_slots, 0.0), values(inputs);
  std::vector<double> state(x.begin(), x.end());
  std::copy_n(parameters.begin(), static_cast<std::size_t>(p.parameters + p.modes), slots.begin());
  double* prepared[1] = {slots.data()};
  double* arrays[4] = {&time, state.data(), slots.data(), values.data()};
  // What a delayed value is made of comes before it.
  for (std::size_t k = 0; k < inputs; ++k) {
    hybrid.prepare(prepared);
    double* own[4] = {&time, state.data(), slots.data(), &values[k]};
    hybrid.delayed[k].value(own);
    slots[(p.parameters + p.modes) + k] = values[k];
  }
  hybrid.prepare(prepared);
  hybrid.lags(arrays);
  double longest = 0;
  for (double lag : values)
    if (std::isfinite(lag)) longest = std::max(longest, lag);
  return longest;
}

}  // namespace stiffit::internal
