// The fixed-pivot elimination as machine code (or interpreted, where there is none).
// SPDX-License-Identifier: Apache-2.0
#include "linear/fixed_pivots.h"
#include "linear/lu_tapes.h"

namespace stiffit::internal {
namespace {

struct GeneratedCode {
  LinearProblem problem;
  Kernel factor, solve;
  int n = 0;
  long fill = 0;
  double flops = 0;
};

class GeneratedSolver final : public FixedPivotSolver {
 public:
  explicit GeneratedSolver(const std::shared_ptr<const GeneratedCode>& code)
      : FixedPivotSolver({code, &code->problem}),
        code_(code.get()),
        lu_(std::size_t(code->fill) * code->problem.lanes),
        scratch_(std::size_t(code->n) * code->problem.lanes),
        d_(code->problem.lanes) {}

 private:
  unsigned eliminate_lanes(const double* d, const double* jacobian, unsigned) override {
    std::copy_n(d, d_.size(), d_.data());  // the caller's need not be aligned
    double* const arrays[] = {d_.data(), const_cast<double*>(jacobian), lu_.data(), growth_.data()};
    code_->factor(arrays);
    return 0;
  }
  void solve_lanes(double* b) override {
    double* const arrays[] = {lu_.data(), b, scratch_.data()};
    code_->solve(arrays);
  }

  const GeneratedCode* code_;  // kept alive by the problem
  AlignedArray lu_, scratch_, d_;
};

class GeneratedPlan final : public LinearPlan {
 public:
  explicit GeneratedPlan(std::shared_ptr<const GeneratedCode> code) : code_(std::move(code)) {}
  std::unique_ptr<LinearSolver> make_solver() const override {
    return std::make_unique<GeneratedSolver>(code_);
  }
  LinearKind kind() const override { return LinearKind::generated; }
  long fill() const override { return code_->fill; }
  double flops() const override { return code_->flops; }
  std::size_t code_bytes() const override {
    return code_->factor.code_bytes() + code_->solve.code_bytes();
  }

 private:
  std::shared_ptr<const GeneratedCode> code_;
};

}  // namespace

std::shared_ptr<const LinearPlan> plan_generated(LinearProblem problem, Elimination elimination) {
  auto code = std::make_shared<GeneratedCode>();
  code->factor = make_kernel(factor_tape(elimination), problem.lanes, problem.isa);
  code->solve = make_kernel(solve_tape(elimination), problem.lanes, problem.isa);
  code->problem = std::move(problem);
  code->n = elimination.n;
  code->fill = elimination.fill();
  code->flops = elimination.flops;
  return std::make_shared<GeneratedPlan>(std::move(code));
}

}  // namespace stiffit::internal
