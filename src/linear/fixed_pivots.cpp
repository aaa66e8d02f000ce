// SPDX-License-Identifier: Apache-2.0
#include "linear/fixed_pivots.h"

#include <algorithm>

namespace stiffit::internal {

FixedPivotSolver::FixedPivotSolver(std::shared_ptr<const LinearProblem> problem)
    : problem_(std::move(problem)),
      growth_(std::size_t(PivotRatios::count) * problem_->lanes),
      pivoting_(problem_->lanes) {
  const std::vector<double>& mass = problem_->matrix.mass;
  const auto shifted = std::count_if(mass.begin(), mass.end(), [](double m) { return m != 0; });
  const double largest =
      shifted == problem_->matrix.pattern.n ? PivotRatios::largest : PivotRatios::largest_algebraic;
  limit_ = largest * largest;
}

unsigned FixedPivotSolver::factor_lanes(const double* d, const double* jacobian, unsigned chosen) {
  const int lanes = problem_->lanes;
  unsigned lost = eliminate_lanes(d, jacobian, chosen);
  for (int lane = 0; lane < lanes; ++lane) {
    const bool good = growth_[PivotRatios::sum * lanes + lane] < limit_ &&
                      growth_[PivotRatios::minimum * lanes + lane] > 1 / limit_;
    if (!good) lost |= 1u << lane;
  }
  lost &= chosen;
  pivoted_ &= ~chosen;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(lost >> lane & 1)) continue;
    values_.resize(problem_->matrix.source.size());
    gather_lane(problem_->matrix, d[lane], jacobian, lanes, lane, values_.data());
    if (pivoting(lane).factor(values_.data())) pivoted_ |= 1u << lane;
  }
  return lost & ~pivoted_;
}

void FixedPivotSolver::solve(double* b) {
  if (pivoted_ == 0) return solve_lanes(b);
  const std::size_t n = problem_->matrix.pattern.n, lanes = problem_->lanes;
  kept_.resize(n * lanes);  // [lane][n]
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (!(pivoted_ >> lane & 1)) continue;
    for (std::size_t i = 0; i < n; ++i) kept_[lane * n + i] = b[i * lanes + lane];
    pivoting_[lane]->solve(&kept_[lane * n]);
  }
  solve_lanes(b);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (!(pivoted_ >> lane & 1)) continue;
    for (std::size_t i = 0; i < n; ++i) b[i * lanes + lane] = kept_[lane * n + i];
  }
}

PivotingLu& FixedPivotSolver::pivoting(int lane) {
  if (!pivoting_[lane]) {
    const Sparsity& pattern = problem_->matrix.pattern;
    if (pattern.n <= largest_plain_dense) {
      pivoting_[lane] = make_dense_lu(pattern, problem_->isa);
    } else {
      if (!analysis_) analysis_ = analyse_klu(pattern);
      pivoting_[lane] = make_klu_lu(analysis_);
    }
  }
  return *pivoting_[lane];
}

}  // namespace stiffit::internal
