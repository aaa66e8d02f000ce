// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/derivative_kernels.h"

#include <algorithm>

#include "compile/lower.h"
#include "symbolic/holds.h"

namespace stiffit::internal {
namespace {

class Compiler {
 public:
  Compiler(Graph& graph, int first_input, int inputs, Isa isa)
      : graph_(graph), first_input_(first_input), derived_(first_input + inputs), isa_(isa) {}

  Kernel matrices(std::initializer_list<const std::vector<NodeId>*> results) {
    return make_kernel(tape(results), 1, isa_);
  }
  Tape tape(std::initializer_list<const std::vector<NodeId>*> results) {
    std::vector<Target> targets;
    int array = 3;
    for (const std::vector<NodeId>* nodes : results) {
      for (std::size_t i = 0; i < nodes->size(); ++i)
        targets.push_back({array, static_cast<int>(i), (*nodes)[i]});
      ++array;
    }
    return lower(graph_, targets, {0, 1, 2, first_input_}, array, &derived_);
  }

  FunctionKernel function(const std::vector<NodeId>& functions, const WantedParameters& wanted) {
    FunctionDerivatives d = function_derivatives(graph_, functions, wanted);
    FunctionKernel result;
    result.functions = functions.size();
    result.kernel = matrices({&d.state.values, &d.parameter.values, &d.time});
    result.state = std::move(d.state.pattern);
    result.parameter = std::move(d.parameter.pattern);
    return result;
  }

  Kernel prepare() {
    std::vector<Target> targets;
    for (std::size_t i = 0; i < derived_.nodes().size(); ++i)
      targets.push_back({0, derived_.first() + static_cast<int>(i), derived_.nodes()[i]});
    return make_kernel(lower(graph_, targets, {-1, -1, 0}, 1, nullptr), 1, isa_);
  }
  int slots() const { return derived_.slots(); }

 private:
  Graph& graph_;
  int first_input_;
  DerivedParameters derived_;
  Isa isa_;
};

std::vector<int> places(const SparseRows& part, const SparseRows& whole) {
  std::vector<int> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.rows()); ++i) {
    int at = whole.row_start[i];
    for (int k = part.row_start[i]; k < part.row_start[i + 1]; ++k) {
      while (whole.column[at] != part.column[k]) ++at;
      result.push_back(at);
    }
  }
  return result;
}

// Entries that `extra` has and `whole` has not are added to it as zeros.
void widen(Graph& g, ExpressionRows& whole, const ExpressionRows& extra) {
  ExpressionRows wider;
  for (std::size_t i = 0; i < static_cast<std::size_t>(whole.pattern.rows()); ++i) {
    int a = whole.pattern.row_start[i], b = extra.pattern.row_start[i];
    const int a_end = whole.pattern.row_start[i + 1], b_end = extra.pattern.row_start[i + 1];
    while (a < a_end || b < b_end) {
      const int column_a = a < a_end ? whole.pattern.column[a] : INT32_MAX;
      const int column_b = b < b_end ? extra.pattern.column[b] : INT32_MAX;
      wider.pattern.column.push_back(std::min(column_a, column_b));
      wider.values.push_back(column_a <= column_b ? whole.values[a] : g.number(0));
      a += column_a <= column_b;
      b += column_b <= column_a;
    }
    wider.pattern.row_start.push_back(static_cast<int>(wider.pattern.column.size()));
  }
  whole = std::move(wider);
}

std::vector<int> modes_in(const Graph& g, NodeId root, int first_mode) {
  std::vector<int> found;
  for (int parameter : g.leaves(root, Leaf::parameter))
    if (parameter >= first_mode) found.push_back(parameter - first_mode);
  return found;
}

void compile_events(System& s, const std::vector<Hold>& holds, Compiler& compiler,
                    const WantedParameters& wanted, DerivativeKernels& k) {
  const NodeId zero = s.graph.number(0), one = s.graph.number(1);
  std::vector<NodeId> roots, delays, values, sizes, algebraic;
  for (const Mode& mode : s.modes) roots.push_back(mode.root);
  for (const Hold& hold : holds) roots.push_back(hold.push);
  for (const SystemEvent& event : s.events) {
    delays.push_back(event.delay == no_node ? zero : event.delay);
    for (const SystemAssignment& a : event.assignments) {
      values.push_back(a.value);
      sizes.push_back(a.size == no_node ? one : a.size);
    }
    k.trigger_modes.push_back(modes_in(s.graph, event.trigger, k.parameters));
  }
  for (std::size_t i = 0; i < s.states.size(); ++i)
    if (s.states[i].algebraic) algebraic.push_back(s.rhs[i]);
  k.roots = compiler.function(roots, wanted);
  k.delays = compiler.function(delays, wanted);
  k.values = compiler.function(values, wanted);
  k.sizes = compiler.function(sizes, wanted);
  k.algebraic = compiler.function(algebraic, wanted);
}

}  // namespace

DerivativeKernels derivative_kernels(System& system, const Program& program,
                                     const WantedParameters& wanted, int lanes) {
  DerivativeKernels k;
  k.lanes = lanes;
  k.states = program.states;
  k.parameters = program.parameters;
  k.modes = program.modes;
  k.first_input = program.parameters + program.modes;
  const std::vector<Hold> holds = static_cast<std::size_t>(program.modes) > system.modes.size()
                                      ? find_holds(system)
                                      : std::vector<Hold>();
  const HeldEquations held(system, holds);
  Compiler compiler(system.graph, k.first_input, program.states + 1, program.isa);
  StepDerivatives d = step_derivatives(system, wanted);
  widen(system.graph, d.parameter, d.bend_parameter);
  const Tape stage = compiler.tape({&d.state.values, &d.parameter.values});
  k.stage = make_kernel(stage, 1, program.isa);
  k.stages = make_kernel(stage, lanes, program.isa);
  k.bends = make_kernel(compiler.tape({&d.bend_state.values, &d.bend_parameter.values}), lanes,
                        program.isa);
  k.bend_place = places(d.bend_parameter.pattern, d.parameter.pattern);
  k.state = std::move(d.state.pattern);
  k.parameter = std::move(d.parameter.pattern);
  k.bend_state = std::move(d.bend_state.pattern);
  k.bend_parameter = std::move(d.bend_parameter.pattern);
  k.initial = compiler.function(system.initial, wanted);
  if (program.hybrid) compile_events(system, holds, compiler, wanted, k);
  k.prepare = compiler.prepare();
  k.slots = compiler.slots();
  return k;
}

OutputKernel output_kernel(System& system, const std::vector<Output>& outputs,
                           const WantedParameters& wanted, Isa isa) {
  std::vector<NodeId> nodes;
  for (const Output& output : outputs) nodes.push_back(output.node);
  // Outputs hold no modes, but the graph numbers other inputs after them.
  const int first = static_cast<int>(system.parameters.size() + system.modes.size());
  Compiler compiler(system.graph, first, static_cast<int>(system.delays.size()), isa);
  OutputKernel result;
  result.outputs = compiler.function(nodes, wanted);
  result.prepare = compiler.prepare();
  result.slots = compiler.slots();
  return result;
}

}  // namespace stiffit::internal
