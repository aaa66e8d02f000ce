// Newton's iteration for a step of given size, where it fails from the start of the step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::internal {

// What a method says whose equations of a step could not be solved.
inline constexpr const char* newton_failed =
    "Newton's iteration for the equations of a step did not converge";

// Solves for steps that grow up to the one asked for, each from the solution before it: where
// Newton fails from the start of the step it may succeed along the way. solve(s) is for the share s
// of the step, from the last solution; keep() and back() hold on to that and return to it. For
// fixed steps: others just become shorter.
template <class Solve, class Keep, class Back>
bool solve_by_homotopy(Solve solve, Keep keep, Back back) {
  double reached = 0, next = 1.0 / 64;
  keep();
  for (int tries = 0; tries < 200 && next - reached > 1e-10; ++tries) {
    if (solve(next)) {
      if (next == 1) return true;
      const double grown = next + 2 * (next - reached);
      keep();
      reached = next;
      next = grown < 1 ? grown : 1.0;
    } else {
      back();
      next = reached + 0.25 * (next - reached);
    }
  }
  return false;
}

}  // namespace stiffit::internal
