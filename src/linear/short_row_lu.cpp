// The elimination from tables sorted by the lengths of rows, for one lane.
// SPDX-License-Identifier: Apache-2.0
#include "base/inner_threads.h"
#include "linear/dense_kernel.h"
#include "linear/fixed_pivots.h"
#include "linear/short_rows.h"

namespace stiffit {
namespace {

struct ShortRowCode {
  LinearProblem problem;
  ShortRows rows;
  ShortRowKernel kernel;
  long fill = 0;
  double flops = 0;
};

class ShortRowSolver final : public FixedPivotSolver {
 public:
  explicit ShortRowSolver(const std::shared_ptr<const ShortRowCode>& code)
      : FixedPivotSolver({code, &code->problem}),
        rows_(code->rows),
        kernel_(code->kernel),
        block_(rows_.n - rows_.front),
        numbers_(std::size_t(rows_.size)),
        work_(std::size_t(rows_.n)),
        x_(std::size_t(block_)),
        pivot_(std::size_t(block_)) {}

 private:
  unsigned eliminate_lanes(const double* d, const double* jacobian, unsigned) override {
    kernel_.factor(rows_, *d, jacobian, numbers_.data(), work_.data(), growth_.data());
    if (block_ == 0) return 0;
    double* block = numbers_.data() + rows_.block_begin;
    double finite = 0;
    for (int p = 0; p < block_ * rows_.block_stride; ++p) finite += block[p] * 0.0;
    const bool good = finite == 0 && factor_dense(block, block_, pivot_.data(), nullptr,
                                                  problem_->isa, InnerThreads::count());
    return good ? 0 : 1;
  }

  void solve_lanes(double* b) override {
    double* y = work_.data();
    kernel_.forward(rows_, numbers_.data(), b, y);
    if (block_ > 0) {
      y += rows_.front;
      for (int i = 0; i < block_; ++i) x_[i] = -y[i];  // J - d M was factored
      solve_dense(numbers_.data() + rows_.block_begin, block_, pivot_.data(), x_.data(),
                  problem_->isa);
      for (int i = 0; i < block_; ++i) y[i] = x_[i];
    }
    kernel_.backward(rows_, numbers_.data(), work_.data(), b);
  }

  const ShortRows& rows_;  // kept alive by the problem
  const ShortRowKernel kernel_;
  int block_;
  AlignedArray numbers_, work_;
  std::vector<double> x_;
  std::vector<int> pivot_;
};

class ShortRowPlan final : public LinearPlan {
 public:
  explicit ShortRowPlan(std::shared_ptr<const ShortRowCode> code) : code_(std::move(code)) {}
  std::unique_ptr<LinearSolver> make_solver() const override {
    return std::make_unique<ShortRowSolver>(code_);
  }
  LinearKind kind() const override { return LinearKind::short_rows; }
  long fill() const override { return code_->fill; }
  double flops() const override { return code_->flops; }
  std::size_t code_bytes() const override { return 0; }

 private:
  std::shared_ptr<const ShortRowCode> code_;
};

}  // namespace

std::shared_ptr<const LinearPlan> plan_short_rows(LinearProblem problem, Elimination elimination) {
  auto code = std::make_shared<ShortRowCode>();
  code->problem = std::move(problem);
  code->kernel = short_row_kernel(code->problem.isa);
  code->fill = elimination.fill();
  code->flops = elimination.flops;
  code->rows = short_rows(elimination, choose_front(elimination, 1));
  return std::make_shared<ShortRowPlan>(std::move(code));
}

}  // namespace stiffit
