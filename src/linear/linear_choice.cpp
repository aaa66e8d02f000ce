// Which kind serves a matrix best.
// SPDX-License-Identifier: Apache-2.0
#include "linear/plans.h"

namespace stiffit {
namespace {

constexpr double largest_generated_flops = 50000;

LinearKind choose(const Elimination& elimination) {
  return elimination.flops <= largest_generated_flops ? LinearKind::generated : LinearKind::table;
}

}  // namespace

std::shared_ptr<const LinearPlan> plan_linear(const Sparsity& pattern,
                                              const LinearOptions& options) {
  LinearProblem problem{system_matrix(pattern, options.mass), options.lanes, options.isa};
  LinearKind kind = options.kind;
  if (kind == LinearKind::dense) return plan_dense(std::move(problem));
  if (kind == LinearKind::klu || pattern.n > largest_elimination)
    return plan_klu(std::move(problem));
  Elimination elimination = best_elimination(problem.matrix);
  if (kind == LinearKind::automatic) kind = choose(elimination);
  return kind == LinearKind::generated ? plan_generated(std::move(problem), std::move(elimination))
                                       : plan_table(std::move(problem), std::move(elimination));
}

}  // namespace stiffit
