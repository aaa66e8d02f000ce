// The fixed-pivot elimination run from index tables, lanes side by side; the last pivots, whose
// block has filled up, are left to a dense LU with row pivoting, lane by lane.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "linear/dense_kernel.h"
#include "linear/fixed_pivots.h"
#include "linear/table_kernel.h"

namespace stiffit {
namespace {

// Time of a multiply-add in the sparse loops, for one lane, and in the dense block.
// TODO measured
double sparse_cost(int lanes) { return lanes == 1 ? 0.8 : 0.4; }
constexpr double dense_cost = 0.12;
constexpr int smallest_block = 16;

// The number of pivots to take from the tables before the rest goes dense.
int choose_front(const Elimination& e, int lanes) {
  int best = e.n;
  double updates = 0;
  for (double step : e.step_updates) updates += step;
  double best_cost = updates * sparse_cost(lanes);
  for (int front = e.n - 1; front >= 0; --front) {
    updates -= e.step_updates[front];
    const double m = e.n - front;
    const double cost = updates * sparse_cost(lanes) + (m * m * m / 3 + 4 * m * m) * dense_cost;
    if (m >= smallest_block && cost < best_cost) {
      best = front;
      best_cost = cost;
    }
  }
  return best;
}

// For each pivot, how many rows of U from it on have the same pattern to the right of them all.
std::vector<int> count_twins(const Elimination& e, int front) {
  std::vector<int> twins(front, 1);
  for (int k = front - 2; k >= 0; --k) {
    const auto mine = e.column.begin() + e.diagonal[k] + 1,
               end = e.column.begin() + e.row_start[k + 1];
    const auto next = e.column.begin() + e.diagonal[k + 1];
    if (std::equal(mine, end, next, e.column.begin() + e.row_start[k + 2]))
      twins[k] = twins[k + 1] + 1;
  }
  return twins;
}

struct TableCode {
  LinearProblem problem;
  Elimination elimination;
  std::vector<int> twins, front_end;
  EliminationTable table;
  TableKernel kernel;
};

class TableSolver final : public FixedPivotSolver {
 public:
  explicit TableSolver(const std::shared_ptr<const TableCode>& code)
      : FixedPivotSolver({code, &code->problem}),
        code_(code.get()),
        block_(code->table.n - code->table.front),
        stride_(dense_stride(block_)),
        block_size_((std::size_t(block_) * stride_ + 7) / 8 * 8),
        lu_(std::size_t(code->table.row_start[code->table.n]) * code->problem.lanes),
        work_(std::size_t(code->table.n) * code->problem.lanes),
        tail_(block_size_ * code->problem.lanes),
        x_(block_),
        pivot_(std::size_t(block_) * code->problem.lanes) {}

 private:
  unsigned eliminate_lanes(const double* d, const double* jacobian) override {
    code_->kernel.factor(code_->table, d, jacobian, lu_.data(), work_.data(), tail_.data(),
                         block_size_, stride_, growth_.data());
    unsigned failed = 0;
    if (block_ > 0)
      for (int lane = 0; lane < problem_->lanes; ++lane) {
        double* tail = tail_.data() + lane * block_size_;
        double finite = 0;
        for (std::size_t p = 0; p < block_size_; ++p) finite += tail[p] * 0.0;
        if (!(finite == 0) ||
            !factor_dense(tail, block_, &pivot_[lane * block_], nullptr, problem_->isa))
          failed |= 1u << lane;
      }
    return failed;
  }

  void solve_lanes(double* b) override {
    const std::size_t lanes = problem_->lanes;
    code_->kernel.forward(code_->table, lu_.data(), b, work_.data());
    if (block_ > 0) {
      double* y = work_.data() + code_->table.front * lanes;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        for (int i = 0; i < block_; ++i) x_[i] = -y[i * lanes + lane];  // J - d M was factored
        solve_dense(tail_.data() + lane * block_size_, block_, &pivot_[lane * block_], x_.data(),
                    problem_->isa);
        for (int i = 0; i < block_; ++i) y[i * lanes + lane] = x_[i];
      }
    }
    code_->kernel.backward(code_->table, lu_.data(), work_.data(), b);
  }

  const TableCode* code_;  // kept alive by the problem
  int block_, stride_;
  std::size_t block_size_;
  AlignedArray lu_, work_, tail_;
  std::vector<double> x_;
  std::vector<int> pivot_;
};

class TablePlan final : public LinearPlan {
 public:
  explicit TablePlan(std::shared_ptr<const TableCode> code) : code_(std::move(code)) {}
  std::unique_ptr<LinearSolver> make_solver() const override {
    return std::make_unique<TableSolver>(code_);
  }
  LinearKind kind() const override { return LinearKind::table; }
  long fill() const override { return code_->elimination.fill(); }
  double flops() const override { return code_->elimination.flops; }
  std::size_t code_bytes() const override { return 0; }

 private:
  std::shared_ptr<const TableCode> code_;
};

}  // namespace

std::shared_ptr<const LinearPlan> plan_table(LinearProblem problem, Elimination elimination) {
  auto code = std::make_shared<TableCode>();
  code->problem = std::move(problem);
  code->elimination = std::move(elimination);
  const Elimination& e = code->elimination;
  const int front = choose_front(e, code->problem.lanes);
  code->twins = count_twins(e, front);
  for (int i = front; i < e.n; ++i) {
    const auto first = e.column.begin() + e.row_start[i], last = e.column.begin() + e.diagonal[i];
    code->front_end.push_back(
        static_cast<int>(std::lower_bound(first, last, front) - e.column.begin()));
  }
  code->table = {e.n,
                 front,
                 e.row_start.data(),
                 e.column.data(),
                 e.diagonal.data(),
                 e.input_start.data(),
                 e.input.data(),
                 code->twins.data(),
                 code->front_end.data(),
                 e.order.row.data(),
                 e.order.column.data()};
  code->kernel = table_kernel(code->problem.lanes, code->problem.isa);
  return std::make_shared<TablePlan>(std::move(code));
}

}  // namespace stiffit
