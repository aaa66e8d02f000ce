// SPDX-License-Identifier: Apache-2.0
#include "linear/scalar_lanes.h"

#include "linear/aligned_array.h"

namespace stiffit::internal {
namespace {

class ScalarLanes final : public LaneSolver {
 public:
  ScalarLanes(std::shared_ptr<const LinearPlan> plan, const Sparsity& pattern, int lanes)
      : plan_(std::move(plan)), jacobian_(pattern.nonzeros()), b_(pattern.n) {
    for (int lane = 0; lane < lanes; ++lane) solvers_.push_back(plan_->make_solver());
  }

  unsigned factor_lanes(const double* d, const double* jacobian, unsigned lanes) override {
    const std::size_t width = solvers_.size();
    unsigned failed = 0;
    for (std::size_t lane = 0; lane < width; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      for (std::size_t p = 0; p < jacobian_.size(); ++p) jacobian_[p] = jacobian[p * width + lane];
      if (solvers_[lane]->factor(d + lane, jacobian_.data())) failed |= 1u << lane;
    }
    factored_ = (factored_ | lanes) & ~failed;
    return failed;
  }

  void solve(double* b) override {
    const std::size_t width = solvers_.size();
    for (std::size_t lane = 0; lane < width; ++lane) {
      if (!(factored_ >> lane & 1)) continue;
      for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = b[i * width + lane];
      solvers_[lane]->solve(b_.data());
      for (std::size_t i = 0; i < b_.size(); ++i) b[i * width + lane] = b_[i];
    }
  }

 private:
  std::shared_ptr<const LinearPlan> plan_;
  std::vector<std::unique_ptr<LinearSolver>> solvers_;
  AlignedArray jacobian_, b_;  // of one lane
  unsigned factored_ = 0;
};

}  // namespace

std::unique_ptr<LaneSolver> make_scalar_lanes(std::shared_ptr<const LinearPlan> plan,
                                              const Sparsity& pattern, int lanes) {
  return std::make_unique<ScalarLanes>(std::move(plan), pattern, lanes);
}

}  // namespace stiffit::internal
