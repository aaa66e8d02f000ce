// SPDX-License-Identifier: Apache-2.0
#include "compile/program.h"

#include <algorithm>

#include "base/thresholds.h"
#include "compile/lower.h"
#include "compile/mass_action.h"
#include "compile/time_scan.h"
#include "symbolic/holds.h"
#include "symbolic/operands_first.h"
#include "symbolic/vanishing_powers.h"

namespace stiffit::internal {
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
    if (a.state >= 0) set[a.state] = 1;
  for (const SystemEquilibrium::Total& total : system.equilibrium.totals) set[total.state] = 1;
  std::vector<int> modes;
  for (std::size_t k = 0; k < system.modes.size(); ++k) {
    bool unsettled = !system.modes[k].clock;
    for (int state : system.graph.leaves(system.modes[k].root, Leaf::state))
      unsettled |= set[state] != 0;
    if (unsettled) modes.push_back(static_cast<int>(k));
  }
  return modes;
}

template <class MakeKernel, class MakeTape>
void compile_hybrid(System& system, const std::vector<Hold>& holds, MakeKernel&& kernel,
                    MakeTape&& tape, HybridProgram& hybrid) {
  const NodeId zero = system.graph.number(0), one = system.graph.number(1);
  auto or_else = [](NodeId node, NodeId otherwise) { return node == no_node ? otherwise : node; };
  std::vector<NodeId> roots, slopes, triggers, delays, priorities, values, sizes;
  for (const Mode& mode : system.modes) {
    roots.push_back(mode.root);
    slopes.push_back(mode.clock ? mode.slope : zero);
    hybrid.clock_bounds.emplace_back();
    if (mode.linear || system.graph.depends_on(mode.root, Leaf::input)) continue;
    const NodeId slope = system.graph.time_derivative(mode.root);
    if (system.graph.depends_on(slope, Leaf::time))
      hybrid.clock_bounds.back() = IntervalTape(tape({mode.root, slope}));
  }
  hybrid.modes = system.modes;
  for (const Hold& hold : holds) {
    hybrid.holds.push_back({hold.event, hold.mode, static_cast<int>(hybrid.modes.size()),
                            IntervalTape(tape({roots[hold.mode]}))});
    hybrid.modes.push_back({ModeKind::not_negative, hold.push, zero, false, false, true});
    hybrid.clock_bounds.emplace_back();
    roots.push_back(hold.push);
    slopes.push_back(zero);
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
  hybrid.roots = kernel(roots);
  hybrid.slopes = kernel(slopes);
  hybrid.triggers = kernel(triggers);
  hybrid.delays = kernel(delays);
  hybrid.priorities = kernel(priorities);
  hybrid.values = kernel(values);
  hybrid.sizes = kernel(sizes);
  if (!system.equilibrium.states.empty()) compile_fast(system, kernel, hybrid.fast);
}

// A steep step such as 1/(1 + exp(-k*(time - c))) is flat far from c, but its derivative by time is
// made of numbers beyond all range: inf/inf. It counts as zero there.
NodeId flat_beyond_range(Graph& graph, NodeId slope) {
  if (graph.is_fixed(slope)) return slope;
  bool may = false;
  for (NodeId id : operands_first(graph, slope, [&](NodeId node) { return graph.is_fixed(node); }))
    switch (graph[id].op) {
      case Op::exp:
      case Op::sinh:
      case Op::cosh:
      case Op::sech:
      case Op::csch:
      case Op::coth:
        may |= !graph.depends_on(id, Leaf::state);
        break;
      default:
        break;
    }
  if (!may) return slope;
  const NodeId in_range = graph.apply(Op::le, graph.apply(Op::abs, slope), graph.number(1e300));
  return graph.apply(Op::select, slope, in_range, graph.number(0));
}

// The modes in an expression.
std::vector<int> modes_in(const System& system, NodeId node) {
  std::vector<int> modes;
  const int first = static_cast<int>(system.parameters.size());
  for (int index : system.graph.leaves(node, Leaf::parameter))
    if (index >= first) modes.push_back(index - first);
  return modes;
}

std::vector<int> sorted_once(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// These kernels look at other modes than those of now: nothing in them may be prepared.
template <class MakeKernel>
void compile_delays(const System& system, MakeKernel&& kernel, HybridProgram& hybrid) {
  const Graph& graph = system.graph;
  std::vector<NodeId> lags, lags_now;
  for (const SystemDelay& delay : system.delays) {
    for (NodeId node : {delay.smooth_value, delay.smooth_lag})
      for (int mode : modes_in(system, node)) hybrid.delay_modes.push_back(mode);
    lags.push_back(delay.smooth_lag);
    lags_now.push_back(delay.lag);
  }
  hybrid.delay_modes = sorted_once(std::move(hybrid.delay_modes));
  for (const SystemDelay& delay : system.delays) {
    HybridProgram::Delay d;
    d.value = kernel({delay.smooth_value});
    d.value_now = kernel({delay.value});
    d.fixed_lag = graph.is_fixed(delay.lag);
    d.nested_value = graph.depends_on(delay.value, Leaf::input);
    d.nested_lag = graph.depends_on(delay.lag, Leaf::input);
    d.sees_states = graph.depends_on(delay.value, Leaf::state);
    d.inputs = graph.leaves(delay.value, Leaf::input);
    for (int mode : modes_in(system, delay.smooth_value))
      d.modes.push_back(static_cast<int>(
          std::lower_bound(hybrid.delay_modes.begin(), hybrid.delay_modes.end(), mode) -
          hybrid.delay_modes.begin()));
    d.text = delay.text;
    d.scan = TimeScan::make(system, {delay.smooth_value});
    hybrid.delayed.push_back(std::move(d));
  }
  hybrid.lags = kernel(lags);
  hybrid.lags_now = kernel(lags_now);
  for (NodeId node : system.rhs)
    for (int mode : modes_in(system, node)) hybrid.rhs_modes.push_back(mode);
  hybrid.rhs_modes = sorted_once(std::move(hybrid.rhs_modes));
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
  p.thresholds = options.thresholds;
  p.states = static_cast<int>(system.states.size());
  p.parameters = static_cast<int>(system.parameters.size());
  p.start_time = system.start_time;
  for (const SystemState& s : system.states) p.state_names.push_back(s.name);
  for (std::size_t i = 0; i < system.states.size(); ++i)
    if (system.states[i].substance) p.nonnegative_states.push_back(static_cast<int>(i));
  for (const SystemParameter& s : system.parameters) p.parameter_values.push_back(s.value);
  for (const Output& output : outputs) p.output_names.push_back(output.name);

  std::size_t terms = 0;
  for (auto& row : system.terms) terms += row.size();
  const bool too_long = terms > static_cast<std::size_t>(options.largest_straight_line);
  const std::vector<Hold> holds = too_long ? std::vector<Hold>() : find_holds(system);
  const HeldEquations held(system, holds);
  p.modes = static_cast<int>(system.modes.size() + holds.size());

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
  std::optional<MassAction> tables;
  if (too_long && !system.has_algebraic())
    tables = MassAction::recognise(system, derived, p.thresholds);
  if (tables) {
    p.from_tables = true;
    p.pattern = tables->pattern;
    auto shared = std::make_shared<const MassAction>(std::move(*tables));
    p.rhs = mass_action_rhs(shared, p.lanes, p.isa);
    p.jacobian = mass_action_jacobian(shared, p.lanes, p.isa);
  } else {
    auto tapes = std::make_shared<Program::Tapes>();
    tapes->rhs = tape_of(system.rhs);
    const std::vector<NodeId> values = for_values(system.graph, system.rhs);
    tapes->values = values == system.rhs ? tapes->rhs : tape_of(values);
    p.rhs = make_kernel(tapes->values, p.lanes, p.isa);
    SparseExpressions j = jacobian(system);
    tapes->jacobian = tape_of(j.values);
    p.jacobian = make_kernel(tapes->jacobian, p.lanes, p.isa);
    jacobian_nodes = std::move(j.values);
    p.pattern = std::move(j.pattern);
    std::vector<NodeId> slopes = time_derivatives(system);
    for (NodeId node : slopes) p.autonomous &= system.graph.is_number(node, 0);
    for (NodeId& node : slopes) node = flat_beyond_range(system.graph, node);
    if (!p.autonomous) {
      tapes->time_derivative = tape_of(slopes);
      p.time_derivative = make_kernel(tapes->time_derivative, p.lanes, p.isa);
    }
    if (tapes->rhs.code.size() + tapes->jacobian.code.size() <= longest_kept_tapes)
      p.tapes = std::move(tapes);
  }
  p.scan = TimeScan::make(system, system.rhs);
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
        system, holds, [&](const std::vector<NodeId>& nodes) { return kernel_for(nodes, 1); },
        tape_of, *hybrid);
    if (!system.delays.empty())
      compile_delays(
          system,
          [&](const std::vector<NodeId>& nodes) {
            return make_kernel(lower(system.graph, targets(3, nodes), moving, 4, nullptr), 1,
                               p.isa);
          },
          *hybrid);
    hybrid->outputs = kernel_for(nodes_of(outputs), 1);
    hybrid->rhs = kernel_for(system.rhs, 1);
    for (std::size_t i = 0; i < system.states.size(); ++i)
      if (system.states[i].algebraic) hybrid->algebraic.push_back(static_cast<int>(i));
    if (!hybrid->algebraic.empty()) {
      p.mass.assign(system.states.size(), 1);
      for (int i : hybrid->algebraic) p.mass[i] = 0;
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

}  // namespace stiffit::internal
