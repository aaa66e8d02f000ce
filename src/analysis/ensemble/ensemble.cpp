// SPDX-License-Identifier: Apache-2.0
#include "analysis/ensemble/ensemble.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "analysis/ensemble/method_selection.h"
#include "base/threads.h"
#include "base/thresholds.h"

namespace stiffit::internal {
namespace {

// So many doubles are held at a time by a thread: what the second cache can hold, but enough
// trajectories that lanes without work at the end of a block are few, and at most so much memory.
constexpr double cached_numbers = 1e5, most_numbers = 8e6;
constexpr double usual_block = 96, longest_block = 4096, shortest_block = 16;
constexpr long blocks_of_a_thread = 4;  // at least, where there are enough samples
constexpr long failures_listed = 10000;

}  // namespace

Ensemble::Ensemble(EnsemblePlan plan)
    : plan_(std::move(plan)),
      bands_(plan_.times.size() * plan_.problem.program->output_names.size()) {}

std::vector<double> Ensemble::parameters(long sample) const {
  std::vector<double> values = plan_.problem.program->parameter_values;
  for (std::size_t k = 0; k < plan_.sampled.size(); ++k)
    values[plan_.sampled[k].parameter] =
        draw(plan_.sampled[k].distribution, plan_.seed, static_cast<std::uint64_t>(sample), k);
  return values;
}

long Ensemble::block() const {
  const Program& program = *plan_.problem.program;
  const double numbers = static_cast<double>(plan_.times.size() + 1) *
                         static_cast<double>(program.output_names.size() + program.states + 1);
  const double cached = std::clamp(cached_numbers / numbers, usual_block, longest_block);
  const long most = static_cast<long>(std::clamp(most_numbers / numbers, shortest_block, cached));
  if (plan_.threads <= 1) return most;
  const long share = plan_.samples / (blocks_of_a_thread * plan_.threads);
  return std::clamp(share, std::min(most, static_cast<long>(shortest_block)), most);
}

// The first samples decide the method, also of a run that goes on with later ones: the same ones
// for any number of threads.
void Ensemble::choose_method() {
  if (method_chosen_) return;
  Request plain;
  plain.start = plan_.start;
  plain.times = plan_.times;
  std::vector<Request> requests(std::min(pilot_samples, plan_.samples), plain);
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].parameters = parameters(i);
  integration_ = select_method(plan_.problem, requests, plan_.integration);
  method_chosen_ = true;
}

// Samples that the method that was selected could not bring to an end, as planned. Empty: none.
std::vector<Trajectory> Ensemble::repeat(const Worker& worker, std::span<const Trajectory> runs,
                                         int threads) const {
  std::vector<Request> again;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].outcome.status != Status::done) again.push_back(worker.requests[i]);
  if (again.empty() || integration_.method == plan_.integration.method) return {};
  return simulate_many(plan_.problem, again, plan_.integration, threads);
}

std::vector<SampleRun> Ensemble::simulate(long first, long count) {
  choose_method();
  return simulate(joint_, first, count, plan_.threads);
}

std::vector<SampleRun> Ensemble::simulate(Worker& worker, long first, long count,
                                          int threads) const {
  if (!worker.runs) worker.runs = std::make_unique<ManyRuns>(plan_.problem, integration_, threads);
  Request plain;
  plain.start = plan_.start;
  plain.times = plan_.times;
  worker.requests.resize(count, plain);
  for (std::size_t i = 0; i < worker.requests.size(); ++i)
    worker.requests[i].parameters = parameters(first + i);
  const std::span<const Trajectory> once = worker.runs->run(worker.requests);
  worker.repeated = repeat(worker, once, threads);
  std::vector<SampleRun> runs;
  for (std::size_t next = 0; const Trajectory& run : once) {
    const bool replaced = run.outcome.status != Status::done && !worker.repeated.empty();
    const Trajectory& last = replaced ? worker.repeated[next++] : run;
    if (last.outcome.status == Status::interrupted) return {};
    const bool done = last.outcome.status == Status::done;
    runs.push_back(
        {last.outputs, done ? "" : describe(last.outcome, plan_.problem.program->state_names)});
  }
  return runs;
}

namespace {

std::vector<std::span<const double>> finished_tables(std::span<const SampleRun> runs) {
  std::vector<std::span<const double>> tables;
  for (const SampleRun& run : runs)
    if (run.failure.empty()) tables.push_back(run.table);
  return tables;
}

}  // namespace

void Ensemble::note(std::span<const SampleRun> runs, const Each& each) {
  for (const SampleRun& run : runs) {
    if (!run.failure.empty() && ++failures_ <= failures_listed)
      failed_.push_back({done_, run.failure});
    if (each) each(done_, run);
    ++done_;
  }
}

void Ensemble::count(std::span<const SampleRun> runs, const Each& each) {
  bands_.add(finished_tables(runs), plan_.threads);
  note(runs, each);
}

// Threads that run and count blocks of their own. Blocks are counted in their order, each part of
// the table by itself, so that one thread may count while others run theirs, and the sums do not
// depend on who was first.
class Ensemble::Round {
 public:
  Round(Ensemble& ensemble, const Each& each)
      : ensemble_(ensemble),
        each_(each),
        first_(ensemble.done_),
        size_(ensemble.block()),
        turn_(std::min(parts_at_most, std::max<std::size_t>(1, ensemble.bands_.size()))) {}

  // False: interrupted.
  bool run() {
    ensemble_.workers_.resize(ensemble_.plan_.threads);
    on_threads(ensemble_.workers_.size(), [&](std::size_t k) {
      try {
        while (work(ensemble_.workers_[k])) {
        }
      } catch (...) {
        stop(true);
        throw;
      }
    });
    return !stopped_;
  }

 private:
  static constexpr std::size_t parts_at_most = 16;
  static constexpr std::chrono::milliseconds length{300};  // then people hear of the progress

  // One block. False: there is none left, or not in this round.
  bool work(Worker& worker) {
    long block;
    {
      std::lock_guard lock(mutex_);
      if (stopped_ || first_ + next_ * size_ >= ensemble_.plan_.samples) return false;
      if (std::chrono::steady_clock::now() - begin_ > length) return false;
      block = next_++;
    }
    const long first = first_ + block * size_;
    const long count = std::min(size_, ensemble_.plan_.samples - first);
    const std::vector<SampleRun> runs = ensemble_.simulate(worker, first, count, 1);
    const auto tables = finished_tables(runs);
    const std::size_t parts = turn_.size(), cells = ensemble_.bands_.size();
    for (std::size_t part = 0; part < parts; ++part) {
      if (!wait_for(part, block)) return false;
      if (runs.empty()) {
        stop(false);
        return false;
      }
      ensemble_.bands_.add(tables, cells * part / parts, cells * (part + 1) / parts);
      if (part + 1 == parts) ensemble_.note(runs, each_);
      {
        std::lock_guard lock(mutex_);
        turn_[part] = block + 1;
      }
      changed_.notify_all();
    }
    return true;
  }

  // Until the blocks before have counted this part. False: one of them never will.
  bool wait_for(std::size_t part, long block) {
    std::unique_lock lock(mutex_);
    const auto never = [&] { return broken_ || (stopped_ && block >= end_); };
    changed_.wait(lock, [&] { return turn_[part] == block || never(); });
    return !never();
  }
  // Blocks that have not begun to count will not; if it is broken, nobody goes on.
  void stop(bool broken) {
    std::lock_guard lock(mutex_);
    if (!stopped_) end_ = turn_[0];
    stopped_ = true;
    broken_ |= broken;
    changed_.notify_all();
  }

  Ensemble& ensemble_;
  const Each& each_;
  const long first_, size_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  long next_ = 0, end_ = 0;  // blocks: to be run, and counted at the end if it was stopped
  bool stopped_ = false, broken_ = false;
  std::vector<long> turn_;  // per part of the table: the block that is to count it next
};

bool Ensemble::advance(const Each& each) {
  choose_method();
  if (plan_.threads > 1 && plan_.samples - done_ > block()) return Round(*this, each).run();
  const std::vector<SampleRun> runs = simulate(done_, std::min(block(), plan_.samples - done_));
  if (runs.empty()) return false;
  count(runs, each);
  return true;
}

void Ensemble::save(RecordWriter& out) const {
  out.whole(done_);
  out.whole(failures_);
  out.whole(failed_.size());
  for (const FailedSample& failed : failed_) {
    out.whole(failed.sample);
    out.text(failed.reason);
  }
  bands_.save(out);
}

void Ensemble::restore(RecordReader& from) {
  done_ = from.whole();
  failures_ = from.whole();
  failed_.resize(from.length(2 * sizeof(std::int64_t)));
  for (FailedSample& failed : failed_) {
    failed.sample = from.whole();
    failed.reason = from.text();
  }
  bands_.restore(from);
}

int ensemble_lanes(const System& system) {
  if (!system.delays.empty() || best_isa() == Isa::portable) return 1;
  if (best_isa() != Isa::avx512) return 4;
  const int states = static_cast<int>(system.states.size());
  const bool eight = states <= thresholds::states_for_eight_lanes ||
                     states >= thresholds::states_for_eight_lanes_again;
  return eight ? 8 : 4;
}

}  // namespace stiffit::internal
