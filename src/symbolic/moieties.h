// What a network conserves: combinations of states that no reaction changes (the left null space of
// the stoichiometric matrix), and the smaller system that follows from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "symbolic/system.h"

namespace stiffit::internal {

struct Moiety {
  std::vector<std::pair<int, double>> terms;  // state index ascending, coefficient
};

// A basis of what is conserved: short combinations, non-negative with small whole coefficients
// where there are such (A + C, B + C). Stoichiometries that are expressions of parameters count
// with their values at the parameters' own values; a state with a stoichiometry that moves with
// time or state, or that an event sets, is part of none. A state that nothing changes is one by
// itself. Time and memory grow with the number of terms: each state is expressed in a few free
// ones.
// `parameters` (empty: the system's own) are the values that stoichiometries are taken at.
std::vector<Moiety> conserved_moieties(const System& system,
                                       std::span<const double> parameters = {});
// True if a stoichiometry is an expression of parameters, so that moieties change with them.
bool moieties_vary(const System& system);

// The system without one state per moiety. Off unless a caller asks for it: sums in place of states
// make J denser, and large mass-action networks no longer run from tables.
// The totals are expressions of the parameters, so a run must start from the initial values the
// parameters give, not from states set by hand; and a moiety whose coefficients came from parameter
// values holds only for those.
struct ReducedSystem {
  System system;
  std::vector<int> kept;       // original index of each state of `system`
  std::vector<int> dependent;  // original index of the state that each moiety gives; -1: none

  // An expression of the original system (an output, a state) in terms of `system`. `original` is
  // the system that was reduced; it may have gained nodes since.
  NodeId translate(const System& original, NodeId node);
  std::vector<Output> translate(const System& original, const std::vector<Output>& outputs);
  // Every original state as an output, in the original order.
  std::vector<Output> all_states(const System& original);

 private:
  friend ReducedSystem reduce_by_moieties(const System&, const std::vector<Moiety>&);
  std::vector<int> place_;           // per original state: its new index, or -1
  std::vector<NodeId> replacement_;  // per original state that is gone: its expression
  std::vector<NodeId> image_;        // per node of the original graph, as far as needed
};
ReducedSystem reduce_by_moieties(const System& system, const std::vector<Moiety>& moieties);

}  // namespace stiffit::internal
