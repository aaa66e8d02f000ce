// Whether a time course has come to rest, where Newton's method alone cannot say: states that come
// to rest anywhere, modes that decay more slowly than exponentials do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/steady/moiety_rows.h"
#include "analysis/steady/steady_newton.h"

namespace stiffit::internal {

// What the time course has come to after one more stretch, each longer than all before it.
struct RestPoint {
  std::span<const double> before, scale;  // where the stretch began; a size per state
  std::span<const char> absent;           // per state: it has always been zero
  double elapsed = 0;                     // since the course began
  double tolerance = 0;                   // of the states, in units of the scale
};

class RestCheck {
 public:
  explicit RestCheck(const SteadyProblem& problem)
      : problem_(problem),
        drift_(static_cast<std::size_t>(problem.equations().states), -1.0),
        rate_(drift_) {}

  // Once per stretch, in order. All of these must hold:
  // - What is left to go, the slowest mode's part included, is within the tolerance, or within what
  //   the rounding of the rates makes of it, where J tells.
  // - Where it does not (blocks that come to rest anywhere, and blocks whose own rate dies out more
  //   quickly than time passes), nothing would change in as much time again as has passed, and less
  //   than after the stretch before: what is merely slow would change more and more.
  // - Nothing has changed during the stretch, and no mode grows.
  bool rests(SteadyEquations& equations, const MoietyRows& rows, std::vector<double>& x,
             const RestPoint& point);
  // The state that moves on and on while all that acts on it rests, stretch after stretch; or -1.
  int moves_for_ever() const { return drifting_ >= 4 ? drifter_ : -1; }

 private:
  const SteadyProblem& problem_;
  std::vector<double> drift_;  // per state, after the stretch before; -1: not known
  std::vector<double> rate_;   // per state that stands first in its block: rate * time
  int drifting_ = 0, drifter_ = -1;
};

}  // namespace stiffit::internal
