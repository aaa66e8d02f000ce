// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/automatic/automatic_choice.h"

#include <algorithm>
#include <cmath>

#include "base/thresholds.h"
#include "ode/lanes/fused_step.h"
#include "ode/methods/taylor/taylor_jet.h"
#include "ode/methods/taylor/taylor_order.h"

namespace stiffit::internal {
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
  const bool counted = fits_fused_step(p);
  c.f = counted ? operations(p.tapes->rhs) : 3 * entries;
  c.j = counted ? operations(p.tapes->jacobian) : 3 * entries;
  c.lu = problem.linear->flops();
  c.solve = 2.0 * static_cast<double>(problem.linear->fill());
  return c;
}

constexpr double around = thresholds::step_operations;

double dopri5_step(const Costs& c) { return around + 6 * c.f + 30 * c.n; }
double dop853_step(const Costs& c) { return around + 12 * c.f + 80 * c.n; }

// Coefficient k of a product or a function is a sum of k + 1 products; of what is linear it is one.
double taylor_step(const Program& p, double n, int order) {
  double sum = around + 6 * n * order;
  const std::vector<Instruction>& code = p.tapes->rhs.code;
  std::vector<bool> moves(code.size());
  for (std::size_t k = 0; k < code.size(); ++k) {
    const Instruction& i = code[k];
    auto moving = [&](auto operand) {
      return static_cast<std::size_t>(operand) < k && moves[operand];
    };
    double cost = order;
    switch (i.op) {
      case TapeOp::constant:
      case TapeOp::store:
        continue;
      case TapeOp::load:
        moves[k] = i.a != 2;  // the parameters
        continue;
      case TapeOp::add:
      case TapeOp::sub:
        moves[k] = moving(i.a) || moving(i.b);
        break;
      case TapeOp::neg:
        moves[k] = moving(i.a);
        break;
      case TapeOp::mul:
        moves[k] = moving(i.a) || moving(i.b);
        if (moving(i.a) && moving(i.b)) cost *= 0.5 * order;
        break;
      case TapeOp::fma:
      case TapeOp::fms:
      case TapeOp::fnma:
        moves[k] = moving(i.a) || moving(i.b) || moving(i.c);
        if (moving(i.a) && moving(i.b)) cost *= 0.5 * order;
        break;
      case TapeOp::div:
        moves[k] = moving(i.a) || moving(i.b);
        if (moving(i.b)) cost *= 0.5 * order;
        break;
      case TapeOp::apply:
        moves[k] = true;
        cost *= order;
        break;
    }
    if (moves[k]) sum += cost;
  }
  return sum;
}

// DOP853 takes so many steps for one of the series (benchmark/taylor: 1.3 to 1.5 at rtol 1e-8, 2 to
// 4 at 1e-10, 4 to 8 at 1e-12, less what automatic shortens those of the series by): its steps
// shrink with rtol^(1/8), those of the series do not.
double dop853_steps(double rtol) { return std::pow(1e-8 / rtol, 0.125); }

ExplicitMethod choose_explicit(const Problem& problem, const Costs& c,
                               const IntegrationOptions& options) {
  if (options.rtol >= thresholds::tight_rtol) return ExplicitMethod::dopri5;
  const Program& p = *problem.program;
  const bool short_enough = fits_fused_step(p) && options.rtol <= thresholds::series_rtol;
  if (short_enough && taylor_refusal(p).empty() &&
      taylor_step(p, c.n, taylor_order(options)) < dop853_steps(options.rtol) * dop853_step(c))
    return ExplicitMethod::taylor;
  return ExplicitMethod::dop853;
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
  choice.explicit_method = choose_explicit(problem, c, options);
  double explicit_cost = 0;
  switch (choice.explicit_method) {
    case ExplicitMethod::dopri5:
      choice.reach = 3.3;
      explicit_cost = dopri5_step(c);
      break;
    case ExplicitMethod::dop853:
      choice.reach = 6;
      explicit_cost = dop853_step(c);
      break;
    case ExplicitMethod::taylor: {
      const int order = taylor_order(options);
      choice.reach = 1.3 + 0.37 * order;  // of e^z cut off after that order, on the real axis
      explicit_cost = taylor_step(p, c.n, order);
      break;
    }
  }
  const double implicit_cost =
      choice.multistep ? bdf_step(c) / thresholds::bdf_steps : rosenbrock_step(c);
  choice.worth = std::max(1.0, implicit_cost / explicit_cost);
  choice.switches = true;
  return choice;
}

double rosenbrock_worth(const Problem& problem) {
  const Costs c = costs_of(problem);
  return rosenbrock_step(c) / dopri5_step(c);
}

namespace {

struct LaneCosts {
  explicit LaneCosts(const Problem& problem)
      : lu(problem.linear->flops()),
        solve(thresholds::lane_solve * static_cast<double>(problem.linear->fill())),
        f(thresholds::lane_f * problem.program->pattern.nonzeros()),
        j(thresholds::lane_j * problem.program->pattern.nonzeros()),
        around(thresholds::lane_state * problem.program->states) {}
  double lu, solve, f, j, around;
};

}  // namespace

double rosenbrock_cost(const Problem& problem, const Counters& counters) {
  const LaneCosts c(problem);
  return static_cast<double>(counters.lu) * (c.lu + 8 * c.solve + c.around) +
         static_cast<double>(counters.f) * c.f + static_cast<double>(counters.j) * c.j;
}

double bdf_cost(const Problem& problem, const Counters& counters) {
  const LaneCosts c(problem);
  return static_cast<double>(counters.lu) * thresholds::partial_refactorisation_ratio * c.lu +
         static_cast<double>(counters.newton) * thresholds::lane_divergence_factor *
             (c.solve + c.f) +
         static_cast<double>(counters.j) * problem.program->lanes * c.j +
         static_cast<double>(counters.steps + counters.rejected) * (c.f + c.around);
}

bool bdf_may_pay(const Problem& problem) {
  const LaneCosts c(problem);
  return problem.linear->kind() == LinearKind::table && c.lu > 8 * (c.f + c.solve);
}

}  // namespace stiffit::internal
