// The fixed-pivot elimination run from index tables, lanes side by side; the last pivots, whose
// block has filled up, are left to a dense LU with row pivoting, lane by lane.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/inner_threads.h"
#include "base/interrupt.h"
#include "base/thresholds.h"
#include "linear/dense_kernel.h"
#include "linear/fixed_pivots.h"
#include "linear/lu_tapes.h"
#include "linear/table_kernel.h"

namespace stiffit::internal {
namespace {

// Nanoseconds of a multiply-add per lane; what gave the shortest factorisations of networks of 100
// to 500 species, egfr_net and bcr.
double sparse_cost(int lanes) {
  return lanes == 1 ? thresholds::sparse_update_one_lane : thresholds::sparse_update_lanes;
}
constexpr double dense_cost = thresholds::dense_update;
constexpr int smallest_block = 16;

struct TableCode {
  LinearProblem problem;
  TableKernel kernel;
  EliminationTable table;  // points into what follows
  std::vector<int> row_start{0}, column, diagonal, twins, input_start;
  std::vector<EliminationTable::Input> input;
  PivotOrder order;
  Kernel factor, forward, backward;  // straight-line code; empty: the loops over the table serve
  long fill = 0;
  double flops = 0;
};

void fill_slots(const Elimination& e, int front, TableCode& code) {
  for (int i = 0; i < e.n; ++i) {
    check_interrupt();
    for (int s = e.row_start[i]; s < e.row_start[i + 1]; ++s) {
      if (s == e.diagonal[i]) code.diagonal.push_back(static_cast<int>(code.column.size()));
      if (i < front || e.column[s] < front) code.column.push_back(e.column[s]);
    }
    code.row_start.push_back(static_cast<int>(code.column.size()));
  }
  code.input_start = e.input_start;
  for (const Elimination::Input& input : e.input)
    code.input.push_back({e.column[input.slot], input.source, input.mass, input.reaches_pivot});
}

void count_twins(int front, TableCode& code) {
  code.twins.assign(front, 1);
  for (int k = front - 2; k >= 0; --k) {
    const auto start = code.column.begin();
    if (std::equal(start + code.diagonal[k] + 1, start + code.row_start[k + 1],
                   start + code.diagonal[k + 1], start + code.row_start[k + 2]))
      code.twins[k] = code.twins[k + 1] + 1;
  }
}

// Straight-line code for what is small enough, in the place of loops whose many short ends a CPU
// cannot foresee.
void generate(const Elimination& e, TableCode& code) {
  const LinearProblem& problem = code.problem;
  const int front = code.table.front;
  if (problem.isa == Isa::portable) return;
  // A solve touches every slot once: at 500 species and 6473 slots 2.4 against 6.3 us for one lane.
  // With more, its code would be fetched from far.
  if (static_cast<double>(code.column.size()) <= problem.thresholds.generated_slots) {
    code.forward = make_kernel(forward_tape(code.table), problem.lanes, problem.isa);
    code.backward = make_kernel(backward_tape(code.table), problem.lanes, problem.isa);
  }
  double updates = 0;
  for (int k = 0; k < front; ++k) updates += e.step_updates[k];
  // Likewise the elimination before the block, for one lane: 13 against 31 us at 500 species
  // (18,000 updates); making the code takes 5 ms.
  if (problem.lanes == 1 && updates <= problem.thresholds.generated_updates)
    code.factor = make_kernel(front_tape(e, front, dense_stride(e.n - front)), 1, problem.isa);
}

class TableSolver final : public FixedPivotSolver {
 public:
  explicit TableSolver(const std::shared_ptr<const TableCode>& code)
      : FixedPivotSolver({code, &code->problem}),
        code_(code.get()),
        block_(code->table.n - code->table.front),
        stride_(dense_stride(block_)),
        block_size_((std::size_t(block_) * stride_ + 7) / 8 * 8),
        lu_(code->column.size() * code->problem.lanes),
        work_(std::size_t(code->table.n) * code->problem.lanes),
        tail_(block_size_ * code->problem.lanes),
        x_(block_),
        pivot_(std::size_t(block_) * code->problem.lanes) {}

 private:
  unsigned eliminate_lanes(const double* d, const double* jacobian, unsigned chosen) override {
    const unsigned all = (1u << problem_->lanes) - 1;
    const bool some = block_ > 0 && (chosen & all) != all;
    if (some && tail_new_.size() == 0) tail_new_ = AlignedArray(tail_.size());
    double* tails = some ? tail_new_.data() : tail_.data();
    if (code_->factor) {
      double* const arrays[] = {const_cast<double*>(d), const_cast<double*>(jacobian), lu_.data(),
                                growth_.data(), tails};
      code_->factor(arrays);
    } else {
      code_->kernel.factor(code_->table, d, jacobian, lu_.data(), work_.data(), tails, block_size_,
                           stride_, growth_.data());
    }
    unsigned failed = 0;
    if (block_ > 0)
      for (int lane = 0; lane < problem_->lanes; ++lane) {
        if (!(chosen >> lane & 1)) continue;
        double* tail = tail_.data() + lane * block_size_;
        if (some) std::copy_n(tails + lane * block_size_, block_size_, tail);
        double finite = 0;
        for (std::size_t p = 0; p < block_size_; ++p) finite += tail[p] * 0.0;
        if (!(finite == 0) ||
            !factor_dense(tail, block_, &pivot_[lane * block_], nullptr, problem_->isa,
                          InnerThreads::count(), problem_->thresholds.dense_updates_for_threads))
          failed |= 1u << lane;
      }
    return failed;
  }

  void solve_lanes(double* b) override {
    const std::size_t lanes = problem_->lanes;
    double* const arrays[] = {lu_.data(), b, work_.data()};
    if (code_->forward)
      code_->forward(arrays);
    else
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
    if (code_->backward)
      code_->backward(arrays);
    else
      code_->kernel.backward(code_->table, lu_.data(), work_.data(), b);
  }

  const TableCode* code_;  // kept alive by the problem
  int block_, stride_;
  std::size_t block_size_;
  AlignedArray lu_, work_, tail_;
  AlignedArray tail_new_;  // of all lanes where only some are wanted
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
  long fill() const override { return code_->fill; }
  double flops() const override { return code_->flops; }
  std::size_t code_bytes() const override {
    return code_->factor.code_bytes() + code_->forward.code_bytes() + code_->backward.code_bytes();
  }

 private:
  std::shared_ptr<const TableCode> code_;
};

}  // namespace

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

std::shared_ptr<const LinearPlan> plan_table(LinearProblem problem, Elimination elimination) {
  auto code = std::make_shared<TableCode>();
  code->problem = std::move(problem);
  code->kernel = table_kernel(code->problem.lanes, code->problem.isa);
  code->fill = elimination.fill();
  code->flops = elimination.flops;
  const int front = choose_front(elimination, code->problem.lanes);
  fill_slots(elimination, front, *code);
  count_twins(front, *code);
  code->order = elimination.order;
  code->table = {.n = elimination.n,
                 .front = front,
                 .row_start = code->row_start.data(),
                 .column = code->column.data(),
                 .diagonal = code->diagonal.data(),
                 .twins = code->twins.data(),
                 .input_start = code->input_start.data(),
                 .input = code->input.data(),
                 .row = code->order.row.data(),
                 .pivot_column = code->order.column.data()};
  generate(elimination, *code);
  return std::make_shared<TablePlan>(std::move(code));
}

}  // namespace stiffit::internal
