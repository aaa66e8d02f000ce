// How each kind of solver is made from the analysed matrix; see linear_solver.h for what they do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linear/elimination.h"
#include "linear/linear_solver.h"

namespace stiffit::internal {

// What a plan of any kind keeps.
struct LinearProblem {
  SystemMatrix matrix;
  int lanes = 1;
  Isa isa = Isa::portable;
  Thresholds thresholds;
};

// The number of pivots to take from tables before the rest is full enough to go dense.
int choose_front(const Elimination& elimination, int lanes);

std::shared_ptr<const LinearPlan> plan_generated(LinearProblem problem, Elimination elimination);
std::shared_ptr<const LinearPlan> plan_table(LinearProblem problem, Elimination elimination);
std::shared_ptr<const LinearPlan> plan_level_schedule(LinearProblem problem,
                                                      Elimination elimination);
std::shared_ptr<const LinearPlan> plan_dense(LinearProblem problem);
std::shared_ptr<const LinearPlan> plan_klu(LinearProblem problem);

}  // namespace stiffit::internal
