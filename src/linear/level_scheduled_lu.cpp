// The elimination from tables sorted by the lengths of rows, for one lane.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/inner_threads.h"
#include "base/thread_pool.h"
#include "linear/dense_kernel.h"
#include "linear/fixed_pivots.h"
#include "linear/level_schedule.h"

namespace stiffit::internal {
namespace {

struct LevelScheduledCode {
  LinearProblem problem;
  LevelSchedule rows;
  LevelScheduledKernel kernel;
  long fill = 0;
  double flops = 0;
};

class LevelScheduledSolver final : public FixedPivotSolver {
 public:
  explicit LevelScheduledSolver(const std::shared_ptr<const LevelScheduledCode>& code)
      : FixedPivotSolver({code, &code->problem}),
        rows_(code->rows),
        kernel_(code->kernel),
        block_(rows_.n - rows_.front),
        numbers_(std::size_t(rows_.size)),
        work_(std::size_t(rows_.n)),
        x_(std::size_t(block_)),
        block_growth_(2 * rows_.blocks.size()),
        pivot_(std::size_t(block_)),
        no_jacobian_(std::all_of(code->problem.matrix.source.begin(),
                                 code->problem.matrix.source.end(),
                                 [](int source) { return source < 0; })) {}

 private:
  unsigned eliminate_lanes(const double* d, const double* jacobian, unsigned) override {
    static constexpr double nothing = 0;
    if (no_jacobian_) jacobian = &nothing;  // there is not even a first entry to read
    double *numbers = numbers_.data(), *originals = work_.data();
    double unseen = 0;
    for (int source : rows_.unseen) unseen += jacobian[source] * 0.0;
    // A block's numbers are eliminated while they are in the cache.
    share_out([&](int part, int parts) {
      each_block(part, parts, [&](int k) {
        kernel_.begin(rows_, *d, jacobian, rows_.lower(k), numbers);
        kernel_.begin(rows_, *d, jacobian, rows_.upper(k), numbers);
        kernel_.note_originals(rows_, rows_.blocks[k].place, rows_.blocks[k + 1].place, numbers,
                               originals);
        kernel_.eliminate(rows_, k, numbers, originals, growth_of(k));
      });
    });
    share_out([&](int part, int parts) { begin_last(*d, jacobian, part, parts); });
    kernel_.begin_dense(rows_, *d, jacobian, numbers);
    const int last = rows_.own_blocks();
    kernel_.note_originals(rows_, rows_.blocks[last].place, rows_.n, numbers, originals);
    kernel_.add_late(rows_, numbers);
    kernel_.eliminate(rows_, last, numbers, originals, growth_of(last));
    growth_[PivotRatios::sum] = unseen;
    growth_[PivotRatios::minimum] = kernel_.dense_minimum(rows_, numbers, originals);
    for (int k = 0; k <= last; ++k) {
      growth_[PivotRatios::sum] += growth_of(k)[PivotRatios::sum];
      growth_[PivotRatios::minimum] =
          std::min(growth_[PivotRatios::minimum], growth_of(k)[PivotRatios::minimum]);
    }
    return block_ == 0 || factor_block() ? 0 : 1;
  }

  // A part of the last block's numbers.
  void begin_last(double d, const double* jacobian, int part, int parts) {
    const int last = rows_.own_blocks();
    for (const LevelSchedule::Range& all : {rows_.lower(last), rows_.upper(last)}) {
      auto cut = [&](long at) {
        return all.from + static_cast<int>((all.to - all.from) * at / parts);
      };
      kernel_.begin(rows_, d, jacobian, {cut(part), cut(part + 1)}, numbers_.data());
    }
  }

  bool factor_block() {
    double* block = numbers_.data() + rows_.block_begin;
    double finite = 0;
    for (int p = 0; p < block_ * rows_.block_stride; ++p) finite += block[p] * 0.0;
    return finite == 0 &&
           factor_dense(block, block_, pivot_.data(), nullptr, problem_->isa, InnerThreads::count(),
                        problem_->thresholds.dense_updates_for_threads);
  }

  void solve_lanes(double* b) override {
    const double* numbers = numbers_.data();
    double* y = work_.data();
    const int last = rows_.own_blocks();
    share_out([&](int part, int parts) {
      each_block(part, parts, [&](int k) { kernel_.forward(rows_, k, numbers, b, y); });
    });
    kernel_.forward(rows_, last, numbers, b, y);
    if (block_ > 0) {
      double* dense = y + rows_.front;
      for (int i = 0; i < block_; ++i) x_[i] = -dense[i];  // J - d M was factored
      solve_dense(numbers + rows_.block_begin, block_, pivot_.data(), x_.data(), problem_->isa);
      for (int i = 0; i < block_; ++i) dense[i] = b[rows_.column[rows_.front + i]] = x_[i];
    }
    kernel_.backward(rows_, last, numbers, y, b);
    share_out([&](int part, int parts) {
      each_block(part, parts, [&](int k) { kernel_.backward(rows_, k, numbers, y, b); });
    });
  }

  // work(part, parts) of every part.
  template <class Work>
  void share_out(const Work& work) {
    const int threads = InnerThreads::count();
    if (threads == 1 ||
        static_cast<double>(rows_.at.size()) < problem_->thresholds.entries_for_threads)
      return work(0, 1);
    ThreadPool& pool = ThreadPool::of(threads);
    pool.run([&](int part) { work(part, pool.parts()); });
  }

  // Every block but the last that belongs to this part: about as many pivots and entries in each.
  // A block has a pivot at least, so its middle is below the end of all.
  template <class Work>
  void each_block(int part, int parts, const Work& work) {
    auto before = [&](int k) {
      return long{rows_.blocks[k].place} + rows_.blocks[k].forward_entry;
    };
    for (int k = 0; k < rows_.own_blocks(); ++k)
      if ((before(k) + before(k + 1)) / 2 * parts / before(rows_.own_blocks()) == part) work(k);
  }

  double* growth_of(int block) { return block_growth_.data() + 2 * block; }

  const LevelSchedule& rows_;  // kept alive by the problem
  const LevelScheduledKernel kernel_;
  int block_;
  AlignedArray numbers_, work_;
  std::vector<double> x_, block_growth_;
  std::vector<int> pivot_;
  const bool no_jacobian_;
};

class LevelScheduledPlan final : public LinearPlan {
 public:
  explicit LevelScheduledPlan(std::shared_ptr<const LevelScheduledCode> code)
      : code_(std::move(code)) {}
  std::unique_ptr<LinearSolver> make_solver() const override {
    return std::make_unique<LevelScheduledSolver>(code_);
  }
  LinearKind kind() const override { return LinearKind::level_scheduled; }
  long fill() const override { return code_->fill; }
  double flops() const override { return code_->flops; }
  std::size_t code_bytes() const override { return 0; }

 private:
  std::shared_ptr<const LevelScheduledCode> code_;
};

}  // namespace

std::shared_ptr<const LinearPlan> plan_level_schedule(LinearProblem problem,
                                                      Elimination elimination) {
  auto code = std::make_shared<LevelScheduledCode>();
  code->problem = std::move(problem);
  code->kernel = level_scheduled_kernel(code->problem.isa);
  code->fill = elimination.fill();
  code->flops = elimination.flops;
  code->rows = level_scheduled(elimination, choose_front(elimination, 1),
                               code->problem.thresholds.level_schedule_block);
  return std::make_shared<LevelScheduledPlan>(std::move(code));
}

}  // namespace stiffit::internal
