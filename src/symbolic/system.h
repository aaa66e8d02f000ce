// A model as equations: states x, parameters p, x' = f(t, x, p), x(t0) = x0(p), and everything a
// person may want to see as expressions of those. Amounts, concentrations, compartments, rules and
// functions are resolved here and nowhere else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "symbolic/discontinuity_lowering.h"
#include "symbolic/graph.h"
#include "symbolic/sparsity.h"

namespace stiffit::internal {

struct SystemOptions {
  // Parameters that will change after compilation (fitted, sampled, varied). The others may be
  // folded into the code where that pays: exponents, so that x^n with n = 2 is x*x.
  std::set<std::string, std::less<>> varied;
  double start_time = not_set;  // not_set: the model's
};

struct SystemState {
  std::string name;
  Ref ref;
  bool is_amount = false;    // of a species: the state is its amount, else its concentration
  bool algebraic = false;    // its equation is 0 = f, not x' = f
  bool substance = false;    // a species that reactions make and use: not negative by nature
  bool equilibrium = false;  // an amount that fast reactions hold at their equilibrium
  bool total = false;  // not the amount of `ref` but a sum with others that fast reactions keep
};

struct SystemParameter {
  std::string name;  // of the parameter, compartment, or species (its initial value)
  Ref ref;
  double value = not_set;
  bool folded = false;  // its value is part of the code
};

inline constexpr NodeId no_node = ~NodeId{0};

struct Term {
  int reaction;        // index into System::rates
  NodeId coefficient;  // of the rate in x'
};

// A sparse matrix of expressions.
struct SparseExpressions {
  Sparsity pattern;
  std::vector<NodeId> values;  // in the pattern's order
};

// What an event sets: state = value, or value * size for the amount behind a concentration, the
// size as it is before the event changes anything.
struct SystemAssignment {
  int state = -1;
  NodeId value = 0;
  NodeId size = no_node;
};

struct SystemEvent {
  std::string name;
  NodeId trigger = no_node;  // lowered, so that it changes only when a mode or a state does
  NodeId delay = no_node, priority = no_node;  // no_node: none
  bool initial_value = true, persistent = true, values_at_trigger = true;
  std::vector<SystemAssignment> assignments;
};

// The value that an expression had some time ago.
struct SystemDelay {
  NodeId value = 0;  // as of now
  NodeId lag = 0;    // how long ago
  // The same with modes instead of comparisons.
  NodeId smooth_value = 0, smooth_lag = 0;
  std::string text;  // for people: delay(x, tau)
  Span span;
};

// Fast reactions are at equilibrium at all times. One species for each independent one is a state
// of kind `equilibrium`; the other species they touch are states of kind `total`, which only the
// other reactions move. In the equations fast reactions run `fast_factor` times as fast as written:
// beyond what double precision tells from infinitely fast, and one whose law is zero still rests.
inline constexpr double fast_factor = 0x1p50;
struct SystemEquilibrium {
  struct Total {
    int state = -1;
    NodeId amount = 0;  // of the species, from the states
    NodeId total = 0;   // the state, where these states stand for amounts
  };
  std::vector<int> states;       // of kind `equilibrium`
  std::vector<NodeId> residual;  // per such state: what fast reactions add per time, as written
  std::vector<Total> totals;
};

struct System {
  Graph graph;
  std::vector<SystemState> states;
  std::vector<SystemParameter> parameters;
  std::vector<NodeId> initial;           // per state; depends on parameters only
  std::vector<NodeId> rates;             // per reaction of the model, then per rate rule
  std::vector<std::vector<Term>> terms;  // per state: x' = sum of coefficient * rate
  std::vector<NodeId> rhs;               // per state, the same summed up
  // Rates and coefficients hold modes instead of comparisons; mode k is parameter
  // parameters.size() + k of the graph. Outputs, delays and assignments keep the comparisons.
  std::vector<Mode> modes;
  std::vector<SystemEvent> events;
  std::vector<SystemDelay> delays;  // delay k is input k of the graph
  SystemEquilibrium equilibrium;    // of fast reactions; empty without
  double start_time = 0;

  bool has_algebraic() const;
  int state_index(Ref ref) const;                    // -1 if it is no state
  int parameter_index(std::string_view name) const;  // -1 if there is none
};

// A column of a result: its header and its expression.
struct Output {
  std::string name;
  NodeId node = 0;
};

// Resolves a model. Throws InputError, rendered with the place, for what cannot be simulated.
class SystemBuilder;
struct ResolvedSystem {
  System system;
  std::vector<Output> columns;  // what is shown when nothing else is asked for
  // The quantity of that name: a species, parameter, compartment, reaction, observable; `[S]` its
  // concentration, `amount(S)` its amount, `rate(J)` the rate of a reaction, `S'` a derivative.
  std::optional<Output> find(std::string_view name);

  std::shared_ptr<SystemBuilder> builder;
};
ResolvedSystem resolve(std::shared_ptr<const Model> model, const SystemOptions& options = {});

// J = df/dx, and df/dt per state (zero where time does not enter).
SparseExpressions jacobian(System& system);
std::vector<NodeId> time_derivatives(System& system);

}  // namespace stiffit::internal
