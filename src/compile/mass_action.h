// Large networks of mass action from index tables: nothing grows faster than the network, and no
// code is made. A rate is coefficient * product of states; the coefficient depends on parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/thresholds.h"
#include "compile/kernel.h"
#include "compile/lower.h"
#include "symbolic/system.h"

namespace stiffit::internal {

struct MassAction {
  static constexpr int largest_order = 3;

  int states = 0;
  // Per reaction: the slot of its rate constant, and its reactants, one after the other.
  std::vector<int> rate_slot;
  std::vector<int> reactant;
  // x'_i = sum of coefficient * rate, by reaction; what is lost comes first.
  std::vector<int> effect_start, effect_state;
  std::vector<double> effect;
  // Reactions of a kind follow each other, so that loops over them need not ask.
  struct Kind {
    int order = 0;           // reactants
    int lost = 0, made = 0;  // effects below and above zero
    bool whole = false;      // all of them are -1 or +1
    auto operator<=>(const Kind&) const = default;
  };
  struct Run {
    Kind kind;
    std::size_t first, last;          // reactions
    std::size_t reactant, entry = 0;  // where theirs begin
  };
  std::vector<Run> runs;
  // J: per reaction and reactant, the position of each affected state's entry.
  Sparsity pattern;
  std::vector<int> entry;

  // x' once more, by states, for one lane: sums of rates without waiting for what was stored last.
  // Rates are followed by those times a coefficient other than -1 and +1. A term is twice the
  // position of what is added, plus one where it is subtracted; neighbouring states with as many
  // terms form a run, in stretches that fit a cache.
  struct Scaled {
    int reaction;
    double coefficient;
  };
  struct Sums {
    int terms, count;
    int first, first_term;  // in sum_state and sum_term
  };
  std::vector<Scaled> scaled;
  std::vector<Sums> sums;
  std::vector<int> sum_state, sum_term;
  double terms_for_threads = 0;  // terms from which on two threads share them
  void gather_by_states(int stretch);

  // Nothing if a rate or a coefficient is of another form.
  static std::optional<MassAction> recognise(System& system, DerivedParameters& derived,
                                             const Thresholds& thresholds);
};

Kernel mass_action_rhs(std::shared_ptr<const MassAction> tables, int lanes, Isa isa);
Kernel mass_action_jacobian(std::shared_ptr<const MassAction> tables, int lanes, Isa isa);

}  // namespace stiffit::internal
