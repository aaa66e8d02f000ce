// Newton's method for f = 0 among the states with given conserved sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "analysis/steady/reduced_jacobian.h"
#include "analysis/steady/steady_state.h"

namespace stiffit::internal {

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

struct NewtonOptions {
  std::span<const double> scale;      // a size per state
  std::span<const char> nonnegative;  // per state
  double longest_first = INFINITY;    // a first step longer than that, in the scale, is not taken
  // For f/x = 0 in place of f = 0 where x is not negative: the way leads past states that have died
  // out. At the end both are the same.
  bool per_head = false;
};

struct NewtonResult {
  bool converged = false, regular = false;
  double first = 0;     // length of the first full step, in units of the scale
  double distance = 0;  // from the start to the end, the same
  // The worst share of a step that the next one was: at a simple root it falls fast; at a double
  // one, where a mode neither grows nor decays, it is a half.
  double contraction = 0;
};

// From x, which is replaced.
NewtonResult newton(const SteadyProblem& problem, SteadyEquations& equations,
                    const MoietyRows& rows, const NewtonOptions& options, std::vector<double>& x);

// What comes and goes through each state there, per time: beside it a rate may be rounding.
std::vector<double> turnover(const Sparsity& pattern, const double* jacobian,
                             std::span<const double> x);
// Whether the rates are gone beside that. Where nothing depends on a state Newton's method has no
// step to take, whatever its rate is.
bool balanced(const SteadyProblem& problem, SteadyEquations& equations,
              std::span<const double> scale, std::vector<double>& x);

// The largest |a_i|/scale_i.
double scaled_size(std::span<const double> a, std::span<const double> scale);

}  // namespace stiffit::internal
