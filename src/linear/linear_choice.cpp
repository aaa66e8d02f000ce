// Which kind serves a matrix best.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/thresholds.h"
#include "linear/level_schedule.h"
#include "linear/plans.h"

namespace stiffit::internal {
namespace {

// Code or tables. An update is about 12 bytes of code, so 60,000 flops are some 350 KB. Measured on
// a Zen 3, random networks, microseconds of a factorisation per lane, generated against table:
//   species   flops     1 lane        4 lanes       8 lanes (as two fours)
//        40   1,300     0.2    1.8    0.05   0.25   0.05   0.3
//       100   7,500     1.3    5      0.33   1.5    0.53   1.2
//       200   47,000    7.5    17     2.2    6      4.7    5
//       500   500,000   83     80     36     43     58     43
// Making the code takes 1, 3, 9 and 80 ms, of the tables 0.1, 0.4, 0.8 and 4 ms. KLU takes 4 times
// the table's time for egfr_net and 14 times for bcr; dense with pivoting is what the table does
// when everything fills up. So both are left to be asked for, and KLU to what would not fit into
// memory with every entry that could ever be there.
LinearKind choose(const LinearProblem& problem, const Elimination& elimination) {
  // Interpreted tapes are slower than tables from 3 species on.
  if (problem.isa == Isa::portable) return LinearKind::table;
  for (const auto& [lanes, flops] : thresholds::generated_flops)
    if (lanes == problem.lanes && elimination.flops <= flops) return LinearKind::generated;
  const bool short_enough =
      problem.lanes == 1 && mean_row(elimination, choose_front(elimination, 1)) <=
                                problem.thresholds.level_scheduled_updates;
  return short_enough ? LinearKind::level_scheduled : LinearKind::table;
}

// Fixed pivots keep every entry that could ever be there, with its index.
constexpr double most_fill = 2e8;  // 2.4 GB
bool too_full(const Sparsity& pattern) {
  return pattern.n > std::sqrt(most_fill) &&
         minimum_degree_fill(pattern, match_rows(pattern)) > most_fill;
}

}  // namespace

std::shared_ptr<const LinearPlan> plan_linear(const Sparsity& pattern,
                                              const LinearOptions& options) {
  LinearProblem problem{system_matrix(pattern, options.mass), options.lanes, options.isa,
                        options.thresholds};
  LinearKind kind = options.kind;
  if (kind == LinearKind::dense) return plan_dense(std::move(problem));
  if (kind == LinearKind::klu || too_full(problem.matrix.pattern))
    return plan_klu(std::move(problem));
  Elimination elimination = best_elimination(problem.matrix, problem.thresholds);
  if (kind == LinearKind::automatic) kind = choose(problem, elimination);
  if (kind == LinearKind::generated)
    return plan_generated(std::move(problem), std::move(elimination));
  if (kind == LinearKind::level_scheduled && options.lanes == 1)
    return plan_level_schedule(std::move(problem), std::move(elimination));
  return plan_table(std::move(problem), std::move(elimination));
}

}  // namespace stiffit::internal
