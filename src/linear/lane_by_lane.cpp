// The dense and the KLU kinds: each lane is taken out, factored and solved with pivoting by itself.
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "linear/lane_solver.h"
#include "linear/pivoting_lu.h"
#include "linear/plans.h"

namespace stiffit::internal {
namespace {

using MakeLu = std::function<std::unique_ptr<PivotingLu>()>;

class LaneByLaneSolver final : public LaneSolver {
 public:
  LaneByLaneSolver(const LinearProblem& problem, const MakeLu& make_lu)
      : problem_(problem), values_(problem.matrix.source.size()), b_(problem.matrix.pattern.n) {
    for (int lane = 0; lane < problem.lanes; ++lane) lu_.push_back(make_lu());
  }

  unsigned factor_lanes(const double* d, const double* jacobian, unsigned lanes) override {
    failed_ &= ~lanes;
    for (int lane = 0; lane < problem_.lanes; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      gather_lane(problem_.matrix, d[lane], jacobian, problem_.lanes, lane, values_.data());
      if (!lu_[lane]->factor(values_.data())) failed_ |= 1u << lane;
    }
    return failed_ & lanes;
  }

  void solve(double* b) override {
    const std::size_t lanes = problem_.lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (failed_ >> lane & 1) continue;
      for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = b[i * lanes + lane];
      lu_[lane]->solve(b_.data());
      for (std::size_t i = 0; i < b_.size(); ++i) b[i * lanes + lane] = b_[i];
    }
  }

 private:
  LinearProblem problem_;
  std::vector<std::unique_ptr<PivotingLu>> lu_;
  std::vector<double> values_, b_;
  unsigned failed_ = ~0u;  // or not factored yet
};

class LaneByLanePlan final : public LinearPlan {
 public:
  LaneByLanePlan(LinearProblem problem, LinearKind kind, long fill, double flops, MakeLu make_lu)
      : problem_(std::move(problem)),
        kind_(kind),
        fill_(fill),
        flops_(flops),
        make_lu_(std::move(make_lu)) {}
  std::unique_ptr<LinearSolver> make_solver() const override {
    return std::make_unique<LaneByLaneSolver>(problem_, make_lu_);
  }
  LinearKind kind() const override { return kind_; }
  long fill() const override { return fill_; }
  double flops() const override { return flops_; }
  std::size_t code_bytes() const override { return 0; }

 private:
  LinearProblem problem_;
  LinearKind kind_;
  long fill_;
  double flops_;
  MakeLu make_lu_;
};

}  // namespace

std::unique_ptr<LaneSolver> make_lane_solver(const LinearPlan& plan) {
  auto solver = plan.make_solver();
  return std::unique_ptr<LaneSolver>(static_cast<LaneSolver*>(solver.release()));
}

std::shared_ptr<const LinearPlan> plan_dense(LinearProblem problem) {
  const double n = problem.matrix.pattern.n;
  auto make_lu = [pattern = problem.matrix.pattern, isa = problem.isa] {
    return make_dense_lu(pattern, isa);
  };
  return std::make_shared<LaneByLanePlan>(std::move(problem), LinearKind::dense,
                                          static_cast<long>(n * n), 2 * n * n * n / 3, make_lu);
}

std::shared_ptr<const LinearPlan> plan_klu(LinearProblem problem) {
  const auto analysis = analyse_klu(problem.matrix.pattern);
  return std::make_shared<LaneByLanePlan>(std::move(problem), LinearKind::klu,
                                          fill_of(analysis.get()), flops_of(analysis.get()),
                                          [analysis] { return make_klu_lu(analysis); });
}

}  // namespace stiffit::internal
