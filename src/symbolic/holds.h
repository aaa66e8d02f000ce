// Events that keep a state at an edge: `at V < 0: V = 0`. If the equations go on pushing V below
// zero, the event would have to happen again at once, and again, without end; what that tends to is
// a state held where the event puts it for as long as it is pushed. A hold is the switch for this:
// a mode that only the event turns on, and that turns off when the push ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "symbolic/system.h"

namespace stiffit::internal {

struct Hold {
  int event = 0;
  int mode = 0;             // of the trigger, whose edge the event leaves the state at
  std::vector<int> states;  // what the event sets, of that which moves by itself
  NodeId push = 0;          // how fast the mode's root is driven over its edge, nothing held
};

// Of events without delay that set what they set to values that stand still. Models with delays,
// algebraic rules or fast reactions have none.
std::vector<Hold> find_holds(System& system);

// The equations with their holds, for as long as this lives: states of a hold stand still while its
// mode, which is parameter parameters.size() + modes.size() + its number, is not zero.
class HeldEquations {
 public:
  HeldEquations(System& system, const std::vector<Hold>& holds);
  ~HeldEquations();
  HeldEquations(const HeldEquations&) = delete;
  HeldEquations& operator=(const HeldEquations&) = delete;

 private:
  System& system_;
  std::vector<NodeId> rhs_;  // as they were
  std::vector<std::vector<Term>> terms_;
};

}  // namespace stiffit::internal
