// Newton's method for f = 0 among the states with given conserved sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "steady/reduced_jacobian.h"
#include "steady/steady_state.h"

namespace stiffit {

// f and J at a state, modes held as they are.
class SteadyEquations {
 public:
  SteadyEquations(const SteadyProblem& problem, std::span<const double> parameters);

  std::vector<double> slots;  // parameters, modes, derived ones
  double time = 0;            // for what asks for it: clocks that have run out

  // Modes as they hold at x; true if one has changed.
  bool settle(std::vector<double>& x);
  void rates(std::vector<double>& x, std::vector<double>& f);
  const double* jacobian(std::vector<double>& x);
  std::vector<char> triggers(std::vector<double>& x);  // of events, 0 or 1

 private:
  const Program& program_;
  std::vector<double> jacobian_, roots_;
};

struct NewtonResult {
  bool converged = false, regular = false;
  double first = 0;     // length of the first full step, in units of the scale
  double distance = 0;  // from the start to the end, the same
  int sign = 1;         // of det(-J) at the end
};

// From x, which is replaced. `scale` is a size per state; a first step longer than `longest_first`
// is not taken.
NewtonResult newton(const SteadyProblem& problem, SteadyEquations& equations,
                    const MoietyRows& rows, std::span<const double> scale, double longest_first,
                    std::vector<double>& x);

// The largest |a_i|/scale_i.
double scaled_size(std::span<const double> a, std::span<const double> scale);

}  // namespace stiffit
