// SPDX-License-Identifier: Apache-2.0
#include "integrate/automatic_choice.h"

#include <algorithm>
#include <cmath>

#include "base/thresholds.h"

namespace stiffit {
namespace {

// Operations of the pieces that steps are made of.
struct Costs {
  double n, f, j, lu, solve;
};

double operations(const Tape& tape) {
  double sum = 0;
  for (const Instruction& i : tape.code)
    sum += i.op == TapeOp::apply ? 25 : i.op == TapeOp::div ? 5 : 1;
  return sum;
}

Costs costs_of(const Problem& problem) {
  const Program& p = *problem.program;
  Costs c{};
  c.n = p.states;
  const double entries = p.pattern.nonzeros();
  c.f = p.tapes ? operations(p.tapes->rhs) : 3 * entries;
  c.j = p.tapes ? operations(p.tapes->jacobian) : 3 * entries;
  c.lu = problem.linear->flops();
  c.solve = 2.0 * static_cast<double>(problem.linear->fill());
  return c;
}

constexpr double around = 150;  // what any step costs besides

double explicit_step(const Costs& c, bool high_order) {
  return around + (high_order ? 12 * c.f + 80 * c.n : 6 * c.f + 30 * c.n);
}

double rosenbrock_step(const Costs& c) {
  return around + 8 * c.f + c.j + c.lu + 8 * c.solve + 50 * c.n;
}

// The BDF takes that many more steps for the same error, and does more around each.
double bdf_step(const Costs& c) {
  return thresholds::bdf_steps *
         (1.3 * c.f + 1.3 * c.solve + 0.05 * c.j + 0.1 * c.lu + 20 * c.n + 2 * around);
}

}  // namespace

AutomaticChoice choose(const Problem& problem, const IntegrationOptions& options) {
  const Program& p = *problem.program;
  AutomaticChoice choice;
  const bool algebraic = !p.mass.empty() || (p.hybrid && !p.hybrid->fast.states.empty());
  if (p.lanes != 1 || p.inputs > 0 || algebraic || options.fixed_step > 0 || p.states == 0)
    return choice;
  const Costs c = costs_of(problem);
  // After an event the BDF begins at order one.
  choice.multistep = !p.hybrid && bdf_step(c) < rosenbrock_step(c);
  constexpr double tight = 1e-8;
  choice.high_order = options.rtol < tight;
  choice.reach = choice.high_order ? 6 : 3.3;
  const double implicit_cost =
      choice.multistep ? bdf_step(c) / thresholds::bdf_steps : rosenbrock_step(c);
  choice.worth = std::max(1.0, implicit_cost / explicit_step(c, choice.high_order));
  choice.switches = true;
  return choice;
}

double rosenbrock_worth(const Problem& problem) {
  const Costs c = costs_of(problem);
  return rosenbrock_step(c) / explicit_step(c, false);
}

}  // namespace stiffit
