// What the default method makes of a problem before its first step: which methods take part, by
// counts of operations and by tolerance, so that it is the same on every run and machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/simulate.h"

namespace stiffit::internal {

enum class ExplicitMethod { dopri5, dop853, taylor };

struct AutomaticChoice {
  bool switches = false;   // between explicit and implicit, else implicit throughout
  bool multistep = false;  // the implicit one is the BDF, else Rodas5P
  ExplicitMethod explicit_method = ExplicitMethod::dopri5;
  double reach = 0;  // h * |lambda| up to which the explicit one is stable
  double worth = 0;  // explicit steps that cost as much as an implicit one
};

AutomaticChoice choose(const Problem& problem, const IntegrationOptions& options);

// Steps of DOPRI5 that cost as much as one of Rodas5P.
double rosenbrock_worth(const Problem& problem);
// What a trajectory has cost in lanes, from its counts: lanes go along with each other's
// iterations, and a factorisation of the BDF is one lane's alone. In flops of an LU of all lanes.
double rosenbrock_cost(const Problem& problem, const Counters& counters);
double bdf_cost(const Problem& problem, const Counters& counters);
// Whether the BDF may be the cheaper one in lanes: most of a Rosenbrock step is its LU.
bool bdf_may_pay(const Problem& problem);
// Explicit pairs leave more error in a result than the Rosenbrock method at the same tolerance.
inline constexpr double explicit_strictness = 2;

}  // namespace stiffit::internal
