// SPDX-License-Identifier: Apache-2.0
#include "compile/program.h"

#include "base/thresholds.h"
#include "compile/lower.h"
#include "compile/mass_action.h"
#include "symbolic/vanishing_powers.h"

namespace stiffit {
namespace {

constexpr std::size_t longest_kept_tapes = 20000;  // instructions

std::vector<Target> targets(int array, const std::vector<NodeId>& nodes) {
  std::vector<Target> result;
  result.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    result.push_back({array, static_cast<int>(i), nodes[i]});
  return result;
}

std::vector<NodeId> nodes_of(const std::vector<Output>& outputs) {
  std::vector<NodeId> nodes;
  for (const Output& output : outputs) nodes.push_back(output.node);
  return nodes;
}

template <class MakeKernel>
void compile_fast(System& system, MakeKernel&& kernel, HybridProgram::Fast& fast) {
  fast.states = system.equilibrium.states;
  std::vector<NodeId> partials, amounts, totals;
  for (std::size_t row = 0; row < fast.states.size(); ++row)
    for (auto& [state, node] :
         system.graph.gradient(system.equilibrium.residual[row], Leaf::state)) {
      fast.partials.push_back({static_cast<int>(row), state});
      partials.push_back(node);
    }
  fast.residual = kernel(system.equilibrium.residual);
  fast.partial_values = kernel(partials);
  for (const SystemEquilibrium::Total& total : system.equilibrium.totals) {
    fast.totals.push_back(total.state);
    amounts.push_back(total.amount);
    totals.push_back(total.total);
  }
  fast.amounts = kernel(amounts);
  fast.from_amounts = kernel(totals);
}

// All modes but the clocks that look at nothing the event sets.
std::vector<int> unsettled_by(const System& system, const SystemEvent& event) {
  std::vector<char> set(system.states.size(), 0);
  for (const SystemAssignment& a : event.assignments)
    if (a.state >= 0) set[static_cast<std::size_t>(a.state)] = 1;
  for (const SystemEquilibrium::Total& total : system.equilibrium.totals)
    set[static_cast<std::size_t>(total.state)] = 1;
  std::vector<int> modes;
  for (std::size_t k = 0; k < system.modes.size(); ++k) {
    bool unsettled = !system.modes[k].clock;
    for (int state : system.graph.leaves(system.modes[k].root, Leaf::state))
      unsettled |= set[static_cast<std::size_t>(state)] != 0;
    if (unsettled) modes.push_back(static_cast<int>(k));
  }
  return modes;
}

template <class MakeKernel>
void compile_hybrid(System& system, MakeKernel&& kernel, HybridProgram& hybrid) {
  const NodeId zero = system.graph.number(0), one = system.graph.number(1);
  auto or_else = [](NodeId node, NodeId otherwise) { return node == no_node ? otherwise : node; };
  std::vector<NodeId> roots, slopes, triggers, delays, priorities, values, sizes;
  for (const Mode& mode : system.modes) {
    roots.push_back(mode.root);
    slopes.push_back(mode.clock ? mode.slope : zero);
  }
  for (const SystemEvent& event : system.events) {
    triggers.push_back(event.trigger);
    delays.push_back(or_else(event.delay, zero));
    priorities.push_back(or_else(event.priority, zero));
    hybrid.events.push_back(
        {event.name, event.delay != no_node, event.priority != no_node, event.initial_value,
         event.persistent, event.values_at_trigger, static_cast<int>(values.size()),
         static_cast<int>(event.assignments.size()), unsettled_by(system, event)});
    for (const SystemAssignment& assignment : event.assignments) {
      values.push_back(assignment.value);
      sizes.push_back(or_else(assignment.size, one));
      hybrid.assigned.push_back({assignment.state});
    }
  }
  hybrid.modes = system.modes;
  hybrid.roots = kernel(roots);
  hybrid.slopes = kernel(slopes);
  hybrid.triggers = kernel(triggers);
  hybrid.delays = kernel(delays);
  hybrid.priorities = kernel(priorities);
  hybrid.values = kernel(values);
  hybrid.sizes = kernel(sizes);
  std::vector<NodeId> delayed, lags;
  for (const SystemDelay& delay : system.delays) {
    delayed.push_back(delay.value);
    lags.push_back(delay.lag);
    hybrid.fixed_lag.push_back(system.graph.is_fixed(delay.lag));
    hybrid.nested_value.push_back(system.graph.depends_on(delay.value, Leaf::input));
    hybrid.nested_lag.push_back(system.graph.depends_on(delay.lag, Leaf::input));
  }
  if (!system.equilibrium.states.empty()) compile_fast(system, kernel, hybrid.fast);
  hybrid.delayed = kernel(delayed);
  hybrid.lags = kernel(lags);
}

// Per output the state that it is; empty unless all of them are.
std::vector<int> states_shown(const System& system, const std::vector<Output>& outputs) {
  std::vector<int> states;
  for (const Output& output : outputs) {
    const GraphNode& node = system.graph[output.node];
    if (node.op != Op::symbol || node.a != static_cast<std::uint32_t>(Leaf::state)) return {};
    states.push_back(static_cast<int>(node.b));
  }
  return states;
}

}  // namespace

int ProgramOptions::usual_straight_line() { return thresholds::straight_line_terms; }

std::shared_ptr<const Program> compile(System& system, const std::vector<Output>& outputs,
                                       const ProgramOptions& options) {
  auto program = std::make_shared<Program>();
  Program& p = *program;
  guard_powers(system);
  p.lanes = options.lanes;
  p.isa = options.isa;
  p.states = static_cast<int>(system.states.size());
  p.parameters = static_cast<int>(system.parameters.size());
  p.start_time = system.start_time;
  for (const SystemState& s : system.states) p.state_names.push_back(s.name);
  for (std::size_t i = 0; i < system.states.size(); ++i)
    if (system.states[i].substance) p.substances.push_back(static_cast<int>(i));
  for (const SystemParameter& s : system.parameters) p.parameter_values.push_back(s.value);
  for (const Output& output : outputs) p.output_names.push_back(output.name);

  p.modes = static_cast<int>(system.modes.size());

  p.inputs = static_cast<int>(system.delays.size());

  DerivedParameters derived(p.parameters + p.modes + p.inputs);
  const LeafArrays moving{0, 1, 2, p.parameters + p.modes};  // {time, states, parameters, result}
  auto tape_of = [&](const std::vector<NodeId>& nodes) {
    return lower(system.graph, targets(3, nodes), moving, 4, &derived);
  };
  auto kernel_for = [&](const std::vector<NodeId>& nodes, int lanes) {
    return make_kernel(tape_of(nodes), lanes, p.isa);
  };
  auto kernel = [&](const std::vector<NodeId>& nodes) { return kernel_for(nodes, p.lanes); };

  std::vector<NodeId> jacobian_nodes;
  std::size_t terms = 0;
  for (auto& row : system.terms) terms += row.size();
  std::optional<MassAction> tables;
  if (terms > static_cast<std::size_t>(options.largest_straight_line) && !system.has_algebraic())
    tables = MassAction::recognise(system, derived);
  if (tables) {
    p.from_tables = true;
    p.pattern = tables->pattern;
    auto shared = std::make_shared<const MassAction>(std::move(*tables));
    p.rhs = mass_action_rhs(shared, p.lanes, p.isa);
    p.jacobian = mass_action_jacobian(shared, p.lanes, p.isa);
  } else {
    auto tapes = std::make_shared<Program::Tapes>();
    tapes->rhs = tape_of(system.rhs);
    p.rhs = make_kernel(tapes->rhs, p.lanes, p.isa);
    SparseExpressions j = jacobian(system);
    tapes->jacobian = tape_of(j.values);
    p.jacobian = make_kernel(tapes->jacobian, p.lanes, p.isa);
    jacobian_nodes = std::move(j.values);
    p.pattern = std::move(j.pattern);
    std::vector<NodeId> slopes = time_derivatives(system);
    for (NodeId node : slopes) p.autonomous &= system.graph.is_number(node, 0);
    if (!p.autonomous) {
      tapes->time_derivative = tape_of(slopes);
      p.time_derivative = make_kernel(tapes->time_derivative, p.lanes, p.isa);
    }
    if (tapes->rhs.code.size() + tapes->jacobian.code.size() <= longest_kept_tapes)
      p.tapes = std::move(tapes);
  }
  std::vector<NodeId> bases;
  for (VanishingBase& base : vanishing_bases(system)) {
    bases.push_back(base.node);
    p.vanishing.push_back({base.state, std::move(base.name)});
  }
  if (!bases.empty()) {
    p.bases = kernel(bases);
    p.bases_one = kernel_for(bases, 1);
  }
  p.outputs = kernel(nodes_of(outputs));
  p.output_states = states_shown(system, outputs);
  std::shared_ptr<HybridProgram> hybrid;
  if (!system.modes.empty() || !system.events.empty() || system.has_algebraic() ||
      !system.delays.empty() || !system.equilibrium.states.empty()) {
    hybrid = std::make_shared<HybridProgram>();
    compile_hybrid(
        system, [&](const std::vector<NodeId>& nodes) { return kernel_for(nodes, 1); }, *hybrid);
    hybrid->outputs = kernel_for(nodes_of(outputs), 1);
    hybrid->rhs = kernel_for(system.rhs, 1);
    for (std::size_t i = 0; i < system.states.size(); ++i)
      if (system.states[i].algebraic) hybrid->algebraic.push_back(static_cast<int>(i));
    if (!hybrid->algebraic.empty()) {
      p.mass.assign(system.states.size(), 1);
      for (int i : hybrid->algebraic) p.mass[static_cast<std::size_t>(i)] = 0;
      hybrid->jacobian = kernel_for(jacobian_nodes, 1);
    }
  }
  p.initial = make_kernel(lower(system.graph, targets(1, system.initial), {-1, -1, 0}, 2, &derived),
                          p.lanes, p.isa);
  std::vector<Target> derived_targets;
  for (std::size_t i = 0; i < derived.nodes().size(); ++i)
    derived_targets.push_back({0, derived.first() + static_cast<int>(i), derived.nodes()[i]});
  Tape prepare = lower(system.graph, derived_targets, {-1, -1, 0}, 1, nullptr);
  p.prepare = make_kernel(prepare, p.lanes, p.isa);
  if (hybrid) hybrid->prepare = make_kernel(prepare, 1, p.isa);
  p.hybrid = hybrid;
  p.parameter_slots = derived.slots();
  return program;
}

}  // namespace stiffit
