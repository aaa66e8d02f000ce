// What the kinds with fixed pivots share: judging the pivots of each lane, and sending the lanes
// that lost too many digits to a pivoting factorisation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linear/aligned_array.h"
#include "linear/lane_solver.h"
#include "linear/pivoting_lu.h"
#include "linear/plans.h"

namespace stiffit::internal {

// A pivot u_ii made by the elimination from the diagonal w_ii of the matrix: w_ii / u_ii far above
// one means cancellation, far below one that an earlier pivot was too small. The ratio does not
// depend on how rows and columns are scaled, as species are. An elimination hands over, for each
// lane, the sum and the minimum of its squares; the sum also carries every NaN.
struct PivotRatios {
  // Where d stands in every row, cancellation mostly comes from fast reactions near equilibrium,
  // and pivoting would suffer it too. Algebraic rows have pivots chosen by structure alone.
  static constexpr double largest = 1e10, largest_algebraic = 1e6;
  static constexpr int sum = 0, minimum = 1, count = 2;  // elements of the growth array
};

class FixedPivotSolver : public LaneSolver {
 public:
  unsigned factor_lanes(const double* d, const double* jacobian, unsigned lanes) final;
  void solve(double* b) final;

 protected:
  explicit FixedPivotSolver(std::shared_ptr<const LinearProblem> problem);
  // Factors these lanes into the solver's memory and computes the others along, fills growth_ and
  // returns the lanes that failed outright.
  virtual unsigned eliminate_lanes(const double* d, const double* jacobian, unsigned lanes) = 0;
  virtual void solve_lanes(double* b) = 0;

  const std::shared_ptr<const LinearProblem> problem_;
  AlignedArray growth_;

 private:
  PivotingLu& pivoting(int lane);

  double limit_;          // of the squares of the ratios
  unsigned pivoted_ = 0;  // lanes that `pivoting_` answers for
  std::vector<std::unique_ptr<PivotingLu>> pivoting_;
  std::shared_ptr<const KluAnalysis> analysis_;
  std::vector<double> values_, kept_;
};

}  // namespace stiffit::internal
